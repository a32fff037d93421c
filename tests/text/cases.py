"""Texts to clean, and builders for them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from planet.model import Text, TextKind
from tests.browser.vectors import own

CORPUS = Path(__file__).parents[2] / "../shared/corpus/xss"
BASE = "https://blog.example/2026/post"
REL = 'rel="noopener noreferrer"'

Sanitizer = Literal["bleach", "nh3"]
SANITIZERS: tuple[Sanitizer, ...] = ("bleach", "nh3")


def html(value: str, base: str | None = BASE) -> Text:
    return Text(value=value, kind=TextKind.HTML, base=base)


# Comes out as it went in.
KEPT = [
    pytest.param("<p>One <b>two</b> <i>three</i></p>", id="text"),
    pytest.param("<p>a &lt;b&gt; &amp; c</p>", id="escaped"),
    pytest.param('<p dir="rtl" lang="he">שלום</p>', id="direction"),
    pytest.param("<h4>A</h4><h5>B</h5><h6>C</h6>", id="headings"),
    pytest.param('<ol start="-3" reversed=""><li value="7">a</li></ol>', id="lists"),
    pytest.param("<dl><dt>a</dt><dd>b</dd></dl>", id="definitions"),
    pytest.param(
        '<table><caption>c</caption><colgroup><col span="2"></colgroup><thead><tr>'
        '<th scope="col">a</th></tr></thead><tbody><tr><td colspan="2">b</td></tr></tbody></table>',
        id="tables",
    ),
    pytest.param("<pre><code>a\n  b</code></pre>", id="code"),
    pytest.param("<details><summary>more</summary>text</details>", id="details"),
    pytest.param('<blockquote cite="https://a.example/"><p>x</p></blockquote>', id="quotes"),
    pytest.param('<del datetime="2026-11-03">a</del><ins>b</ins>', id="edits"),
    pytest.param('<time datetime="2026-11-03 09:00">now</time>', id="time"),
    pytest.param('<abbr title="a &quot;b&quot; &lt;c&gt;">x</abbr>', id="titles"),
    pytest.param("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", id="ruby"),
    pytest.param(f'<a href="mailto:ann@mail.example" {REL}>write</a>', id="mail"),
    pytest.param(
        f'<a href="https://a.example/?a=1&amp;copy=2" title="t" {REL}>x</a>', id="ampersands"
    ),
    pytest.param('<img src="https://a.example/i" alt="" loading="lazy">', id="image"),
    pytest.param('<img src="data:image/png;base64,AAAA" alt="dot" loading="lazy">', id="small"),
    pytest.param(
        '<video width="640" height="480" controls preload="none">'
        '<source src="https://a.example/v" type="video/mp4"></video>',
        id="video",
    ),
    pytest.param('<audio src="https://a.example/a" controls preload="none"></audio>', id="audio"),
]

# Comes out as the second.
CHANGED = [
    pytest.param('<p dir="rtl;x" lang="de\u200b">a</p>', "<p>a</p>", id="words that are none"),
    pytest.param("<h1>A</h1><h2>B</h2>", "<h4>A</h4><h5>B</h5>", id="big headings"),
    pytest.param(
        "<section>a</section><center>b</center>", "<div>a</div><div>b</div>", id="sections"
    ),
    pytest.param("<p><strike>a</strike><tt>b</tt></p>", "<p><s>a</s><code>b</code></p>", id="old"),
    pytest.param("<p><font color=red>a</font></p>", "<p>a</p>", id="fonts"),
    pytest.param("<p>a<script>alert(1)</script>b</p>", "<p>ab</p>", id="script"),
    pytest.param("<p>a<style>p{}</style>b</p>", "<p>ab</p>", id="style"),
    pytest.param(
        "<p>a<svg><p>b</p></svg>c</p>", "<p>a</p><p>b</p>c<p></p>", id="svg that a p breaks"
    ),
    pytest.param("<p>a<svg><g><a>b</a></g></svg>c</p>", "<p>ac</p>", id="svg"),
    pytest.param(
        '<p>a<math alttext="b^2 &lt; c"><msup><mi>b</mi><mn>2</mn></msup>'
        '<annotation encoding="application/x-tex">b</annotation></math>d</p>',
        "<p>a<math><msup><mi>b</mi><mn>2</mn></msup></math>d</p>",
        id="a formula",
    ),
    pytest.param(
        '<p>a <math display="block"><semantics><mi>b</mi><annotation encoding="application/x-tex">'
        "\\beta</annotation></semantics></math> c</p>",
        '<p>a <math display="block"><mrow><mi>b</mi></mrow></math> c</p>',
        id="a formula with its TeX",
    ),
    pytest.param(
        "<p>a<MATH><mrow><mi mathvariant=bold>b</mi> <mo>&lt;</mo> <mtext>one</mtext></mrow>"
        "<annotation-xml>x</annotation-xml></MATH>c</p>",
        "<p>a<math><mrow><mi>b</mi> <mo>&lt;</mo> <mi>one</mi></mrow></math>c</p>",
        id="a formula with words",
    ),
    pytest.param(
        "<p>a <math alttext='x &lt; y'><mfenced><mi>x</mi></mfenced></math></p>",
        "<p>a x &lt; y</p>",
        id="a formula that is not let through, with an alternative",
    ),
    pytest.param(
        "<p><math><mfenced><mi>a</mi><mi>b</mi></mfenced><annotation>(a,b)</annotation></math> "
        "<math><mfenced><mi>a</mi><mi>b</mi></mfenced></math></p>",
        "<p>ab ab</p>",
        id="formulas that are not let through",
    ),
    pytest.param("<p>a<math><mi>b</mi></p>", "<p>a<math>b</math></p>", id="no end of one"),
    pytest.param(
        "<p>a<math><mtext>b <b>c</b><script>d</script></mtext></math></p>",
        "<p>ab c</p>",
        id="a formula with HTML in it",
    ),
    pytest.param("<p>a<mfrac><mn>1</mn></mfrac></p>", "<p>a1</p>", id="pieces of a formula"),
    pytest.param("&#157; a <b>b</b>", "a <b>b</b>", id="a control before a blank"),
    pytest.param(
        '<p><span class="katex"><span class="katex-mathml"><math><mi>x</mi><annotation encoding='
        '"application/x-tex">x^2</annotation></math></span><span class="katex-html" '
        'aria-hidden="true"><span>x<span>2</span></span></span></span> is</p>',
        "<p><span><span><math><mi>x</mi></math></span><span></span></span> is</p>",
        id="a formula that is there twice",
    ),
    pytest.param(
        '<p>a<script src="/x" />b<iframe src="https://a.example/"/>c<STYLE/>d<video src="/v"/>e'
        "</p>",
        f'<p>ab<a href="https://a.example/" {REL}>Embedded: a.example</a>cd'
        '<video src="https://blog.example/v" controls preload="none"></video>e</p>',
        id="self-closed elements",
    ),
    pytest.param(
        "<p>a <Vector> b <list></p><p>c <svg><path d='M0'/>x</svg> <set>d</p>",
        "<p>a  b </p><p>c  d</p>",
        id="names that SVG and MathML have",
    ),
    pytest.param(
        '<p>a<xml\xa0b="c><path>d</path>e</p>',
        "<p>ade</p>",
        id="a quotation mark in a name",
    ),
    pytest.param(
        "<p>a<svg/><animate dur=1s>b</svg>c</p>",
        "<p>abc</p>",
        id="names that SVG has behind one that is empty",
    ),
    pytest.param(
        "<p>a<script>'<script/>' + '<iframe/>'</script>b<button/>c</p>",
        "<p>abc</p>",
        id="self-closed elements in a script",
    ),
    pytest.param(
        "<p>a<video src=https://a.example/v/>b</video>c</p>",
        '<p>a<video src="https://a.example/v/" controls preload="none">b</video>c</p>',
        id="a slash that ends an address",
    ),
    pytest.param(
        "<div>a<select><option>b</select><textarea><b>c</textarea>d</div>",
        "<div>ad</div>",
        id="fields",
    ),
    pytest.param("<div>a<button>b<button>c</button>d</div>", "<div>ad</div>", id="buttons"),
    pytest.param("<form><p>a<input></p></form>", "<p>a</p>", id="form"),
    pytest.param(
        '<div>a<object data="/f.swf"><param name=x><object>b</object><a href="/c">c</a></object>d'
        "</div>",
        f'<div>ab<a href="https://blog.example/c" {REL}>c</a>d</div>',
        id="fallbacks of objects",
    ),
    pytest.param("<p>a<!-- b --><?c?>d</p>", "<p>ad</p>", id="comments"),
    pytest.param('<p onclick="x" style="x" id="x" class="x" name="x">a</p>', "<p>a</p>", id="bare"),
    pytest.param('<a href="/x">a</a>', f'<a href="https://blog.example/x" {REL}>a</a>', id="link"),
    pytest.param('<a href="#n">1</a>', f'<a href="{BASE}#n" {REL}>1</a>', id="footnote"),
    pytest.param(
        '<a href="?a=1&section=2&copy=3">a</a>',
        f'<a href="{BASE}?a=1&amp;section=2&amp;copy=3" {REL}>a</a>',
        id="ampersands as met",
    ),
    pytest.param(
        '<a href="https://a.example/&#x22;&#60;">a</a>',
        f'<a href="https://a.example/%22%3C" {REL}>a</a>',
        id="signs in a link",
    ),
    pytest.param('<p><a name="x">a</a></p>', "<p>a</p>", id="anchor"),
    pytest.param('<p><a href="javascript:x">a</a></p>', "<p>a</p>", id="script link"),
    pytest.param(
        '<p><a target=_blank rel=x href="https://a.example/">a</a></p>',
        f'<p><a href="https://a.example/" {REL}>a</a></p>',
        id="target",
    ),
    pytest.param(
        '<img src="i.png" srcset="j.png 2x" width="10" height="50%" onerror=x>',
        '<img src="https://blog.example/2026/i.png" alt="" width="10" loading="lazy">',
        id="image",
    ),
    pytest.param(
        '<picture><source srcset="a.webp"><img src="/a.png" alt="A"></picture>',
        '<img src="https://blog.example/a.png" alt="A" loading="lazy">',
        id="picture",
    ),
    pytest.param('<p>a<img alt=" b\n c "></p>', "<p>ab c</p>", id="image without source"),
    pytest.param(
        '<img src="/blank.gif" data-src="/a.png"><img src="data:image/gif;base64,R0" alt=b '
        'data-lazy-src="/b.png">',
        '<img src="https://blog.example/a.png" alt="" loading="lazy">'
        '<img src="https://blog.example/b.png" alt="b" loading="lazy">',
        id="images for a script",
    ),
    pytest.param(
        '<img srcset="/b.png 400w,\n/c.png 4000w"><img srcset="/d,e.png, /f.png 2x">'
        '<img data-srcset="/g.png 9000w"><img srcset=" ">',
        '<img src="https://blog.example/b.png" alt="" loading="lazy">'
        '<img src="https://blog.example/d,e.png" alt="" loading="lazy">'
        '<img src="https://blog.example/g.png" alt="" loading="lazy">',
        id="images in sets",
    ),
    pytest.param('<p>a<img src="data:image/svg+xml,x" alt=b></p>', "<p>ab</p>", id="vector image"),
    pytest.param(
        f'<p>a<img src="data:image/png;base64,{"A" * 40_000}" alt=b></p>',
        "<p>ab</p>",
        id="big data",
    ),
    pytest.param(
        '<p>a<img src="https://c.example/" width=1 height=1 alt=x></p>', "<p>a</p>", id="pixel"
    ),
    pytest.param('<p>a<img src="https://c.example/" height=0></p>', "<p>a</p>", id="no height"),
    pytest.param(
        '<p>a<img src="/b" width=1><img src="/c" width="1px" height=99><img src="/d" width=" 01.5">'
        '<img src="/e" height="0em"></p>',
        "<p>a</p>",
        id="pixels of all kinds",
    ),
    pytest.param(
        '<p><img src="/b" width="1%"><img src="/c" width="" height=x><img src="/d" width=10></p>',
        '<p><img src="https://blog.example/b" alt="" loading="lazy">'
        '<img src="https://blog.example/c" alt="" loading="lazy">'
        '<img src="https://blog.example/d" alt="" width="10" loading="lazy"></p>',
        id="no pixels",
    ),
    pytest.param(
        '<video src="/v" poster="/p"></video>',
        '<video src="https://blog.example/v" controls preload="none"></video>',
        id="poster",
    ),
    pytest.param(
        '<video src="v.mp4" autoplay loop onplay=x></video>',
        '<video src="https://blog.example/2026/v.mp4" controls preload="none"></video>',
        id="autoplay",
    ),
    pytest.param("<p>a<source src='/x'>b</p>", "<p>ab</p>", id="source alone"),
    pytest.param("<td>a</td><li><li>b", "a<li></li><li>b</li>", id="unclosed"),
    pytest.param(
        "<table>a<tr>b<td>c</td><img src=/i alt=d></table>",
        'ab<img src="https://blog.example/i" alt="d" loading="lazy">'
        "<table><tbody><tr><td>c</td></tr></tbody></table>",
        id="beside cells",
    ),
    pytest.param(
        "<li>a<section><li>b</section>", "<li>a<div></div></li><li>b</li>", id="items that meet"
    ),
    pytest.param(
        '<iframe src="//www.youtube.com/embed/abcdefghijk?x">fallback</iframe>',
        f'<a href="https://www.youtube.com/watch?v=abcdefghijk" {REL}>Video: youtube.com</a>',
        id="YouTube",
    ),
    pytest.param(
        '<iframe src="https://player.vimeo.com/video/123?h=4"></iframe>',
        f'<a href="https://vimeo.com/123" {REL}>Video: vimeo.com</a>',
        id="Vimeo",
    ),
    pytest.param(
        '<iframe src="https://w.soundcloud.com/player/"></iframe>',
        f'<a href="https://w.soundcloud.com/player/" {REL}>Audio: w.soundcloud.com</a>',
        id="SoundCloud",
    ),
    pytest.param(
        '<iframe src="https://notyoutube.com/"></iframe>',
        f'<a href="https://notyoutube.com/" {REL}>Embedded: notyoutube.com</a>',
        id="other frames",
    ),
    pytest.param(
        '<iframe src="https://shop.example/?a=1&region=US&amp;b=2"></iframe>',
        f'<a href="https://shop.example/?a=1&amp;region=US&amp;b=2" {REL}>'
        "Embedded: shop.example</a>",
        id="frame whose address has a parameter like a reference",
    ),
    pytest.param('<p>a<iframe src="javascript:x"></iframe></p>', "<p>a</p>", id="script frame"),
    pytest.param(
        '<iframe title="How to  &lt;bake&gt;" src="about:blank" '
        'data-src="https://www.youtube-nocookie.com/embed/videoseries?si=x&amp;list=PL_1"></iframe>',
        f'<a href="https://www.youtube.com/playlist?list=PL_1" {REL}>'
        "Video: How to &lt;bake&gt; (youtube.com)</a>",
        id="a frame with a title",
    ),
    pytest.param(
        '<iframe title="YouTube video player" src="https://youtube.com/embed/abcdefghijk"></iframe>',
        f'<a href="https://www.youtube.com/watch?v=abcdefghijk" {REL}>Video: youtube.com</a>',
        id="a frame with a title that says nothing",
    ),
    pytest.param(
        '<p>a</p><script src="https://gist.github.com/ann/12ab.js?file=b.py"></script>'
        '<script src="https://a.example/gist.github.com/ann/12ab.js"></script>',
        f'<p>a</p><a href="https://gist.github.com/ann/12ab" {REL}>Embedded: gist.github.com</a>',
        id="gists",
    ),
    pytest.param(
        '<p><object><param name="movie"><embed src="//www.youtube.com/v/abcdefghijk&hl=en">'
        '</object><embed src="/f.swf"></p>',
        f'<p><a href="https://www.youtube.com/watch?v=abcdefghijk" {REL}>Video: youtube.com</a>'
        "</p>",
        id="players of plug-ins",
    ),
    pytest.param(
        '<a href="/x"><iframe src="https://a.example/"></iframe></a>',
        f'<a href="https://blog.example/x" {REL}></a>'
        f'<a href="https://a.example/" {REL}>Embedded: a.example</a>',
        id="frame in a link",
    ),
    pytest.param(
        "<p>a<marquee><table><tr><td><p>b</table></marquee>",
        "<p>a</p><table><tbody><tr><td><p>b</p></td></tr></tbody></table>",
        id="a block in what is left out",
    ),
    pytest.param(
        "<ul><li>a<marquee><div><object><li>b</object></div></marquee></ul>",
        "<ul><li>a<div></div></li><li>b</li></ul>",
        id="items in what is left out",
    ),
    pytest.param(
        "<p>a<!-- <script> > --><foo title='>'>b</foo><<bar>script>c</p>",
        "<p>ab&lt;script&gt;c</p>",
        id="tags that others are made of",
    ),
    pytest.param("just &amp; words", "<p>just &amp; words</p>", id="no tags"),
    pytest.param(
        "one\n\n\n00:00 two\n05:30 three &amp; four",
        "<p>one</p>\n<p>00:00 two<br>\n05:30 three &amp; four</p>",
        id="lines",
    ),
    pytest.param("one\n   two\n\n   three", "<p>one two</p>\n<p>three</p>", id="indented lines"),
    pytest.param(
        "See (https://a.example/b_(c)?d&amp;e), HTTPS://b.example/; or https://c.example/を: http://.",
        f'<p>See (<a href="https://a.example/b_(c)?d&amp;e" {REL}>https://a.example/b_(c)?d&amp;e'
        f'</a>), <a href="https://b.example/" {REL}>HTTPS://b.example/</a>; or '
        f'<a href="https://c.example/" {REL}>https://c.example/</a>を: http://.</p>',
        id="addresses",
    ),
    pytest.param("<bad>words</bad>", "<p>words</p>", id="no tags left"),
    pytest.param("<p>a\x00\x0b\ud800&#1;b</p>", "<p>ab</p>", id="controls"),
    pytest.param("<p></p>", "<p></p>", id="empty paragraph"),
    pytest.param("<script>x</script>", "", id="nothing left"),
    pytest.param("", "", id="nothing"),
]


ATTACKS = [
    "<script>alert(1)</script>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "<p/onmouseover=alert(1)>x",
    "<a href='&#x6a;avascript:alert(1)'>x</a>",
    "<a href='\x01javascript:alert(1)'>x</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "<a href='data:image/png;base64,AAAA'>x</a>",
    "<a href='vbscript:x'>x</a><a href='file:///etc/passwd'>x</a>",
    "<img src='data:image/svg+xml;base64,AAAA'>",
    "<img src='data:image/png;base64,AAAA\" onerror=alert(1) x='>",
    "<video poster='javascript:alert(1)'><source src='javascript:alert(1)'></video>",
    "<blockquote cite='javascript:alert(1)'>x</blockquote>",
    "<svg><a xlink:href='javascript:alert(1)'><text>x</text></a></svg>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<form action='javascript:alert(1)'><input type=submit></form>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<iframe src='https://a.example/'><img src=x onerror=alert(1)></iframe>",
    "<object data='javascript:alert(1)'></object><embed src='javascript:alert(1)'>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'><base href='//evil.example/'>",
    "<link rel=stylesheet href='//evil.example/x.css'>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
    "<template><script>alert(1)</script></template>",
    "<title><img src=x onerror=alert(1)></title><textarea><img src=x onerror=alert(1)>",
    "<!--><img src=x onerror=alert(1)>--><![CDATA[<img src=x onerror=alert(1)>]]>",
    "<div style='position:fixed;inset:0;background:url(//evil.example/)'>x</div>",
    "<p title='\"><script>alert(1)</script>'>x</p>",
    "<abbr title='\"onmouseover=alert(1) x=\"'>x</abbr>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<b \x00onclick=alert(1)>x</b><im\x00g src=x onerror=alert(1)>",
    "<a href='https://a.example/' ping='https://evil.example/' download>x</a>",
    "<img usemap=#m src=x><map name=m><area href='javascript:alert(1)'></map>",
    "</p></div></article></body></html><h1>Not yours</h1>",
    "<li><li><td><tr></table></ul>",
    "<table><b>x<tr><i>y</b><td>z</i></table>",
    "<math alttext='<img src=x onerror=alert(1)>'><mi>x</mi></math>",
    "<math alttext='&lt;img src=x onerror=alert(1)&gt;'><mi>x</mi></math>",
    "<math><annotation encoding=TeX><img src=x onerror=alert(1)></annotation></math>",
    "<math><mtext><script>alert(1)</script></mtext></math>",
    "<math><mi><img src=x onerror=alert(1)></mi></math>",
    "<math><mi>x</mi><p><style><img src=x onerror=alert(1)></style></p></math>",
    "<math><mrow><mfrac><a href=javascript:alert(1)>x</a><mn>2</mn></mfrac></mrow></math>",
    "<math><mi><math><mi><style><!--</style><img title='--&gt;&lt;img src=1 onerror=x'>",
    "<math href=javascript:alert(1)><mrow xlink:href=javascript:alert(1)><mi>x</mi></mrow></math>",
    "<p><math><mo><svg><mtext><textarea><a title='</textarea><img src=x onerror=alert(1)>'></math>",
    "<math><mtable><mtr><mtd><table><tr><td><mi>x</mi></td></tr></table></mtd></mtr></mtable></math>",
    "<script type='math/tex'></scr</script><script>alert(1)//</script>",
    "<script/><script>alert(1)</script><style/><img src=x onerror=alert(1)>",
    "<iframe src=''><script>alert(1)</script><img src=x onerror=alert(1)></iframe>",
    "<iframe src=' '><iframe src='javascript:alert(1)'></iframe></iframe>",
    "<iframe data-src='javascript:alert(1)' title='\"><script>alert(1)</script>'></iframe>",
    "<lite-youtube videoid='\"><script>alert(1)</script>' title='\"onmouseover=alert(1)'>",
    "<lite-youtube videoid='\" onload=alert(1) x=\"' playlabel='&lt;b&gt;'></lite-youtube>",
    "<script src='https://gist.github.com/x\"><script>alert(1)</script>.js'></script>",
    "<embed src='https://www.youtube.com/v/aaaaaaaaaaa\"onload=alert(1)'>",
    "<object data='javascript:alert(1)'><p onclick=alert(1)>x<embed src=javascript:alert(1)></p>",
    "<img src=data:x><noscript><img src=x onerror=alert(1)><script>alert(1)</script></noscript>",
    "<img data-src='javascript:alert(1)' srcset='javascript:alert(1) 2x' onerror=alert(1)>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=x'>",
    "<xmp><img src=x onerror=alert(1)></xmp><plaintext><img src=x onerror=alert(1)>",
    "<a href=/1>a<marquee>b<a href=/2>c</a></marquee></a><ul><li>d<marquee><li>e</marquee>f</ul>",
    "<ul><li>a<marquee><div><object><li>b</object></div></marquee></li></ul></div></div>",
]


# Here the libraries come to different ends, both of them safe: bleach takes an address for a script
# that nh3 takes for a file, and leaves items in a table where they are.
ATTACKS_APART = [
    "<a href='java&NewLine;script:alert(1)'>x</a>",
    "<a href='&#106avascript&colon;alert(1)'>x</a>",
    "<p><a href='\u2028javascript:alert(1)'>x</a>",
    "<table><li>a<li>b<tr><td>c</table>d",
]


def values() -> Iterator[tuple[str, str]]:
    """Everything that may be hostile or broken: what is here, and what the corpus has."""
    for place, attack in enumerate([*ATTACKS, *ATTACKS_APART]):
        yield f"attack {place}", attack
    for one in [*KEPT, *CHANGED]:
        yield f"case {one.id}", str(one.values[0])
    for vector in own():
        yield vector.id, vector.html
    for file in sorted(CORPUS.glob("*.json")):
        for vector in json.loads(file.read_text(encoding="utf-8")):
            yield vector["id"], vector["html"]

"""Texts of entries as they are found in feeds: 3 to 4 kB of HTML each, no two the same.

What costs time in them is what plain paragraphs do not have: figures with `srcset`, code, tables,
lists, links with parameters, inline styles, and words in several scripts.
"""

from html import escape

_PROSE = (
    "the tide comes in over flat sand and nobody hurries because there is time for a letter or a "
    "loaf of bread while boats turn slowly on their ropes and rain moves along the far shore",
    "am Abend läuft das Wasser über den flachen Sand und für einen Brief oder ein Brot bleibt "
    "genügend Zeit während die Boote sich an den Tauen drehen",
    "вода медленно поднимается над песком и никто не спешит потому что хватает времени на письмо "
    "или хлеб пока лодки качаются у берега",
    "潮 が ゆっくり 砂 の 上 に 満ち て 誰 も 急が ない 手紙 を 書く 時間 が ある から "
    "船 は 岸 で 揺れ て いる",
)
_WORDS = tuple(prose.split() for prose in _PROSE)


def sentence(seed: int, count: int, *, language: int = 0) -> str:
    """So many words, always the same for one seed."""
    words = _WORDS[language % len(_WORDS)]
    return " ".join(words[(seed * 5 + place * 7) % len(words)] for place in range(count))


def html_of(feed: int, entry: int, link: str) -> str:
    """The text of an entry: paragraphs, and some of the parts that texts on the web have."""
    language = feed % len(_WORDS)
    seed = feed * 31 + entry
    parts = [_paragraph(seed + place, link, language) for place in range(4)]
    for place in range(3):
        part = _PARTS[(seed + place) % len(_PARTS)]
        parts.insert(2 * place + 1, part(seed, link, language))
    return "\n".join(parts)


def _paragraph(seed: int, link: str, language: int) -> str:
    words = [sentence(seed + place, 18, language=language) for place in range(2)]
    target = escape(f"{link}?utm_source=feed&utm_medium=rss&part={seed % 9}#n{seed % 5}")
    return (
        f'<p style="margin:0 0 1em" class="wp-block">{words[0].capitalize()}, '
        f'<a href="{target}" target="_blank" rel="noopener">{sentence(seed, 3)}</a>; '
        f"{words[1]} &mdash; <em>{sentence(seed, 4, language=language)}</em>&nbsp;&hellip;</p>"
    )


def _figure(seed: int, link: str, language: int) -> str:
    widths = (480, 768, 1024, 1536)
    sources = ", ".join(f"{link}/photo-{seed}-{width}.jpg {width}w" for width in widths)
    words = sentence(seed, 8, language=language)
    return (
        f'<figure class="wp-block-image size-large"><a href="{link}/photo-{seed}.jpg">'
        f'<img loading="lazy" decoding="async" width="1024" height="683" '
        f'src="{link}/photo-{seed}-1024.jpg" alt="{words}" srcset="{sources}" '
        f'sizes="(max-width: 1024px) 100vw, 1024px"></a>'
        f"<figcaption>{words}</figcaption></figure>"
    )


def _code(seed: int, link: str, language: int) -> str:
    lines = [
        f'<span class="k">for</span> <span class="n">{sentence(seed + line, 1)}</span> '
        f'<span class="k">in</span> <span class="n">rows</span>[{line}:{seed % 90 + line}]:\n'
        f"    total += row[&quot;{sentence(seed + line, 1)}&quot;] &lt; {seed} &amp;&amp; done"
        for line in range(5)
    ]
    body = "\n".join(lines)
    return f'<pre class="highlight"><code class="language-python">{body}</code></pre>'


def _table(seed: int, link: str, language: int) -> str:
    rows = "".join(
        f'<tr><td>{sentence(seed + row, 3, language=language)}</td><td align="right">'
        f"{seed * row % 977}</td><td>{sentence(seed + row, 2)}</td></tr>"
        for row in range(6)
    )
    head = f"<tr><th>{sentence(seed, 1)}</th><th>#</th><th>{sentence(seed + 1, 1)}</th></tr>"
    return f"<table border=1><thead>{head}</thead><tbody>{rows}</tbody></table>"


def _list(seed: int, link: str, language: int) -> str:
    items = "".join(
        f"<li><strong>{sentence(seed + item, 2, language=language)}</strong>: "
        f'<a href="{escape(f"{link}/{item}?a={seed}&b={item}")}">{sentence(item, 3)}</a>, '
        f"{sentence(seed + item, 7, language=language)}</li>"
        for item in range(5)
    )
    return f"<h2>{sentence(seed, 4, language=language)}</h2>\n<ul>{items}</ul>"


def _quote(seed: int, link: str, language: int) -> str:
    return (
        f'<blockquote cite="{link}"><p>{sentence(seed, 40, language=language)}</p></blockquote>'
        f'<div class="sharedaddy"><span data-x="{seed}">{sentence(seed, 5)}<br />'
        f"{sentence(seed + 1, 5)}</span></div>"
    )


_PARTS = (_figure, _code, _table, _list, _quote)

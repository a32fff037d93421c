"""What a page changes in a post's text, so that it is easier to read."""

from planet.site.pages.readable import find_picture, make_readable, without_title
from planet.site.words import speak
from tests.cases import case, cases

LINES = "x\n" * 41
LONG = "words and " * 320
_REGION = 'role="group" aria-label="{}" tabindex="0"'
_FOLDED = '<details class="rest"><summary>Show more</summary>'
_CODE = "x = " + "1 + " * 20


@cases(
    "content, shown",
    case(
        "a table, which scrolls",
        "<table><tr><td>1</td></tr></table>",
        f'<div class="wide" {_REGION.format("Table")}><table><tr><td>1</td></tr></table></div>',
    ),
    case(
        "wide code, which scrolls",
        f'<pre dir="ltr"><code>{_CODE}</code></pre>',
        f'<pre class="wide" {_REGION.format("Code")} dir="ltr"><code>{_CODE}</code></pre>',
    ),
    case("narrow code", "<pre>a &lt;= b</pre>", "<pre>a &lt;= b</pre>"),
    case(
        "a film",
        '<video src="https://a.example/1" controls preload="none"></video>',
        '<video poster="film.svg" src="https://a.example/1" controls preload="none"></video>',
    ),
    case(
        "a picture whose address says its size",
        '<img src="https://a.example/p-300x200.jpg" alt="">',
        '<img src="https://a.example/p-300x200.jpg" alt="" width="300" height="200">',
    ),
    case(
        "and its width",
        '<img src="https://a.example/p-300x200.jpg" alt="" width="600">',
        '<img src="https://a.example/p-300x200.jpg" alt="" width="600" height="400">',
    ),
    case(
        "a picture alone",
        '<p><img src="https://a.example/p" alt="A heron"></p>',
        '<p><a href="https://a.example/p" rel="noopener noreferrer">'
        '<img class="alone" src="https://a.example/p" alt="A heron"></a></p>',
    ),
    case(
        "a picture alone in a link",
        '<figure><a href="https://a.example/"><img src="https://a.example/p" alt=""></a></figure>',
        '<figure><a href="https://a.example/" aria-label="a.example/">'
        '<img class="alone" src="https://a.example/p" alt="">'
        "</a></figure>",
    ),
    case(
        "a picture in a link whose name would end within an entity",
        f'<p><a href="https://a.example/{"x" * 48}&amp;y"><img src="https://a.example/p" alt="">'
        "</a></p>",
        f'<p><a href="https://a.example/{"x" * 48}&amp;y" aria-label="a.example/{"x" * 48}&amp;y">'
        '<img class="alone" src="https://a.example/p" alt=""></a></p>',
    ),
    case(
        "pictures side by side, one of them in a link",
        '<p><span><img src="https://a.example/p" alt=""></span> '
        '<a href="https://a.example/"><img src="https://a.example/q" alt="Two"></a></p>',
        '<p><span><img class="alone" src="https://a.example/p" alt=""></span> '
        '<a href="https://a.example/"><img class="alone" src="https://a.example/q" alt="Two">'
        "</a></p>",
    ),
    case(
        "a picture in a line of its own, in a box that is a link",
        '<a href="https://a.example/"><div>One<br><img src="https://a.example/p" alt="Two"><br>'
        "Three</div></a>",
        '<a href="https://a.example/"><div>One<br><img class="alone" src="https://a.example/p" '
        'alt="Two"><br>Three</div></a>',
    ),
    case(
        "a formula alone",
        '<p><img src="https://s0.wp.com/latex.php?latex=x" alt="x"></p>',
        '<p><img src="https://s0.wp.com/latex.php?latex=x" alt="x"></p>',
    ),
    case(
        "a picture among words",
        '<p>Hello <img src="https://a.example/p" alt=""></p>',
        '<p>Hello <img src="https://a.example/p" alt=""></p>',
    ),
    case(
        "the title again",
        "<h4>Post 1.</h4><p>Words</p>",
        "<p>Words</p>",
    ),
    case(
        "the title again, as a paragraph",
        "<div><p>post 1</p><p>Words</p></div>",
        "<div><p>Words</p></div>",
    ),
    case("the title and nothing else", "<p>Post 1</p>", "<p>Post 1</p>"),
    case("a heading of its own", "<h4>Post 12</h4><p>Words</p>", "<h4>Post 12</h4><p>Words</p>"),
    case("a heading without words", "<h4> <br></h4><p>Words</p>", "<p>Words</p>"),
    case(
        "a heading that is a picture nobody describes",
        '<h5><img src="https://a.example/l" alt=""> </h5>',
        '<p><img class="alone" src="https://a.example/l" alt=""> </p>',
    ),
    case(
        "a heading that is a picture",
        '<h4><img src="https://a.example/l" alt="A harbour" width="1" height="1"></h4>',
        '<h4><img src="https://a.example/l" alt="A harbour" width="1" height="1"></h4>',
    ),
    case(
        "headings that leave out levels",
        '<h6>A</h6><h4>B</h4><h6 id="c">C</h6>',
        '<h5>A</h5><h4>B</h4><h5 id="c">C</h5>',
    ),
    case(
        "long code, which scrolls",
        f"<pre>{LINES}</pre>",
        f'<pre class="wide" {_REGION.format("Code")}>{LINES}</pre>',
    ),
    case(
        "a long text",
        f"<p>{LONG}</p><p>{LONG}</p>",
        f"<p>{LONG}</p>{_FOLDED}<p>{LONG}</p></details>",
    ),
    case("a text that is a little longer", f"<p>{LONG}</p><p>Bye</p>", f"<p>{LONG}</p><p>Bye</p>"),
    case(
        "a long text in one box",
        f"<div><p>{LONG}</p><p>{LONG}</p></div>",
        f"<div><p>{LONG}</p>{_FOLDED}<p>{LONG}</p></details></div>",
    ),
    case(
        "a long text in boxes in a box, and what a blog writes below each text",
        f"<div><div><h4>A</h4><p>{LONG}</p><p>{LONG}</p> </div><p>By A</p></div><p>Of a blog</p>",
        f"<div><div><h4>A</h4><p>{LONG}</p>{_FOLDED}<p>{LONG}</p> </details></div><p>By A</p></div>"
        "<p>Of a blog</p>",
    ),
    case(
        "a long text in box after box",
        f"<div><div><p>{LONG}</p><p>B</p></div><div><p>{LONG}</p></div></div>",
        f"<div><div><p>{LONG}</p><p>B</p></div>{_FOLDED}<div><p>{LONG}</p></div></details></div>",
    ),
    case(
        "a long text that has empty lines in place of paragraphs",
        f'<div>{LONG}<a href="https://b.example/">B</a> C<br><br>{LONG}</div>',
        f'<div>{LONG}<a href="https://b.example/">B</a> C<br><br>{_FOLDED}{LONG}</details></div>',
    ),
    case(
        "a long text in one list",
        f"<ul><li>{LONG}</li><li><div><p>{LONG}</p><p>{LONG}</p></div></li></ul>",
        f"<ul><li>{LONG}</li><li><div><p>{LONG}</p><p>{LONG}</p></div></li></ul>",
    ),
    case("a link around nothing", '<p>a<a href="https://b.example/"> </a>b</p>', "<p>a b</p>"),
    case(
        "the foot of a table before its body",
        "<table><tfoot><tr><td>3</td></tr></tfoot> <tbody><tr><td>1</td></tr></tbody></table>",
        f'<div class="wide" {_REGION.format("Table")}><table><tbody><tr><td>1</td></tr></tbody>'
        "<tfoot><tr><td>3</td></tr></tfoot></table></div>",
    ),
)
def test_a_text_is_made_easier_to_read(content: str, shown: str) -> None:
    assert read(content) == shown


def read(content: str) -> str:
    return make_readable(content, title="Post 1", film="film.svg", words=speak("en"))


@cases(
    "title, summary, first_words",
    case("and a full stop", "A harbour", "A harbour. Boats lie in it.", "Boats lie in it."),
    case("and another heading", "Boats of Wrenhaven", "Boats of Wrenhaven They lie", "They lie"),
    case("that goes on", "Boats of Wrenhaven", "Boats of Wrenhaven are old", None),
    case("that goes on with a name", "A harbour", "A harbour Wrenhaven does not have", None),
    case("and nothing else", "A harbour", "A harbour.", None),
    case("within a word", "A harbour", "A harbourmaster. He", None),
    case("that is not there", "A harbour", "Boats", None),
)
def test_first_words_do_not_repeat_a_title(
    title: str, summary: str, first_words: str | None
) -> None:
    assert without_title(summary, title) == (first_words or summary)


FIRST, LARGE = (f'<img src="https://a.example/{name}.jpg?a=1&amp;b=2" alt=""' for name in "12")


@cases(
    "content, found",
    case("one that says that it is large", f'<p>x {FIRST} width="200" height="100"></p>', "1"),
    case("one by its width alone", f'<p>x {FIRST} width="800"></p>', "1"),
    case("one that stands alone", f"<p>x</p><figure>{FIRST}></figure>", "1"),
    case("the first large one", f'<p>x {FIRST} width="64"></p><p>{LARGE}></p>', "2"),
    case("none that is flat, as a line", f'<p>{FIRST} width="600" height="20"></p>', None),
    case("none among words", f"<p>x {FIRST}> y</p>", None),
    case("no emoji", f"<p>{FIRST.replace('1.jpg', 'emoji/1.jpg')}></p>", None),
    case("none without a picture", "<p>x</p>", None),
)
def test_the_picture_of_a_text_is_its_first_large_one(content: str, found: str | None) -> None:
    address = f"https://a.example/{found}.jpg?a=1&b=2" if found else None

    assert find_picture(content) == address


def test_the_size_in_an_address_counts() -> None:
    small, large = (
        f'<img src="https://a.example/p-{size}.jpg" alt="">' for size in ("90x60", "640x480")
    )

    assert find_picture(f"<p>{small}</p><p>x {large} y</p>") == "https://a.example/p-640x480.jpg"

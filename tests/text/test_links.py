"""What a text links to is found in what the cleaner wrote."""

from planet.model import Html, Images, ParsedEntry, Text, TextKind
from planet.text.html import (
    MAX_LINK,
    MAX_LINKS,
    Cleaning,
    clean,
    draft_entry,
    find_links,
    show_images,
)
from tests.cases import case, cases

A_LINK = Text(value="<a href='https://a.example/'>a</a>", kind=TextKind.HTML)


def links_of(html: str, images: Images = Images.LAZY) -> tuple[str, ...]:
    text = Text(value=html, kind=TextKind.HTML, base="https://one.example/posts/1")
    return find_links(show_images(clean(text, Cleaning()), images))


@cases(
    "html, expected",
    case("none", "<p>None at all.</p>", ()),
    case("one", "<a href='https://a.example/x'>x</a>", ("https://a.example/x",)),
    case(
        "in the order of the text",
        "<a href='https://b.example/'>b</a> <b><a title='t' href='http://a.example'>a</a></b>",
        ("https://b.example/", "http://a.example/"),
    ),
    case(
        "the same twice",
        "<a href='HTTPS://A.example:443/#top'>a</a><a href='https://a.example'>a</a>",
        ("https://a.example/",),
    ),
    case("near", "<a href='../2?a=1&amp;b=2'>", ("https://one.example/2?a=1&b=2",)),
    case("mail", "<a href='mailto:a@a.example'>a</a>", ()),
    case("script", "<a href='javascript:alert(1)'>a</a>", ()),
    case(
        "what only looks like a link",
        "<a title='<a href=&quot;https://b.example/&quot;' href='https://a.example/'>a</a>"
        '&lt;a href="https://c.example/">',
        ("https://a.example/",),
    ),
    case("password", "<a href='https://user:secret@a.example/'>a</a>", ("https://a.example/",)),
    case("token", "<a href='https://a.example/?token=secret'>a</a>", ()),
    case("endless", f"<a href='https://a.example/{'a' * MAX_LINK}'>a</a>", ()),
    case("an image", "<a href='https://a.example/1.JPG?w=2'>a</a>", ()),
    case("not an image", "<a href='https://a.example/jpg'>a</a>", ("https://a.example/jpg",)),
)
def test_the_links_of_a_text(html: str, expected: tuple[str, ...]) -> None:
    assert links_of(html) == expected


def test_links_do_not_depend_on_how_images_are_shown() -> None:
    html = "<img src='https://a.example/1.jpg' alt='One'> <a href='https://a.example/'>a</a>"

    assert {links_of(html, images) for images in Images} == {("https://a.example/",)}


def test_a_text_full_of_links_counts_for_so_many() -> None:
    html = "".join(f"<a href='https://a.example/{n}'>{n}</a>" for n in range(MAX_LINKS + 1))

    links = links_of(html)

    assert (len(links), links[-1]) == (MAX_LINKS, f"https://a.example/{MAX_LINKS - 1}")


def test_links_come_with_a_clean_text_and_only_with_one() -> None:
    entry = ParsedEntry(id="1", content=A_LINK)

    drafts = [
        draft_entry(entry, cleaning=Cleaning(), clean_content=is_clean, rank=None, digest="")
        for is_clean in (True, False)
    ]

    assert [draft.links for draft in drafts] == [("https://a.example/",), None]


def test_a_text_that_was_never_html_links_to_nothing() -> None:
    assert find_links(Html("<p>https://a.example/</p>")) == ()

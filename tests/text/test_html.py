"""Cleaning: what an entry may contain comes through, whole and absolute, and nothing else does."""

from concurrent.futures import ThreadPoolExecutor
from typing import cast

import pytest

from planet.model import Images, Text, TextKind
from planet.model.secrets import Redactor, Secret
from planet.text.html import (
    MAX_LINK,
    MAX_LINKS,
    Cleaning,
    clean,
    find_links,
    redact_html,
    render_markdown,
    show_images,
)
from planet.text.plain import plain
from tests.cases import case, cases
from tests.text.cases import CHANGED, KEPT, REL, html


@pytest.mark.parametrize("value", KEPT)
def test_what_is_allowed_is_kept_as_it_is(value: str, cleaning: Cleaning) -> None:
    assert clean(html(value), cleaning) == value


@pytest.mark.parametrize(("value", "expected"), CHANGED)
def test_what_is_not_allowed_is_left_out(value: str, expected: str, cleaning: Cleaning) -> None:
    assert clean(html(value), cleaning) == expected


@pytest.mark.parametrize(
    ("images", "expected"),
    [
        (Images.LAZY, '<img src="https://blog.example/i.png" alt="A &lt;view&gt;" loading="lazy">'),
        (Images.LINKED, f'<a href="https://blog.example/i.png" {REL}>A &lt;view&gt;</a>'),
        (Images.NONE, "A &lt;view&gt;"),
    ],
)
def test_images_are_shown_linked_or_left_out(
    images: Images, expected: str, cleaning: Cleaning
) -> None:
    cleaned = clean(html('<p>See <img src="/i.png" alt="A <view>">.</p>'), cleaning)

    assert show_images(cleaned, images) == f"<p>See {expected}.</p>"


@cases(
    "value, expected",
    case("alone", '<img src="/i">', '<a href="https://blog.example/i" rel>Image</a>'),
    case(
        "in a link",
        '<a href="/x"><img src="/i" alt="A"></a>',
        '<a href="https://blog.example/x" rel>A</a>',
    ),
    case("data", '<p><img src="data:image/png;base64,AAAA" alt="A"></p>', "<p>A</p>"),
)
def test_a_linked_image_is_one_link(value: str, expected: str, cleaning: Cleaning) -> None:
    shown = show_images(clean(html(value), cleaning), Images.LINKED)

    assert shown == expected.replace(" rel>", f" {REL}>")


def test_without_a_base_relative_addresses_are_left_out(cleaning: Cleaning) -> None:
    value = '<p><a href="/x">a</a> <img src="i.png" alt="b"> <q cite="c">d</q></p>'

    assert clean(html(value, base=None), cleaning) == "<p>a b <q>d</q></p>"


@cases(
    "value, expected",
    case("signs", "a <b> & c", "<p>a &lt;b&gt; &amp; c</p>"),
    case("lines", "a\r\nb\r\n\r\nc", "<p>a<br>\nb</p>\n<p>c</p>"),
    case("blanks", " \n\n ", ""),
    case("no references", "&amp;", "<p>&amp;amp;</p>"),
    case("controls", "x\x00\ud800\x80\x9f\ufdd0\U0001ffff", "<p>x</p>"),
)
def test_plain_text_becomes_paragraphs(value: str, expected: str) -> None:
    assert clean(Text(value=value), Cleaning()) == expected


@pytest.mark.parametrize(
    "piece",
    [
        *("\x7f", "\x80", "\x9f", "\ufdd0", "\ufdef", "\ufffe", "\uffff", "\U0001fffe"),
        *("\U0010ffff", "&#x81;", "&#xfdd0;", "&#x1ffff;"),
    ],
)
def test_what_is_no_character_is_removed_everywhere(piece: str, cleaning: Cleaning) -> None:
    value = f'<p><abbr title="o{piece}ne">t{piece}wo</abbr></p>'

    cleaned = clean(html(value), cleaning).replace("\ufffd", "")

    assert cleaned == '<p><abbr title="one">two</abbr></p>'


def test_what_stands_beside_non_characters_is_kept(cleaning: Cleaning) -> None:
    value = "<p>\xa0\ufdcf\ufdf0\ufffd\U0001fffd\U00020000</p>"

    assert clean(html(value), cleaning).replace("&nbsp;", "\xa0") == value


def test_a_text_on_which_cleaning_fails_becomes_plain(cleaning: Cleaning) -> None:
    # Nothing that a feed can send is known to do it; an address of the wrong type does.
    text = html("<p>a <a href='x'>word</a></p>", base=cast("str", b"https://blog.example/"))

    assert clean(text, cleaning) == "<p>a word</p>"


def test_each_thread_cleans_its_own_text() -> None:
    # One cleaner of bleach in two threads mixes their texts.
    texts = [f"<p>{place} <b>{place}</b></p>" * 20 for place in range(40)]

    with ThreadPoolExecutor(8) as pool:
        cleaned = list(pool.map(lambda text: clean(html(text), Cleaning()), texts))

    assert cleaned == texts


def test_nh3_cleans_unless_told_otherwise_and_each_library_has_a_version() -> None:
    assert Cleaning() == Cleaning(sanitizer="nh3")
    assert Cleaning().version != Cleaning(sanitizer="bleach").version


@pytest.mark.parametrize(
    "value",
    [
        *("", "&", "<", "<p", "a\ud800", "<p>\ud800</p>", "<![CDx", "\0"),
        *("&#" + "9" * 5000 + ";", "<p>&#" + "9" * 5000 + "</p>"),
    ],
    ids=lambda value: repr(value[:20]),
)
@pytest.mark.parametrize("kind", TextKind)
def test_nothing_raises(value: str, kind: TextKind, cleaning: Cleaning) -> None:
    text = Text(value=value, kind=kind)

    clean(text, cleaning).encode()
    plain(text).encode()


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


def test_html_keeps_no_address_that_would_not_work() -> None:
    redactor = Redactor(secrets=(("K", Secret("abcd")),))
    html = (
        "<p title='abcd'>abcd <a class=x href='/1?k=abcd&amp;b=2' >one</a> <a href=/%61bcd>two</a>"
        '<img alt="a" src="https://x.example/?k=abcd"><a href="/3">three</a>'
    )

    assert redact_html(html, redactor) == (
        '<p >${K} <a class=x href="/1?b=2" >one</a> <a >two</a><img alt="a" ><a href="/3">three</a>'
    )


def test_a_link_without_its_secret_keeps_what_is_no_reference_in_an_attribute() -> None:
    redactor = Redactor(secrets=(("K", Secret("abcd")),))

    assert redact_html('<a href="/1?k=abcd&copy=2">one</a>', redactor) == (
        '<a href="/1?copy=2">one</a>'
    )


@cases(
    "words, html",
    case("paragraphs", "a *b*\n\nc", "<p>a <em>b</em></p>\n<p>c</p>\n"),
    case("a table", "|a|\n|-|\n|b|", "<td>b</td>"),
    case("struck words", "~~a~~", "<s>a</s>"),
    case("HTML, for a cleaner", "<b>a</b>", "<p><b>a</b></p>\n"),
    case("no link that acts", "[a](javascript:b)", "<p>[a](javascript:b)</p>\n"),
)
def test_markdown_becomes(words: str, html: str) -> None:
    assert html in render_markdown(words)

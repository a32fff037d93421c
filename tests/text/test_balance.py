"""What is written is balanced: a strict parser finds nothing to mend, and reads what is there."""

import re

import html5lib
from hypothesis import given, settings
from hypothesis import strategies as st

from planet.model import Images
from planet.text.html import Cleaning, clean, show_images
from planet.text.policy import VOID, is_balanced, is_clean
from planet.text.writer import write
from tests.cases import case, cases
from tests.text.cases import BASE, REL, SANITIZERS, html
from tests.text.judge import faults

_LONG = "x" * 4060
_SOURCES = (
    *("https://a.example/1", "/relative", "?a=1&amp;=2", "", " ", "about:blank", "javascript:x"),
    *(
        "//www.youtube.com/embed/abcdefghijk",
        "https://player.vimeo.com/video/12",
        "\x00",
        "ü?&copy",
    ),
    f"https://{'a' * 60}.example/videos/embed/{_LONG[:3990]}",
    f"https://a.example/{_LONG[:4090]}",
    f"https://a.example/videos/embed/{_LONG}",
    f"https://codepen.io/a/embed/{_LONG}",
    f"https://a.example/{'ü' * 700}",
)
_NAMES = (
    *("a", "b", "p", "div", "iframe", "embed", "img", "ul", "li", "table", "tr", "td", "pre", "h2"),
    *("script", "style", "ruby", "rt", "video", "source", "br", "template", "math", "x-y", "svg"),
)
_attributes = st.builds(
    '{}="{}"'.format,
    st.sampled_from(("src", "href", "data-src", "title", "alt", "type", "dir")),
    st.sampled_from((*_SOURCES, "math/tex", "rtl", "&lt;b&gt;", "&copy;=1")),
)
_starts = st.builds(
    lambda name, attributes: f"<{' '.join([name, *attributes])}>",
    st.sampled_from(_NAMES),
    st.lists(_attributes, max_size=3),
)
_ends = st.sampled_from(_NAMES).map("</{}>".format)
_pieces = st.one_of(_starts, _ends, st.sampled_from(["word", "&amp;", "\n", "<", "<!--", "-->"]))
_loose = st.lists(_pieces, max_size=12).map("".join)
_whole = st.recursive(
    st.sampled_from(["word", " ", "&lt;"]),
    lambda inside: st.builds(
        lambda name, attributes, inner: (
            f"<{' '.join([name, *attributes])}>{''.join(inner)}"
            + ("" if name in VOID or name == "embed" else f"</{name}>")
        ),
        st.sampled_from(_NAMES),
        st.lists(_attributes, max_size=3),
        st.lists(inside, max_size=3),
    ),
    max_leaves=12,
)
_texts = st.one_of(_loose, _whole, st.lists(_whole, max_size=3).map("".join))
_quiet = settings(deadline=None, derandomize=True, database=None, max_examples=300)


@_quiet
@given(_texts, st.sampled_from(SANITIZERS), st.sampled_from(Images))
def test_a_strict_parser_has_nothing_to_mend_in_a_clean_text(
    value: str, sanitizer: str, images: Images
) -> None:
    cleaning = Cleaning(sanitizer=sanitizer)  # type: ignore[arg-type]

    cleaned = show_images(clean(html(value), cleaning), images)

    html5lib.HTMLParser(strict=True).parseFragment(cleaned)
    assert faults(cleaned) == []
    assert is_clean(cleaned)
    assert clean(html(cleaned), cleaning) == cleaned


@_quiet
@given(_texts, st.sampled_from(Images))
def test_the_writer_prints_balanced_html_or_refuses_to(value: str, images: Images) -> None:
    written = write(value.replace("\x00", ""), base=BASE, images=images)

    if written is not None:
        assert is_balanced(written)
        assert re.search(r"\bNone\b", written) is None


def test_a_frame_whose_page_would_have_too_long_an_address_leads_to_itself(
    cleaning: Cleaning,
) -> None:
    frame = "http://a.example/videos/embed/".ljust(4096, "x")

    cleaned = clean(html(f'<p><iframe src="{frame}"></iframe></p>'), cleaning)

    assert cleaned == f'<p><a href="{frame}" {REL}>Embedded: a.example</a></p>'


@cases(
    "value, shown",
    case("alone", "?a=1&amp;=2", "?a=1&amp;=2"),
    case("with its end", "?a=1&copy;=2", "?a=1%C2%A9=2"),
    case("before a sign", "?a=1&copy=2", "?a=1&amp;copy=2"),
    case("before a letter", "?a=1&notit;=2", "?a=1&amp;notit;=2"),
    case("before a digit", "?a=1&para1", "?a=1&amp;para1"),
    case("before a dash", "?a=1&para-1", "?a=1%C2%B6-1"),
    case("before a line", "?a=1&copy_x", "?a=1%C2%A9_x"),
    case("unknown", "?a=1&nosuch;", "?a=1&amp;nosuch;"),
    case("by number", "?a=1&#38;copy=2", "?a=1&amp;copy=2"),
    case("by a number that does not end", "?a=1&#x26=2", "?a=1&amp;=2"),
    case("by a large number", "?a=1&#99999999;", "?a=1%EF%BF%BD"),
)
def test_references_in_attributes_are_decoded_by_the_rule_of_html(
    value: str, shown: str, cleaning: Cleaning
) -> None:
    cleaned = clean(html(f'<p><a href="https://a.example/{value}">b</a></p>'), cleaning)

    assert cleaned == f'<p><a href="https://a.example/{shown}" {REL}>b</a></p>'


_references = st.lists(
    st.sampled_from(
        (
            "&",
            "amp",
            "copy",
            "not",
            "it",
            "lt",
            "quot",
            ";",
            "=",
            "#",
            "38",
            "x26",
            "1",
            " ",
            "-",
            "_",
        )
    ),
    max_size=8,
).map("".join)


@_quiet
@given(_references, st.sampled_from(SANITIZERS))
def test_a_value_with_references_is_the_same_however_often_it_is_cleaned(
    value: str, sanitizer: str
) -> None:
    cleaning = Cleaning(sanitizer=sanitizer)  # type: ignore[arg-type]
    text = f'<p><a href="?{value}" title="{value}">a</a><img src="/i" alt="{value}"></p>'
    tree = html5lib.parseFragment(text, namespaceHTMLElements=False)

    once = clean(html(text), cleaning)

    assert clean(html(once), cleaning) == once
    read = html5lib.parseFragment(once, namespaceHTMLElements=False)
    for name, attribute in (("a", "title"), ("img", "alt")):
        expected, given_back = (one.find(f".//{name}").get(attribute) for one in (tree, read))
        assert " ".join(expected.split()) == given_back


@cases(
    "value, shown",
    case("first with one", '<iframe src="/f" src="">a</iframe>', "LINK"),
    case("first without one", '<iframe src="" src="/f">a</iframe>', "a"),
    case("with a frame in it", '<iframe src="">a<iframe src="/f"></iframe>', "aLINK"),
    case(
        "with frames in it",
        '<iframe src=""><iframe src=""><b>a</b><iframe src="/f"></iframe>',
        "<b>a</b>LINK",
    ),
    case("with a comment that does not end", '<iframe src="">a<!--</iframe>', "a"),
    case("with a tag that does not end", '<iframe src="">a<b title="</iframe>', "a"),
    case("with a script that does not end", '<iframe src="">a<script></iframe>', "a"),
    case("with a form that does not end", '<iframe src=""><i>a</i><select></iframe>', "a"),
    case("with what must be escaped", '<iframe src="">a<b>&amp;lt;<!--</iframe>', "a&amp;lt;"),
)
def test_neither_a_frame_nor_a_text_is_lost_with_a_frame(
    value: str, shown: str, cleaning: Cleaning
) -> None:
    link = f'<a href="https://blog.example/f" {REL}>Embedded: blog.example</a>'

    cleaned = clean(html(f"<p>one {value} two</p>"), cleaning)

    assert " ".join(cleaned.split()) == f"<p>one {shown.replace('LINK', link)} two</p>"


@cases(
    "value",
    case("an end tag too many", "<p>a</p></p>"),
    case("an element without end", "<div><p>a</p>"),
    case("elements that cross", "<b><i>a</b></i>"),
    case("an end tag alone", "</div>"),
    case("NUL", "<p>a\x00b</p>"),
    case("another control", "<p>a\x1bb</p>"),
    case("half of a pair", "<p>a\ud800b</p>"),
)
def test_what_is_not_balanced_or_no_character_is_not_clean(value: str) -> None:
    assert not is_clean(value)

"""Hostile and broken texts, ours and those of others: nothing comes through, at any length."""

import re
import time
from functools import cache

import html5lib

from planet.model import Html, Images, Text
from planet.text import policy
from planet.text.html import MAX_HTML, Cleaning, clean, show_images
from planet.text.sanitize import is_bounded
from tests.cases import case, cases
from tests.docs import page, section
from tests.text.cases import ATTACKS, ATTACKS_APART, SANITIZERS, html, values

_HTML = "{http://www.w3.org/1999/xhtml}"
_ADDED = {
    "a": {"rel"},
    "img": {"loading"},
    "audio": {"controls", "preload"},
    "video": {"controls", "preload"},
}
_WEB = ("http://", "https://")


def faults(html: str) -> list[str]:
    """Everything in it that should not be there, and whether it leaves the element it is in."""
    page = html5lib.parse(f"<!DOCTYPE html><main><div>{html}</div><p>after</p></main>")
    text, *after = page.iterfind(f".//{_HTML}main/*")
    found = [] if [other.text for other in after] == ["after"] else ["it ends what is around it"]
    for element in text.iter():
        if element is text:
            continue
        # Of a comment, the tag is a function.
        name = str(element.tag).rpartition("}")[2]
        if name not in policy.ELEMENTS:
            found.append(f"element {name}")
            continue
        found += [f"{name} {key}={value}" for key, value in _wrong(name, element.attrib)]
    return found


def _wrong(name: str, attributes: dict[str, str]) -> list[tuple[str, str]]:
    allowed = {*policy.ELEMENTS[name], *policy.EVERYWHERE, *_ADDED.get(name, ())}
    return [
        (key, value)
        for key, value in attributes.items()
        if key not in allowed or (key in {"href", "src", "cite"} and not _leads(name, key, value))
    ]


def _leads(name: str, key: str, value: str) -> bool:
    """Return whether the address is one that such an attribute may have."""
    if (name, key) == ("img", "src") and policy.DATA_IMAGE.fullmatch(value):
        return True
    return value.startswith((*_WEB, "mailto:") if key == "href" else _WEB)


# Hostile and broken texts, ours and those of other sanitisers: nothing comes through


@cache
def cleaned(cleaning: Cleaning) -> dict[str, Html]:
    """Every one of them by its name, cleaned in this way, and by how images are shown in it."""
    texts: dict[str, Html] = {}
    for name, value in values():
        text = clean(html(value), cleaning)
        texts |= {f"{name}, {images}": show_images(text, images) for images in Images}
    return texts


def test_nothing_else_comes_through_and_nothing_leaves_its_place(
    cleaning: Cleaning,
) -> None:
    wrong = {text: faults(text) for text in {*cleaned(cleaning).values()}}

    assert {text: what for text, what in wrong.items() if what} == {}


@cases("attacks, agree", case("mostly", ATTACKS, True), case("not always", ATTACKS_APART, False))
def test_both_libraries_come_to_the_same(attacks: list[str], agree: bool) -> None:
    one, other = (Cleaning(sanitizer=sanitizer) for sanitizer in SANITIZERS)

    same = {clean(html(attack), one) == clean(html(attack), other) for attack in attacks}

    assert same == {agree}


def names(part: str) -> set[str]:
    return set(re.findall("`([^` ]+)`", part))


def rows(heading: str) -> list[tuple[set[str], set[str]]]:
    """The names in each item of a list in docs/html.md, before the colon and after it."""
    text = section(page("html.md"), heading).partition("\n#")[0]
    items = re.findall(r"^- (.+?)(?:: (.+))?$", text, re.MULTILINE)
    return [(names(first), names(second)) for first, second in items]


def test_the_lists_of_the_documentation_are_the_policy() -> None:
    dropped = names(section(page("html.md"), "Left out with all that is in them"))

    elements = {name: attributes for row, attributes in rows("Elements") for name in row}
    renamed = {old: new for row, to in rows("Other names") for old in row for new in to}

    assert elements == {name: {*values} for name, values in policy.ELEMENTS.items()}
    assert renamed == policy.RENAMED
    assert dropped == policy.DROPPED


# Limits: what would take too long to clean becomes plain text, and nothing else does


@cases(
    "value",
    case("length", "<p>word</p>" * 20_000),
    case("depth", "<div>" * 129 + "word" + "</div>" * 129),
    case("tags without end", "<b>" * 129 + "word"),
    case("a name that only looks like one that ends itself", "<lin\u212a>" * 129 + "word"),
    case(
        "ends that only look like some",
        "<p>" + "".join(f"<b x={n}></b\xa0>" for n in range(200)) + "word",
    ),
    case("ends of nothing", "<div></x>" * 129 + "word"),
    case("ends that a parser passes over", "<div><table></div></table>" * 129 + "word"),
    case("tags that never end", "<i " * 130 + "word"),
    case("attributes", f"<p {' '.join(f'a{n}' for n in range(1001))}><b>word</b>"),
    case("joined up", f"<p {''.join(f'a{n}=1' for n in range(1002))}><b>word</b>"),
    case(
        "formatting that is opened again and again",
        "<p>" + "".join(f"<b x={n}>" for n in range(100)) + "</p>" + "<p>word</p>" * 1000,
    ),
)
def test_html_past_the_limits_becomes_one_paragraph(value: str, cleaning: Cleaning) -> None:
    started = time.process_time()

    cleaned = clean(html(value), cleaning)

    assert re.fullmatch(r"<p>(word ?)*…?</p>|", cleaned)
    assert time.process_time() - started < 3


def test_what_is_just_within_the_depth_keeps_its_markup(cleaning: Cleaning) -> None:
    assert clean(html("<i>" * 128 + "word" + "</i>" * 128), cleaning).count("<i>") == 128


@cases(
    "before, after, levels",
    case("lists", "<ul><li>word", "</li></ul>", 20),
    case("quotations", "<blockquote>word", "</blockquote>", 20),
    case("of several kinds", "<dl><dd>word<figure>", "</figure></dd></dl>", 10),
)
def test_what_is_indented_goes_twenty_levels_deep_and_no_deeper(
    before: str, after: str, levels: int, cleaning: Cleaning
) -> None:
    within = before * levels + after * levels
    beyond = before * (levels + 1) + after * (levels + 1)

    assert clean(html(within), cleaning) == within
    assert re.fullmatch("<p>[^<]*</p>", clean(html(beyond), cleaning))


@cases(
    "value",
    case("frames without an address", "<iframe>" + "<b>word</b> " * 15_000 + "</iframe>"),
    case("frames in frames", "<iframe src=x>" * 14_000),
    case("pictures", "<img src=x data-src=y srcset='a 1w, b 2w'>" * 4_700),
    case("comments", "<!--" * 50_000),
    case("quotes", "<p title=\"'>" * 16_000),
    case("formulas without an end", "<math>" + "<math x='" * 20_000),
    case("formulas", "<math><mi>x</mi>" * 128 + "<p x='</math '>" * 9_000),
    case("scripts", "<script></script " * 11_000),
    case("slashes", "<p " + "/" * 199_000 + ">"),
    case("equals", "<p " + "a=" * 500 + "=" * 190_000 + ">"),
    case("equals and blanks", "<p a=" + "= " * 90_000 + ">"),
    case("less than", "<" * 190_000 + ">" * 10_000),
    case("references", "<p>" + "&#9" * 60_000),
    case("addresses by a long base", "<a href=x>" * 100 + "</a><a href=x>" * 14_000),
)
def test_no_text_is_slow_to_clean_or_grows_much(value: str, cleaning: Cleaning) -> None:
    started = time.process_time()

    cleaned = clean(html(value, base=f"https://a.example/{'b' * 4_000}/"), cleaning)

    assert time.process_time() - started < 3
    assert len(cleaned) <= 5 * MAX_HTML


@cases(
    "value",
    case("paragraphs without end tags", "<p>word " * 5000),
    case("items without end tags", "<ul>" + "<li>word" * 5000 + "</ul>"),
    case("long", "<p>word</p>" * 10_000),
    case("data", f'<p><img src="data:image/png;base64,{"/+a=" * 20_000}">x</p>'),
    case("here document", "<pre>cat <<EOF\n" + "word = 1\n" * 300 + "EOF</pre>"),
)
def test_what_people_write_is_within_the_limits(value: str) -> None:
    assert is_bounded(value)


def test_long_plain_text_stays_within_the_limits() -> None:
    cleaned = clean(Text(value="word " * 100_000), Cleaning())

    assert len(cleaned) <= MAX_HTML + len("<p></p>")
    assert cleaned.endswith("…</p>")

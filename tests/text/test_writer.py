"""The writer: of what a library has written it lets through what the policy has, and no more."""

from collections.abc import Callable

import pytest

from planet.model import Images
from planet.text.policy import CONTROLS
from planet.text.sanitize import clean_with_bleach, clean_with_nh3, is_bounded
from planet.text.writer import write
from tests.cases import case, cases
from tests.text.cases import BASE, values


@cases(
    "html",
    case("an element without end", "<p>a<p>b</p>"),
    case("elements that cross", "<b><i>a</b></i>"),
    case("an end without beginning", "a</p>"),
    case("half a tag", "<div"),
    case("a sign", "a < b"),
    case("a sign in a value", '<abbr title="a>b">c</abbr>'),
    case("attributes without a blank", '<p dir="ltr"lang="a">c</p>'),
    case("a value without quotes", "<p dir=ltr>c</p>"),
    case("a name alone", "<details open>c</details>"),
    case("capitals", "<P>a</P>"),
    case("a slash", "<br/>"),
    case("a comment", "<!-- a -->"),
    case("an instruction", "<?a?>"),
    case("a section", "<![CDATA[a]]>"),
    case("a script", "<script>a</script>"),
    case("SVG", "<svg></svg>"),
    case("an element that nobody knows", "<x-y>a</x-y>"),
)
def test_what_no_library_has_written_is_not_written(html: str) -> None:
    assert write(html, base=BASE, images=Images.LAZY) is None


@pytest.mark.parametrize("library", [clean_with_nh3, clean_with_bleach])
def test_what_a_library_writes_is_written(library: Callable[[str], str]) -> None:
    made = {
        name: CONTROLS.sub("", library(CONTROLS.sub("", value)))
        for name, value in values()
        if is_bounded(value)
    }

    refused = [
        name for name, html in made.items() if write(html, base=BASE, images=Images.LAZY) is None
    ]

    assert refused == []


def test_what_the_policy_does_not_have_is_not_written() -> None:
    html = '<p onclick="alert(1)" dir="ltr"><abbr dir="ltr" id="x">a&lt;b&gt;&amp;</abbr></p>'

    written = write(html, base=None, images=Images.LAZY)

    assert written == '<p dir="ltr"><abbr dir="ltr">a&lt;b&gt;&amp;</abbr></p>'

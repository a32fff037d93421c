"""Handles of services, as people write them, and the pages they lead to."""

import re

import pytest

from planet.text.profiles import SERVICES, profile_url
from tests.docs import page, section


@pytest.mark.parametrize(
    ("name", "written", "expected"),
    [
        ("mastodon", "@ann@social.example", "https://social.example/@ann"),
        ("Fediverse", "ann@Social.Example:8443", "https://social.example:8443/@ann"),
        ("bluesky", "@ann.bsky.social", "https://bsky.app/profile/ann.bsky.social"),
        ("bluesky", "did:plc:abc", "https://bsky.app/profile/did:plc:abc"),
        ("GitHub", "ann-b", "https://github.com/ann-b"),
        ("gitlab", "@ann.b", "https://gitlab.com/ann.b"),
        ("codeberg", "ann_b", "https://codeberg.org/ann_b"),
        ("linkedin", "in/ann", "https://www.linkedin.com/in/ann"),
        ("youtube", "@ann", "https://www.youtube.com/@ann"),
        (
            "youtube",
            "UCabcdefghijklmnopqrstuv",
            "https://www.youtube.com/channel/UCabcdefghijklmnopqrstuv",
        ),
        ("twitter", "@ann", "https://x.com/ann"),
        ("e-mail", "mailto:ann+b@a.example", "mailto:ann+b@a.example"),
        ("github", " HTTPS://git.example/ann ", "https://git.example/ann"),
        ("anything", "https://a.example/ü", "https://a.example/%C3%BC"),
        ("anything", "ann", None),
        ("mastodon", "ann", None),
        ("mastodon", "@ann@social.example/<b>", None),
        ("bluesky", "ann", None),
        ("github", "ann/planet", None),
        ("github", "javascript:alert(1)", None),
        ("anything", "javascript:alert(1)", None),
        ("anything", "https://a.example/ <b>", None),
        ("x", "somebody-with-a-hyphen", None),
        ("email", "ann", None),
        ("email", "ann@a.example?bcc=bob@b.example", None),
    ],
)
def test_what_is_written_leads_to(name: str, written: str, expected: str | None) -> None:
    assert profile_url(name, written) == expected


def test_the_page_about_links_says_what_becomes_of_the_handle_of_each_service() -> None:
    table = section(page("sources.md"), "Links")
    rows = re.findall(r'^\| `(\w+)` \| `"?(.+?)"?` \| `(.+?)` \|$', table, re.MULTILINE)

    assert sorted(name for name, _, _ in rows) == sorted(SERVICES)
    assert [profile_url(name, written) for name, written, _ in rows] == [url for *_, url in rows]

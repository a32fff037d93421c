"""Every page of every theme, looked at in Chromium; without `--all-pages`, the front pages only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.looks import AXE, looks
from tests.browser.view import PICTURE

if TYPE_CHECKING:
    from tests.browser.chromium import Chromium
    from tests.browser.looks import Look
    from tests.browser.sites import Site

    Looks = dict[tuple[str, str], Look]

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def seen(running: Chromium, sites: dict[str, Site], all_pages: bool) -> Looks:
    return looks(running, sites, whole=all_pages)


@pytest.mark.skipif(AXE is None, reason="PLANET_AXE does not say where axe.min.js of axe-core is")
def test_axe_finds_nothing(seen: Looks) -> None:
    assert {page: look.findings for page, look in seen.items() if look.findings} == {}


def test_nobody_else_is_asked_for_anything_but_pictures_in_posts(
    seen: Looks, sites: dict[str, Site]
) -> None:
    elsewhere = {
        (name, path, asked)
        for (name, path), look in seen.items()
        for asked in look.asked
        if asked not in sites[name]
    }

    assert {asked for _, _, asked in elsewhere} <= {PICTURE}
    assert all(b"pictures.example" in sites[name][path] for name, path, _ in elsewhere)


def test_nothing_is_waited_for_but_the_styles(seen: Looks) -> None:
    waited = {path.rpartition(".")[2] for look in seen.values() for path in look.blocking}

    assert waited == {"css"}


def test_no_page_scrolls_sideways_on_a_small_phone(seen: Looks) -> None:
    assert {page: look.wider for page, look in seen.items() if look.wider} == {}


def test_what_can_be_pressed_is_large_enough_for_a_thumb(seen: Looks) -> None:
    assert {page: look.small for page, look in seen.items() if look.small} == {}

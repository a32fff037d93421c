"""Take the pictures of docs/gallery.md and the README: `python -m tests.browser.pictures`.

They show a planet of invented posts (docs/gallery/posts.yaml) in each theme: on a wide screen by
day, and on a phone by night. Letters look as the fonts of the machine do.
"""

import io
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from zoneinfo import ZoneInfo

import yaml
from markdown_it import MarkdownIt
from msgspec.structs import replace
from PIL import Image
from playwright.sync_api import sync_playwright

from planet.cli.demo import serve_folder
from planet.config import ThemeSettings, load
from planet.report import Report
from planet.run.build import build
from planet.run.open import Scope, open_run
from tests.browser.chromium import View, find, launch
from tests.browser.gallery import THEMES, Site
from tests.docs import EXAMPLE_THEMES
from tests.processes import files

GALLERY: Final = Path(__file__).parents[2] / "docs/gallery"
NOW: Final = datetime(2026, 11, 20, 18, 30, tzinfo=UTC)
_ZONE: Final = ZoneInfo("Europe/London")
_MARKDOWN: Final = MarkdownIt("commonmark").enable("table")
_WIDE, _NARROW, _HEIGHT, _GAP = 1040, 375, 800, 24


def make_sites(folder: Path) -> Iterator[tuple[str, Site]]:
    """Build the planet of the gallery in each theme; yield the name of the theme and the site."""
    feeds, art = folder / "feeds", GALLERY / "art"
    feeds.mkdir()
    pictures = {
        f"https://pictures.example/{file.name}": file.read_bytes() for file in art.iterdir()
    }
    blogs = yaml.safe_load((GALLERY / "posts.yaml").read_text(encoding="utf-8"))
    for blog in blogs:
        (feeds / f"{blog['id']}.json").write_text(json.dumps(_make_feed(blog)), encoding="utf-8")
    with serve_folder(feeds) as port:
        address = f"http://127.0.0.1:{port}"
        settings = _SETTINGS | {
            "feeds": [
                {"url": f"{address}/{blog['id']}.json", "id": blog["id"], "tags": blog["tags"]}
                for blog in blogs
            ]
        }
        (folder / "config.yaml").write_text(json.dumps(settings), encoding="utf-8")
        config = load(folder / "config.yaml", environ={})
        for name, theme in {**dict.fromkeys(THEMES), **EXAMPLE_THEMES}.items():
            config = replace(config, theme=ThemeSettings(name=theme or name), output=folder / name)
            report = Report(started=NOW, feeds=len(blogs))
            with open_run(config, lambda: NOW) as run:
                build(config, run=run, scope=Scope(), report=report)
            yield name, files(folder / name) | pictures


_SETTINGS: Final[dict[str, Any]] = {
    "title": "Planet Longwave",
    "description": "Two dozen people who make, mend and notice things, and write it down.",
    "link": "https://longwave.example/",
    "language": "en-GB",
    "timezone": _ZONE.key,
    "owner": {"name": "Ada Osei"},
    "pages": {"search": False},
    "new_feed_entries": "all",
    "fetch": {"min_interval": "0s", "max_interval": "1s", "host_gap": "0s", "agreed": True},
}


def _make_feed(blog: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON Feed of a blog of posts.yaml."""
    home = f"https://{blog['id']}.example/"
    return {
        "version": "https://jsonfeed.org/version/1.1",
        "title": blog["source"],
        "home_page_url": home,
        "language": blog.get("language", "en"),
        "authors": [{"name": blog["author"]}] if "author" in blog else [],
        "items": [_make_item(post, home) for post in blog["posts"]],
    }


def _make_item(post: Mapping[str, Any], home: str) -> dict[str, Any]:
    at = datetime.fromisoformat(post["at"]).replace(tzinfo=_ZONE)
    sound = {"url": f"{home}episode.mp3", "mime_type": "audio/mpeg", "size_in_bytes": 38_000_000}
    if "minutes" in post:
        sound["duration_in_seconds"] = post["minutes"] * 60 + 20
    return {
        "id": f"{home}{at:%Y/%m/%d/%H%M}",
        "url": f"{home}{at:%Y/%m/%d/%H%M}",
        "title": post.get("title", ""),
        "date_published": at.isoformat(),
        "content_html": _MARKDOWN.render(post["text"]),
        "attachments": [sound] if "minutes" in post else [],
    }


def take_pictures(folder: Path) -> None:
    if find() is None:
        raise SystemExit("no Chromium on the PATH; Debian has it as chromium")
    with sync_playwright() as library, launch(library) as browser, TemporaryDirectory() as name:
        view = View(browser)
        for theme, site in make_sites(Path(name)):
            by_day = _take(view, site, _WIDE, "light")
            by_night = _take(view, site, _NARROW, "dark")
            both = Image.new("RGBA", (by_day.width + by_night.width + _GAP, by_day.height))
            both.paste(by_day)
            both.paste(by_night, (by_day.width + _GAP, 0))
            both.save(folder / f"{theme}.webp", lossless=True, quality=100)


def _take(view: View, site: Site, width: int, scheme: str) -> Image.Image:
    view.resize(width, _HEIGHT)
    view.emulate(scheme=scheme)
    view.show(site, "index.html")
    view.call(_WAIT)
    picture = Image.open(io.BytesIO(view.page.screenshot())).convert("RGB")
    # Of few colours: a third of the bytes, and letters stay sharp.
    few = picture.quantize(192, Image.Quantize.MAXCOVERAGE, kmeans=2, dither=Image.Dither.NONE)
    return few.convert("RGB")


# Pictures are loaded when they come into view.
_WAIT: Final = """() => Promise.all([...document.images]
  .filter((image) => image.getBoundingClientRect().top < innerHeight)
  .map((image) => image.decode()))"""


if __name__ == "__main__":
    take_pictures(GALLERY)

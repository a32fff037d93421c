"""A site's config and what it shows → its files, and a fingerprint of what it is made from."""

from __future__ import annotations

from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from planet import __version__
from planet.model import Edition, File, FileKind, fingerprint
from planet.model.secrets import Redactor
from planet.run.texts import Texts
from planet.site.pages import load_theme, render
from planet.site.publish import is_intact
from planet.timeline.assemble import settings_shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from planet.config import Config
    from planet.model import Contents, Feed, Podcast
    from planet.run.edition import SiteContent
    from planet.run.open import Run
    from planet.site.pages import Theme
    from planet.store import PublishedFile


def load_site_theme(config: Config) -> Theme:
    """Return the theme of a site, its options, and what lies beside the config.

    Raises:
        ThemeError: a file is missing or wrong; the message names it.
        ConfigError: there is no such theme, or it does not have one of the options, or not with
            that value; or a file of `pages/` is no page.
    """
    return load_theme(
        config.theme.name,
        place=config.theme.place,
        options=config.theme.options,
        site=config.path.parent,
    )


def config_hash(config: Config, theme: Theme, *, cleaning: str) -> str:
    """Return a fingerprint of a config; `cleaning` is the version of the cleaner.

    Raises:
        OSError: the file of a podcast's cover, or of a feed's picture, cannot be read.
    """
    return fingerprint(
        __version__,
        theme.fingerprint,
        theme.pages,
        cleaning,
        (config.title, config.link, config.description, config.owner),
        (config.language, config.timezone, config.pages, config.filters),
        # The theme itself says all that shows of it.
        replace(config.site, theme=None),
        (config.hub, config.repository, config.digest, config.podcast),
        _cover(config.podcast),
        *(replace(pick, place=None) for pick in config.picks),
        *map(_settings_published, config.feeds),
        # Of their pictures the bytes, wherever they are, for another may come under the same name.
        *((feed.key, feed.face.read_bytes()) for feed in config.feeds if feed.face),
    )


def hash_feeds(feeds: Iterable[Feed]) -> str:
    """Return a fingerprint of feeds, as far as pages show what is decided about them."""
    return fingerprint(*map(_settings_published, feeds))


def _settings_published(feed: Feed) -> tuple[object, ...]:
    """Return the settings of a feed that a file of the site may show, without secrets."""
    # The last two decide whether the site has feeds of it.
    return *settings_shown(feed), feed.links, bool(feed.transform), feed.needs_login


def _cover(podcast: Podcast) -> bytes | None:
    """Return the bytes of a cover that is a file: another may come under the same name."""
    return podcast.cover.read_bytes() if isinstance(podcast.cover, Path) else None


def site_files(
    content: SiteContent,
    *,
    config: Config,
    run: Run,
    theme: Theme,
    before: Mapping[str, PublishedFile],
) -> Iterator[File]:
    """Yield every file of a site, without secrets.

    `before` says what Planet left in the site's folder the last time.
    """
    # Entries have none; the operator's words and lists may. A word is left: it may be markup.
    secrets = tuple(
        (name, secret)
        for name, secret in run.redactor.secrets
        if len(secret.value) >= 8 and not secret.value.isalpha()
    )
    redactor = Redactor(secrets=secrets)
    # Imported here: a run whose site stays as it is does without them and their libraries.
    from planet.site.feeds import feed_files, health_file

    edition, pages, texts = content.edition, config.pages, Texts(config, run)
    files = [
        render(edition, theme=theme, pages=pages, contents=texts),
        feed_files(edition, pages=pages, contents=texts, cover=theme.cover, icon=theme.icon),
        content.pictures,
        [health_file(edition)],
    ]
    if pages.search:
        mask = redactor.redact
        files.append(
            index_files(edition, contents=texts, output=config.output, before=before, mask=mask)
        )
    for file in chain.from_iterable(files):
        yield replace(file, make=partial(_redact_file, file, redactor)) if secrets else file


def index_files(
    edition: Edition,
    *,
    contents: Contents,
    output: Path,
    before: Mapping[str, PublishedFile],
    mask: Callable[[bytes], bytes] = bytes,
) -> Iterator[File]:
    """Yield the files of the index; `before` says what Planet left in the folder the last time.

    `mask` takes secrets out of what is indexed.

    An index is made as a whole and takes seconds, so what is there is taken from there for as long
    as the same would come out.

    Raises:
        SearchError: it could not be made.
    """
    from planet.site import search

    mark = search.fingerprint_posts(edition)
    there = {path: old for path, old in before.items() if path.startswith(search.FOLDER)}
    entry = there.get(search.ENTRY)
    if entry is not None and entry.fingerprint == mark and is_intact(output, there):
        for path, old in there.items():
            yield _asset(path, old.fingerprint, (output / path).read_bytes)
        return
    for path, body in search.index(edition, contents, mask=mask).items():
        made_from = mark if path == search.ENTRY else fingerprint(body)
        yield _asset(path, made_from, partial(bytes, body))


def _asset(path: str, made_from: str, make: Callable[[], bytes]) -> File:
    return File(path=path, kind=FileKind.ASSET, fingerprint=made_from, make=make)


def _redact_file(file: File, redactor: Redactor) -> bytes:
    """Return a file without secrets, unless it is published to the byte."""
    data = file.make()
    return data if file.kind is FileKind.ASSET else redactor.redact(data)

"""A planet whose state is written by hand: what is known of its feeds, and a look at it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from planet.config import Config, load
from planet.config.edits import Places
from planet.explain.outcomes import Outcomes
from planet.model import NewEntry, Picks
from planet.store import Publication, Store
from tests.builders import NOW, make_profile, make_reading, make_state
from tests.stored import keep_reading


class Planet:
    """A config and a state; feeds are called by the `id` they have in the config."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "config.yaml"
        self.state = folder / "state"
        self.now = NOW

    def configure(self, *feeds: dict[str, Any], **settings: Any) -> None:
        """Write the config; a feed needs no more than an `id`."""
        said = [{"url": f"https://{feed['id']}.example/feed", **feed} for feed in feeds]
        self.write(yaml.safe_dump({"title": "The Planet", "feeds": said, **settings}))

    def write(self, text: str) -> None:
        """Write the config as it is."""
        self.path.write_text(text, encoding="utf-8")

    def config(self) -> Config:
        return load(self.path, environ={})

    def lists(self, key: str, *drafts: NewEntry, at: datetime | None = None, **known: Any) -> None:
        """A feed was read, and lists these entries now."""
        at = at or self.now
        said = {
            "profile": make_profile(title=key.title(), link=f"https://{key}.example/"),
            "attempted_at": at,
            "settled_at": at,
            "succeeded_at": at,
        }
        with Store.open(self.state) as store:
            state = make_state(key, **{**said, **known})
            keep_reading(store, state, make_reading(*drafts), now=at)
            store.keep(state)

    def offers(self, key: str, *drafts: NewEntry) -> None:
        """A feed of which only picks are shown lists these episodes now."""
        self.lists(key, *drafts, picks=Picks.ONLY)

    def published(self, released: datetime) -> None:
        """Its last site came out then."""
        site = self.site()
        last = Publication(config_hash="", entries=0, edition=site.site.folder, released=released)
        with Store.open(self.state) as store:
            store.publications.record(str(site.output.absolute()), last, {})

    @contextmanager
    def outcomes(self) -> Iterator[Outcomes]:
        config = self.config()
        with Store.look(self.state) as store:
            yield Outcomes(self.site(), config.feeds, store=store, now=self.now)

    def site(self) -> Config:
        """The config of the last of its sites."""
        return self.config().sites[-1]

    def places(self) -> Places:
        return Places(self.path)


@pytest.fixture
def planet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Planet:
    monkeypatch.chdir(tmp_path)
    return Planet(tmp_path.relative_to(tmp_path))

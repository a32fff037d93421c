"""What the file says of podcast feeds and of the digest, as written."""

# No `from __future__ import annotations`: pydantic reads the annotations when it is run.

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from planet import model
from planet.config.settings import kinds
from planet.config.settings.kinds import Section

_DIGEST = model.DigestTimes()


@dataclass(frozen=True, slots=True, kw_only=True)
class Podcast(Section):
    """What a podcast feed says of itself."""

    title: Annotated[
        kinds.Text | None,
        Field(description="What it is called; without, as the planet is, or the list."),
    ] = None
    description: Annotated[
        kinds.Text | None, Field(description="What it is about; without, as the planet says.")
    ] = None
    cover: Annotated[
        kinds.CoverFile | None,
        Field(
            description="Its image, square and 1400 to 3000 pixels wide: a file (JPEG or PNG), "
            "which is published with the site, or a web address. Without, the theme's."
        ),
    ] = None
    category: Annotated[
        kinds.Category,
        Field(
            description="One of the categories of Apple Podcasts, a subcategory after its "
            "category: `Arts > Books`."
        ),
    ] = model.Podcast().category


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest(Section):
    """A digest of what came since the one before, as a feed, a page, and a text to mail."""

    every: Annotated[model.Every, Field(description="How often.")] = _DIGEST.every
    at: Annotated[
        kinds.Clock,
        Field(description="The time of day in the planet's zone; the next run makes it."),
    ] = _DIGEST.at
    weekday: Annotated[
        model.Weekday, Field(description="With `every: week`, the day of the week.")
    ] = _DIGEST.weekday

"""What the file says of one of several editions, as written: None is as the planet has it."""

# No `from __future__ import annotations`: pydantic reads the annotations when it is run.

from dataclasses import dataclass
from datetime import time
from typing import Annotated

from pydantic import Field

from planet import model
from planet.config.settings import kinds
from planet.config.settings.feed import Filters
from planet.config.settings.kinds import Section
from planet.config.settings.theme import Theme


@dataclass(frozen=True, slots=True, kw_only=True)
class Release(Section):
    """When an edition brings out what was found since the last time, all of it together."""

    every: Annotated[model.Every, Field(description="How often.")] = model.Every.DAY
    at: Annotated[kinds.Clock, Field(description="The time of day in the edition's zone.")] = time()
    days: Annotated[
        kinds.OneOrMore[kinds.Day],
        Field(
            description="The days of the week; without, all of them, and with `every: week` monday."
        ),
    ] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition(Section):
    """One of several sites. What it does not say is as the planet has it."""

    title: Annotated[kinds.Text | None, Field(description="What it is called.")] = None
    description: Annotated[
        kinds.Text | None, Field(description="What it is about, in a sentence.")
    ] = None
    folder: Annotated[
        kinds.FilePath | None,
        Field(
            description="Where it is in the output folder; `.` is that folder itself. Without, "
            "it is called as the edition."
        ),
    ] = None
    link: Annotated[
        kinds.SiteAddress | None,
        Field(description="The address it is published at; without, the planet's with `folder`."),
    ] = None
    feeds: Annotated[
        kinds.OneOrMore[kinds.Text],
        Field(description="The feeds it shows: the `name`, `id` or address of each."),
    ] = ()
    tags: Annotated[
        kinds.OneOrMore[kinds.Text],
        Field(description="It shows the feeds with one of these tags. Without both, it shows all."),
    ] = ()
    filters: Annotated[
        Filters | None, Field(description="What is wanted, in place of the planet's `filters`.")
    ] = None
    language: Annotated[kinds.Language | None, Field(description="The language of its pages.")] = (
        None
    )
    timezone: Annotated[
        kinds.Zone | None, Field(description="Says when its days begin and end.")
    ] = None
    theme: Annotated[kinds.OrItsName[Theme] | None, Field(description="How it looks.")] = None
    release: Annotated[
        Release | None,
        Field(
            description="It brings out what is new at these times only, all of it together. "
            "Without, whenever something is found."
        ),
    ] = None

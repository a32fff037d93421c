"""What the file says of the theme, as written."""

# No `from __future__ import annotations`: pydantic reads the annotations when it is run.

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from planet.config.settings import kinds
from planet.config.settings.kinds import Section


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme(Section):
    """How the site looks."""

    name: Annotated[
        kinds.FilePath,
        Field(
            description="`default`, `classic` or `headlines`, which come with Planet, or a folder: "
            "`./mine`."
        ),
    ] = "default"
    options: Annotated[
        Mapping[str, kinds.Scalar],
        Field(description="What the theme lets be chosen; docs/themes.md has the options."),
    ] = field(default_factory=dict)

"""A config → how its site looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.render import load_theme

if TYPE_CHECKING:
    from planet.config import Config
    from planet.render import Theme


def theme_of(config: Config) -> Theme:
    """The theme of a site, with the options that were chosen, and what lies beside the config.

    Raises:
        ThemeError: a file is missing or wrong; the message names it.
        ConfigError: there is no such theme, or it does not have one of the options, or not with
            that value.
    """
    return load_theme(
        config.theme,
        place=config.theme_place,
        options=config.theme_options,
        site=config.path.parent,
    )

"""A first config, for `planet init`: short, commented, and right as it stands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from planet.config.yaml import written
from planet.project import address

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planet.config.opml import Outline


_TEXT = """\
# yaml-language-server: $schema=SCHEMA
#
# A planet: `planet check` finds mistakes in this file, `planet build` makes the site.
# Every setting is described in docs/config.md and shown in config.example.yaml.

title: My Planet
# The address the site will be published at; feed readers need it.
# link: https://planet.example.org/
# description: What we write
# owner: {name: Ada, url: "https://ada.example.org/"}
language: en
timezone: UTC

# fetch:
#   contact: https://ada.example.org/me  # told to every publisher, in place of about/ of the site

feeds:
"""

_FEEDS = """\
  # A feed is an address, or an address with settings of its own.
  - https://blog.python.org/rss.xml
  - url: https://www.debian.org/News/news
    name: Debian News
    tags: [debian]
    # filters: {exclude: [sponsored], recent: 5}
"""


def starter(feeds: Sequence[Outline] = ()) -> str:
    """The text of a config that subscribes to these feeds, or to two well-known ones."""
    text = _TEXT.replace("SCHEMA", address("Config schema"))
    if not feeds:
        return text + _FEEDS
    lines = re.sub(r"^(?=.)", "  ", written([feed.settings for feed in feeds]), flags=re.MULTILINE)
    # What a list says must not be able to ask for a secret of the environment.
    return text + lines.replace("${", "$ {")

"""A first theme of one's own, for `planet init --theme`: small, commented, and right as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_TOML = """\
name = "My theme"
description = "How my planet looks."
version = "0.1"

# What is not in this folder is taken from this theme: default, classic or headlines.
extends = "default"

# What can be chosen in the config, each with its default:
#
#   theme: {name: ./my-theme, options: {welcome: "Good to see you."}}
#
# The kind of the default is the kind it has to be: a text, true or false, a number, or, for a list
# of texts, one of these, of which the first is the default. In a template: options.welcome
[options]
welcome = ""
"""

_BASE = """\
{#
  The frame of every page. A template in this folder stands before the one of the same name in the
  theme that is extended; "!theme/base.html" is that one. It has these blocks to fill:

    head    more for the <head>
    main    what the page is about; the template of each page fills it
    aside   beside or below that
    footer  the first lines of the footer

  docs/themes.md tells every variable; `planet check` finds those that are not there.
#}
{% extends "!theme/base.html" %}
{% block head %}
<link rel="stylesheet" href="{{ page.root }}own.css">
{% endblock %}
"""

_FRONT = """\
{# The front page: the same as below, with the option of theme.toml above it. #}
{% extends "!theme/front.html" %}
{% block main %}
{% if options.welcome %}
<p class="lead">{{ options.welcome }}</p>
{% endif %}
{{ super() }}
{% endblock %}
"""

_CSS = """\
/* Read after style.css of the theme that is extended, so that what is here goes before it. */
:root {
  --accent: #0b6e4f;
  --link: #0b5394;
}

@media (prefers-color-scheme: dark) {
  :root {
    --accent: #6fd3a8;
    --link: #8ab8f0;
  }
}
"""

SEED: Mapping[str, str] = {
    "theme.toml": _TOML,
    "templates/base.html": _BASE,
    "templates/front.html": _FRONT,
    "static/own.css": _CSS,
}
"""The text of each file, by its path in the theme's folder."""

"""What one would write in an evening: the yardstick of the benchmarks.

`python plain_script.py ADDRESSES FOLDER` asks every address in a file for its feed and writes
FOLDER/index.html with the newest entries. Every library is used as its manual shows it.
"""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import feedparser  # type: ignore[import-untyped]  # it has no types
from jinja2 import Environment
from requests_cache import CachedSession

TEMPLATE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{{ title }}</title></head>
<body>
<h1>{{ title }}</h1>
{% for day, entries in entries|groupby("day")|reverse %}
<h2>{{ day }}</h2>
{% for entry in entries %}
<article>
<h3><a href="{{ entry.link }}">{{ entry.title }}</a></h3>
<p>{{ entry.source }}</p>
{{ entry.content|safe }}
</article>
{% endfor %}
{% endfor %}
</body>
</html>
"""


def main(addresses: list[str], folder: Path) -> None:
    """Ask, parse, merge, write."""
    session = CachedSession(folder / "cache.sqlite", cache_control=True, expire_after=0)
    session.headers["User-Agent"] = "plain-script/1.0"

    def entries_of(address: str) -> list[dict[str, Any]]:
        response = session.get(address, timeout=30)
        response.raise_for_status()
        parsed = feedparser.parse(response.content)
        return [
            {
                "title": entry.title,
                "link": entry.link,
                "content": entry.summary,
                "source": parsed.feed.title,
                "when": entry.published_parsed,
                "day": time.strftime("%Y-%m-%d", entry.published_parsed),
            }
            for entry in parsed.entries
        ]

    with ThreadPoolExecutor(20) as pool:
        entries = [entry for entries in pool.map(entries_of, addresses) for entry in entries]
    entries.sort(key=lambda entry: entry["when"], reverse=True)
    page = Environment(autoescape=True).from_string(TEMPLATE)
    html = page.render(title="Plain", entries=entries[:100])
    (folder / "index.html").write_text(html, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]).read_text(encoding="utf-8").split(), Path(sys.argv[2]))

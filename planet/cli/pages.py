"""What `planet init --github-pages` writes beside a config: workflows, and what they need.

The files themselves lie in `planet/starter`, as they are written but for a few words.
"""

from __future__ import annotations

import json
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Final

import planet

if TYPE_CHECKING:
    from collections.abc import Mapping

_STARTER: Final = Path(planet.__file__).parent / "starter"
_WRITTEN: Final = {
    ".github/ISSUE_TEMPLATE/pick.yml": "pick-form.yml",
    ".github/actions/planet/action.yml": "action.yml",
    ".github/dependabot.yml": "dependabot.yml",
    ".github/workflows/check.yml": "check.yml",
    ".github/workflows/pick.yml": "pick.yml",
    ".github/workflows/publish.yml": "publish.yml",
}
_PROJECT: Final = "planet-digest"

IGNORED: Final = ("/state/", "/public/")
"""What does not belong into the planet's repository, as lines of `.gitignore`."""


def files(*, config: str, minute: int) -> Mapping[str, str]:
    """The text of each file, by its path from the config's folder.

    `config` is the name of the config file, `minute` that of each hour in which the planet looks.
    """
    texts = {
        path: (_STARTER / name)
        .read_text(encoding="utf-8")
        .replace("config.yaml", config)
        .replace('cron: "17 * * * *"', f'cron: "{minute} * * * *"')
        for path, name in _WRITTEN.items()
    }
    return {"requirements.txt": f"{requirement(_origin())}\n", **texts}


def minute_for(folder: Path) -> int:
    """A minute of the hour: always the same for a folder, and none that many others take."""
    # At the full hour everybody's runs begin; then GitHub starts them late, or leaves them out.
    quiet = [minute for minute in range(60) if minute % 5]
    return quiet[int(sha256(bytes(folder.resolve())).hexdigest(), 16) % len(quiet)]


def requirement(origin: str | None) -> str:
    """What pip has to install to get the Planet that is running here.

    `origin` is what pip wrote down about where it comes from (PEP 610): None when that was a
    package index. What was installed from a folder can be had nowhere else, and is named by its
    version.
    """
    said = json.loads(origin) if origin else {}
    if "vcs_info" in said:
        source = f"{said['vcs_info']['vcs']}+{said['url']}@{said['vcs_info']['commit_id']}"
        return f"{_PROJECT} @ {source}"
    return f"{_PROJECT}=={planet.__version__}"


def _origin() -> str | None:
    try:
        return metadata.distribution(_PROJECT).read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return None

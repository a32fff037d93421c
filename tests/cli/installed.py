"""A machine on which Planet was installed in one way or another, with libraries of few lines."""

import json
from dataclasses import dataclass
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from zipfile import ZipFile

import pytest

NEEDS = """\
Requires-Dist: Inner.Harbour<3,>=2
Requires-Dist: boats; sys_platform == 'plan9'
Requires-Dist: cleaner<0.4,>=0.3
Requires-Dist: lookup>=1; extra == 'search'
"""
_ADDRESSES = "".join(
    f"Project-URL: {line}\n"
    for line in metadata.metadata("planet-digest").get_all("Project-URL") or ()
)
COMMIT = "ab" * 20
GIT = {"vcs": "git", "commit_id": COMMIT, "requested_revision": "main"}
INDEX: dict[str, object] = {}
REPOSITORY = {"url": "https://github.com/ada/planet", "vcs_info": GIT}
HERE = {"url": "file:///home/ada/planet", "dir_info": {}}
"""What pip notes about where Planet comes from."""
ITS_FILES = {
    "planet_digest-0.1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nTag: py3-none-any\n",
    "planet_digest-0.1.0.dist-info/INSTALLER": "pip\n",
    "planet/__init__.py": "",
    "planet/starter/pick.yml": "on: {}\n",
    "planet/__pycache__/__init__.cpython-311.pyc": "compiled",
    "../bin/planet": "#!/home/ada/venv/bin/python\n",
}


@dataclass(frozen=True, kw_only=True)
class Machine:
    """Where Planet and what it needs are installed, and where pip finds the like."""

    installed: Path
    shelf: Path

    def install(self, name: str, version: str, more: str = "") -> Path:
        """Have something installed; its metadata."""
        info = self.installed / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir(parents=True)
        head = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        (info / "METADATA").write_text(head + more)
        return info

    def install_planet(self, origin: object) -> None:
        info = self.install("planet-digest", "0.1.0", f"{NEEDS}{_ADDRESSES}")
        for path, text in ITS_FILES.items():
            file = self.installed / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        rows = [f"{path},," for path in (*ITS_FILES, f"{info.name}/METADATA")]
        (info / "RECORD").write_text("\n".join(rows))
        if origin:
            (info / "direct_url.json").write_text(json.dumps(origin))

    def offer(self, name: str, version: str, more: str = "", tag: str = "py3-none-any") -> str:
        """Have pip find a wheel; its hash."""
        info = f"{name}-{version}.dist-info"
        path = self.shelf / f"{name}-{version}-{tag}.whl"
        texts = {
            f"{name}/__init__.py": "",
            f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{more}",
            f"{info}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n",
        }
        with ZipFile(path, "w") as wheel:
            for inside, text in texts.items():
                wheel.writestr(inside, text)
            wheel.writestr(f"{info}/RECORD", "".join(f"{inside},,\n" for inside in texts))
        return sha256(path.read_bytes()).hexdigest()


def new_machine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """One where what Planet needs is installed, and Planet is to be."""
    machine = Machine(installed=folder / "installed", shelf=folder / "shelf")
    machine.shelf.mkdir()
    machine.install(
        "inner-harbour", "2.1", "Requires-Dist: sand\nRequires-Dist: pier[deep] (>=1)\n"
    )
    machine.install("pier", "1.5", 'Requires-Dist: sand ; extra == "deep"\n')
    machine.install("sand", "1")
    monkeypatch.syspath_prepend(machine.installed)
    monkeypatch.setenv("PIP_FIND_LINKS", str(machine.shelf))
    return machine

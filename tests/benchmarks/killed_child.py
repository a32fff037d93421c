"""Runs in a process that may be killed: `python -m tests.benchmarks.killed_child`.

Each line on stdin is a moment and a folder: the planet that is configured there makes a run, as if
it were then. `ready` on stdout says that the next line may come. It ends when stdin does.
"""

import sys
from datetime import datetime
from pathlib import Path


def main() -> None:
    # Not above: the processes of a run import this module, too, and need none of it.
    import yaml

    from tests.whole.conftest import Planet

    print("ready", flush=True)
    for line in sys.stdin:
        moment, _, folder = line.rstrip("\n").partition(" ")
        a_planet = Planet(Path(folder))
        a_planet.settings = yaml.safe_load((a_planet.folder / "config.yaml").read_text("utf-8"))
        a_planet.now = datetime.fromisoformat(moment)
        a_planet.build()
        print("ready", flush=True)


if __name__ == "__main__":
    main()

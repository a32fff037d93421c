"""`python -m planet`."""

import sys

from planet.cli import main

if __name__ == "__main__":
    sys.exit(main())

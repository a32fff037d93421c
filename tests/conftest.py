"""What the whole suite needs to know.

With importlib mode pytest puts no folder on the path, so that `import planet` finds the installed
package. Functions that run in worker processes are found by module name: for them, the checkout
comes last.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

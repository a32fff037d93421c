"""Tables of cases. A row's first word is its name: which case of the test's sentence it is."""

from typing import Any

import pytest
from _pytest.mark import ParameterSet


def case(name: str, *values: Any) -> ParameterSet:
    return pytest.param(*values, id=name)


def cases(names: str, *rows: ParameterSet) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(names, rows)

"""Every way of cleaning has to pass the same tests."""

import pytest

from planet.text.html import Cleaning
from tests.text.cases import SANITIZERS


@pytest.fixture(params=SANITIZERS)
def cleaning(request: pytest.FixtureRequest) -> Cleaning:
    return Cleaning(sanitizer=request.param)

"""All scenarios, a module for each theme."""

from tests.conformance.notation import Scenario
from tests.conformance.scenarios import (
    bodies,
    crashes,
    errors,
    freshness,
    hosts,
    identity,
    ladders,
    redirects,
    rhythm,
    validators,
)

MODULES = (
    validators,
    freshness,
    rhythm,
    errors,
    ladders,
    redirects,
    bodies,
    hosts,
    crashes,
    identity,
)
SCENARIOS: tuple[Scenario, ...] = tuple(one for module in MODULES for one in module.SCENARIOS)

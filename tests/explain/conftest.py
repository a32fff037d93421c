"""A planet whose state is written by hand, as for the timeline."""

from tests.timeline.conftest import planet

__all__ = ["planet"]

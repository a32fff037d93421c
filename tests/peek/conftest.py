"""Feeds are read by the workers of all tests, as in whole runs."""

from tests.whole.conftest import shared

__all__ = ["shared"]

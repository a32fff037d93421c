"""Readers that come back, as for `planet.http`."""

from tests.http.conftest import hosts, outside, reader

__all__ = ["hosts", "outside", "reader"]

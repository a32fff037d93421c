"""Commands are called as in whole runs: in an empty folder, with the workers of all tests."""

from tests.whole.conftest import a_planet, folder, loopback_is_public, no_time_to_read, shared

__all__ = ["a_planet", "folder", "loopback_is_public", "no_time_to_read", "shared"]

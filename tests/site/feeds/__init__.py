"""The feeds that come out, read back by others than their writers."""

"""Prints `docs/politeness.md`."""

from tests.conformance.document import document

print(document(), end="")

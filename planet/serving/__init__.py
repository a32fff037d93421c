"""A site, shown to the operator on this machine, who picks episodes on its pages.

A request is a value, an answer is a value (`messages`). Whether a request may do what it asks is
decided first (`guard`), then a page is found (`pages`) or an episode picked; `preview` keeps the
site up to date meanwhile. The sockets are elsewhere: `planet/cli/loopback.py`.
"""

from planet.serving.messages import Answer, Request
from planet.serving.preview import Drawing, Preview, Wish

__all__ = ["Answer", "Drawing", "Preview", "Request", "Wish"]

"""Feed → Fetched: the network, politely. The only package that talks to it.

`Web.fetch` asks each feed once and never raises for what a server does: a failure is a value in
`Fetched.error`. Bodies and validators are on disk before a `Fetched` is handed out, so that a run
that is killed afterwards has lost nothing and need not ask again.
"""

from planet.fetch.cache import accepted_options
from planet.fetch.ledger import Ledger
from planet.fetch.session import open_session, user_agent
from planet.fetch.signing import Signer
from planet.fetch.web import Web

__all__ = ["Ledger", "Signer", "Web", "accepted_options", "open_session", "user_agent"]

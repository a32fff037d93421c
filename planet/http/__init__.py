"""Feed → Fetched: the network, politely. The only package that talks to it.

`Web.fetch` asks each feed once and never raises for what a server does: a failure is a value in
`Fetched.error`. Bodies and validators are on disk before a `Fetched` is handed out, so that a run
that is killed afterwards has lost nothing and need not ask again.

`read_page` brings a single page, such as one that a feed links to, for programs of operators.
"""

from __future__ import annotations

from planet.http.connection import check_environment
from planet.http.redirects import AddressResolver
from planet.http.request import AnswerRules, AnyAnswer
from planet.http.session import FeedSession
from planet.http.web import PollObserver, Web, make_user_agent, read_page

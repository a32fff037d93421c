"""Feed → Fetched: the network, politely. No other package talks to servers.

`Web.fetch` asks each feed once and never raises for an answer: a failure is a value in
`Fetched.error`. Bodies and validators are on disk before a `Fetched` is handed out: a run killed
afterwards has lost nothing and need not ask again.

`read_page` brings a single page for programs of operators, such as the page of an entry.
"""

from __future__ import annotations

from planet.http.redirects import AddressResolver
from planet.http.request import AnswerRules, AnyAnswer
from planet.http.session import FeedSession
from planet.http.web import PollObserver, Web, make_user_agent, read_page

"""A browser, as far as `planet serve` can tell one."""

from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection
from urllib.parse import urlencode

from tests.patience import PATIENCE

TOKEN = "a-secret"  # the one of the server in these tests


@dataclass(frozen=True)
class Said:
    """An answer, as it came."""

    status: int
    headers: dict[str, str]
    body: str


class Browser:
    """Asks one server, and says no more than it is told to."""

    def __init__(self, port: int) -> None:
        self.port = port

    def ask(
        self, method: str, path: str, headers: Mapping[str, str] | None = None, body: bytes = b""
    ) -> Said:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in (headers or {}).items():
                connection.putheader(name, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            return Said(answer.status, dict(answer.headers), answer.read().decode(errors="replace"))
        finally:
            connection.close()

    def get(self, path: str) -> Said:
        return self.ask("GET", path, {"Host": f"127.0.0.1:{self.port}"})

    def post(
        self, path: str = "/-/pick", body: bytes = b"", /, *, without: str = "", **changed: str
    ) -> Said:
        """Send the form of a page as a browser does; `changed` are fields, or headers with _."""
        fields = {"token": TOKEN, "episode": "0123456789"}
        headers = {
            "Host": f"127.0.0.1:{self.port}",
            "Origin": f"http://127.0.0.1:{self.port}",
            "Sec-Fetch-Site": "same-origin",
            "Referer": f"http://127.0.0.1:{self.port}/source/one/index.html",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        for name, value in changed.items():
            if name[0].isupper():
                headers[name.replace("_", "-")] = value.replace("PORT", str(self.port))
            else:
                fields[name] = value
        for each in (fields, headers):
            each.pop(without, None)
        body = body or urlencode(fields).encode()
        return self.ask("POST", path, {"Content-Length": str(len(body)), **headers}, body)

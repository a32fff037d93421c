"""Which answers may have a feed, and which are whole: `http` knows no format, and is told."""

from __future__ import annotations

import re

from planet.errors import FetchError

_BLANKS = b"\xef\xbb\xbf\xfe\xff\0 \t\r\n"
_EDGE = 1024
# A page begins with its root, a feed may have much before it, a page among that.
_PAGE = re.compile(
    rb"[%b]*+(?>(?:<!--.*?-->|<\?.*?\?>)\s*)*+<(?:!doctype\s+html|html)\b" % _BLANKS,
    re.IGNORECASE | re.DOTALL,
)
_ROOT = re.compile(rb"<((?:[a-z_][\w.-]*:)?(?:rss|feed|rdf))(?=[\s/>])", re.IGNORECASE)
_NO_FEEDS = ("image/", "video/", "audio/")
# Not octet-stream: servers that do not know feeds call them so.
_ARCHIVES = frozenset({"application/zip", "application/x-zip", "application/x-zip-compressed"})


class FeedAnswers:
    """The rules for answers that have a feed (`planet.http.AnswerRules`)."""

    accept = (
        "application/atom+xml, application/rss+xml, application/feed+json, "
        "application/rdf+xml;q=0.9, application/xml;q=0.8, text/xml;q=0.8, */*;q=0.5"
    )
    keeps_body = True

    def check_type(self, media_type: str) -> None:
        """See whether there may be a feed in what has this media type, which is in lower case.

        Raises:
            FetchError: there is none.
        """
        if media_type in _ARCHIVES or media_type.startswith(_NO_FEEDS):
            raise FetchError("not_a_feed", f"the server sends no feed, but {media_type[:40]!r}")

    def check_body(self, body: bytes, *, pages: bool) -> None:
        """See whether a body may be kept in place of the one before it.

        `pages` says whether a web page may be the feed.

        Raises:
            FetchError: it is a web page where a feed was: whoever put that there, what is known of
                the feed still holds.
        """
        if not pages and _PAGE.match(body) and not _ROOT.search(body):
            raise FetchError("not_a_feed", "this is a web page, not a feed")

    def breaks_off(self, body: bytes) -> bool:
        """Return whether a document has a beginning and no end."""
        root = _ROOT.search(body)
        if root is not None:
            # Its last character is lost more often than its last word.
            return body.rfind(b"</" + root[1]) < root.end()
        is_json = body[:_EDGE].lstrip(_BLANKS).startswith(b"{")
        return is_json and not body[-_EDGE:].rstrip(_BLANKS).endswith(b"}")

"""Which feeds a page names, and where a feed says that it is."""

from hypothesis import given

from planet.parse.discovery import Alternate, find_alternates, find_own_address
from tests.cases import case, cases
from tests.hostile import calm, texts

PAGE = "https://blog.example/posts/one.html"
RSS, ATOM = "application/rss+xml", "application/atom+xml"


def link(href: str, media_type: str = RSS, **more: str) -> str:
    attributes = {"rel": "alternate", "type": media_type, "href": href, **more}
    written = " ".join(f'{name}="{value}"' for name, value in attributes.items())
    return f"<link {written}>"


def named(page: str, **changes: str) -> list[str]:
    return [
        alternate.url for alternate in find_alternates(page.encode(), **{"url": PAGE, **changes})
    ]


@cases(
    "page, urls",
    case("absolute", link("https://a.example/f"), ["https://a.example/f"]),
    case("relative", link("feed"), ["https://blog.example/posts/feed"]),
    case("of the same scheme", link("//b.example/f"), ["https://b.example/f"]),
    case(
        "from a base",
        f"{link('feed')}<base href='/blog/'><base href='/no/'>",
        ["https://blog.example/blog/feed"],
    ),
    case(
        "from a base elsewhere",
        f"<base href='https://cdn.example/x/'>{link('../f')}",
        ["https://cdn.example/f"],
    ),
    case(
        "capitals, without quotes",
        "<HTML><LINK REL=Alternate TYPE=APPLICATION/RSS+XML HREF=/f></HTML>",
        ["https://blog.example/f"],
    ),
    case(
        "references, parameters, several relations",
        "<link\n href='/f?a=1&amp;b=2' type='application/rss+xml; charset=utf-8' "
        "rel='home alternate'/>",
        ["https://blog.example/f?a=1&b=2"],
    ),
    case(
        "what is no reference in an attribute",
        link("/f?a=1&copy=2&not3"),
        ["https://blog.example/f?a=1&copy=2&not3"],
    ),
    case("in a comment", f"<!-- {link('/no')} -->", []),
    case("in a script", f"<script>'{link('/no')}'</script>", []),
    case("in a style", f"<style>{link('/no')}</style>", []),
    case("another kind", link("/oembed", "application/json+oembed"), []),
    case("another language", "<link rel=alternate hreflang=de href=/de>", []),
    case("another relation", "<link rel=stylesheet type=text/xml href=/s>", []),
    case("no web address", link("javascript:alert(1)"), []),
    case("twice", link("/f") * 2, ["https://blog.example/f"]),
    case(
        "Atom before what may be anything",
        link("/json", "application/json") + link("/x", "text/xml") + link("/f", ATOM),
        [f"https://blog.example/{name}" for name in ("f", "x", "json")],
    ),
    case(
        "the blog's own before its comments",
        link("/comments/feed/", title="Blog &raquo; Comments Feed") + link("/feed/"),
        ["https://blog.example/feed/", "https://blog.example/comments/feed/"],
    ),
    case(
        "any feed before comments",
        link("/k", ATOM, title="Kommentare") + link("/j", "application/feed+json"),
        ["https://blog.example/j", "https://blog.example/k"],
    ),
    case("too late", f"<body><p>x</body>{link('/f')}", ["https://blog.example/f"]),
    case("marked", f"<![CDATA[ <p> ]]>{link('/f')}", ["https://blog.example/f"]),
    case("cut off", f"{link('/f')}<link rel=alternate", ["https://blog.example/f"]),
    case("nothing", "", []),
)
def test_a_page_names_its_feeds(page: str, urls: list[str]) -> None:
    assert named(page) == urls


def test_a_feed_on_a_page_has_a_title_in_plain_text() -> None:
    page = link("/f", title="A &lt;b&gt;fine\n blog&lt;/b&gt;\u202e").encode("utf-16")

    assert find_alternates(page, url=PAGE) == (
        Alternate(url="https://blog.example/f", title="A <b>fine blog</b>", media_type=RSS),
    )


@cases(
    "feed, own",
    case(
        "RSS",
        "<rss><channel><atom:link href='https://a.example/f' rel='self'/></channel></rss>",
        "https://a.example/f",
    ),
    case(
        "Atom, relative",
        "<feed><link href='/'/><link rel='self' href='feed'/></feed>",
        "https://blog.example/posts/feed",
    ),
    case("JSON Feed", '{"feed_url": "https://a.example/f"}', "https://a.example/f"),
    case("a number", '{"feed_url": 5}', None),
    case("broken JSON", '{"feed_url": ', None),
    case("nothing said", "<rss><channel/></rss>", None),
    case("of an entry", "<feed><entry><link rel='self' href='/no'/></entry></feed>", None),
    case("not of the web", "<feed><link rel='self' href='file:///etc/x'/></feed>", None),
)
def test_a_feed_says_where_it_is(feed: str, own: str | None) -> None:
    assert find_own_address(feed.encode(), url=PAGE) == own


@calm
@given(texts)
def test_whatever_a_page_holds_only_web_addresses_come_out(text: str) -> None:
    body = f"{text}{link('/f')}<link rel=alternate type={RSS} href='{text}'>".encode(
        errors="ignore"
    )

    urls = [alternate.url for alternate in find_alternates(body, url=PAGE)]

    assert all(url.startswith(("http://", "https://")) for url in urls)

"""Who asks, and all that is not asked for besides."""

from planet import __version__
from tests.conformance import bodies
from tests.conformance.answers import drops, live, ok, same, speaks, status
from tests.conformance.notation import FEED, H, M, Scenario, after, bare, failing, tag

PAGE = b"""<!doctype html><html><head><title>Home</title><link rel="icon" href="/favicon.ico">
<link rel="alternate" type="application/rss+xml" href="/feed.xml">
<meta http-equiv="refresh" content="0; url=/elsewhere"></head><body><img src="/a.png">
</body></html>"""
RICH = bodies.FEED.replace(
    b"<item>",
    b"<link>/</link><image><url>/logo.png</url></image><cloud domain='/cloud' port='80'/>"
    b"<link xmlns='http://www.w3.org/2005/Atom' rel='hub' href='/hub'/>"
    b"<link xmlns='http://www.w3.org/2005/Atom' rel='next' href='/page2'/>"
    b"<item><title>First</title><guid isPermaLink='false'>1</guid><link>/first</link>"
    b"<description>&lt;img src='/a.png'&gt;&lt;iframe src='/b'&gt;</description>"
    b"<enclosure url='/a.mp3' length='1' type='audio/mpeg'/><comments>/talk</comments></item>"
    b"<item>",
    1,
)

SCENARIOS = (
    Scenario(
        "R46 gives back no cookie",
        [ok('"1"', set_cookie="id=1; Path=/"), same(set_cookie="id=2")],
        [bare, tag('"1"'), tag('"1"')],
    ),
    Scenario(
        "R46 carries no cookie from one feed of a server to another",
        {"/one": [ok('"1"', set_cookie="id=1; Path=/")], "/two": [ok('"2"', set_cookie="id=2")]},
        {"/one": [bare, tag('"1"')], "/two": [bare, tag('"2"')]},
        feeds=["/one", "/two"],
    ),
    Scenario(
        "R46 names the operator's own page where there is one",
        [live('"1"')],
        [bare.with_header("user-agent", f"Planet/{__version__} (+https://planet.example/about)")],
        fetch={"contact": "https://planet.example/about"},
    ),
    Scenario(
        "R46 asks for an address as it is written, query and all",
        {"/Feed%2Fa~b/?z=1&a=%20&utm_source=x&a=&%66=%E9;": [live('"1"')]},
        {"/Feed%2Fa~b/?z=1&a=%20&utm_source=x&a=&%66=%E9;": [bare, tag('"1"')]},
        feeds=["/Feed%2Fa~b/?z=1&a=%20&utm_source=x&a=&%66=%E9;"],
    ),
    Scenario(
        "R46 introduces itself in the same way when it is refused",
        [status(403, body=b"<title>Just a moment</title>")],
        [bare, failing(4 * H, bare)],
    ),
    Scenario(
        "R47 asks for nothing that a feed speaks of: no articles, pictures, files or hubs",
        [ok('"1"', body=RICH, link="</x.css>; rel=preload"), same()],
        [bare, after(H, tag('"1"'))],
    ),
    Scenario(
        "R47 asks for nothing that a page speaks of: no icon, no feed, no next page",
        [ok('"1"', body=PAGE, refresh="0; url=/elsewhere"), same()],
        [bare, failing(H, tag('"1"'))],
    ),
    Scenario(
        "R24 sends one request in a run, whatever comes of it",
        {f"/{code}": [status(code)] for code in (400, 401, 404, 406, 415, 500, 503)},
        {f"/{code}": [bare] for code in (400, 401, 404, 406, 415, 500, 503)},
        feeds=[f"/{code}" for code in (400, 401, 404, 406, 415, 500, 503)],
        lasts=30 * M,
    ),
    *(
        Scenario(
            "R24 sends it once more over a new connection when a kept one ended before the answer "
            f"began, {said}",
            {"/one": [live('"1"')], "/two": [drops(), answer]},
            {"/one": [bare], "/two": [bare, bare]},
            feeds=[{"url": "/one", "priority": 1}, "/two"],
            connections=2,
            lasts=30 * M,
        )
        for said, answer in (("and gets it", live('"2"')), ("and no more than once", drops()))
    ),
    Scenario(
        "R24 does not send it once more when a new connection ends so",
        [drops(), live('"1"')],
        [bare],
        lasts=30 * M,
    ),
    Scenario(
        "R24 does not send it once more when a part of the answer came",
        {"/one": [live('"1"')], "/two": [speaks(b"H"), live('"2"')]},
        {"/one": [bare], "/two": [bare]},
        feeds=[{"url": "/one", "priority": 1}, "/two"],
        connections=1,
        lasts=30 * M,
    ),
    Scenario(
        "R24 does not look for robots.txt, or whether the server is there",
        {FEED: [live('"1"')]},
        {FEED: [bare]},
        lasts=30 * M,
    ),
)

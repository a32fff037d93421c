"""Pictures that belong to posts: on the page with the words, as the operator wants images."""

import re

from tests.cases import case, cases
from tests.server import Server
from tests.whole.conftest import Planet, rss

MEDIA = (
    '<media:content url="https://cdn.example/{0}.jpg" type="image/jpeg" medium="image">'
    '<media:description type="plain">{1}</media:description></media:content>'
)
PHOTOS = MEDIA.format("one", "A red boat") + MEDIA.format("two", "Its crew")
FILES = (
    '<enclosure url="https://cdn.example/two.jpg" type="image/jpg" length="7"/>'
    '<enclosure url="https://cdn.example/three.jpg" type="image/jpg" length="7"/>'
    '<enclosure url="https://cdn.example/song.mp3" type="audio/mpeg" length="7"/>'
)


def photo_blog(*titles: str) -> bytes:
    body = rss(*titles).decode()
    body = body.replace("<rss ", "<rss xmlns:media='http://search.yahoo.com/mrss/' ", 1)
    return body.replace("</item>", f"{PHOTOS}{FILES}</item>").encode()


@cases(
    "images, tags, links",
    case("lazy", "lazy", 3, 2),
    case("linked", "linked", 0, 3),
    case("none", "none", 0, 2),
)
def test_all_pictures_of_a_post_are_shown_as_images_are(
    a_planet: Planet, server: Server, images: str, tags: int, links: int
) -> None:
    a_planet.settings["pages"] = {"images": images}
    a_planet.subscribe({"url": server.feed("/one", photo_blog("a")), "id": "one"})

    a_planet.build()

    page = a_planet.page("source/one/index.html")
    shown = page.partition('<div class="content e-content">')[2].partition("</article>")[0]
    assert re.findall(r"<img[^>]*>", shown) == [
        f'<img class="alone" src="https://cdn.example/{name}.jpg" alt="{alt}" loading="lazy">'
        for name, alt in (("one", "A red boat"), ("two", "Its crew"), ("three", ""))[:tags]
    ]
    assert shown.count("A red boat") == 1
    assert shown.count("Its crew") == 1
    assert len(re.findall(r'<a href="https://cdn.example/\w+.jpg"', shown)) == links
    assert not re.search(r"<a [^>]*></a>", shown), "a link says something"
    # What is left to be downloaded is the recording.
    assert re.findall(r'<div class="enclosure">\s*<(\w+)', shown) == ["audio"]
    assert "image/jpg" not in shown

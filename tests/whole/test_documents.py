"""The examples of documents, run as they stand there; their links; and all that templates see."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from planet.config import load
from planet.model import Pages, Picking
from planet.site.pages import load_theme
from planet.site.pages.drawing import Drawer
from planet.site.pages.listing import describe_site, list_pages
from planet.site.pages.nouns import Canvas, PageSpec
from planet.site.words import speak
from tests.docs import EXAMPLE_THEMES, blocks, page, section
from tests.server import Response, Server
from tests.site.editions import make_whole_edition
from tests.whole.conftest import DEMO, Planet, call, rss

COMMANDS = page("commands.md")
OF_A_PLANET = ("why", "preview", "check --online")
OF_LISTS = ("add", "remove", "import", "export")
SITE, HOME = "https://harbour-notes.example/feed", "https://blog.example/"


def shown(command: str) -> list[tuple[str, str]]:
    """The calls that the section about a command shows, each with what it prints."""
    console = "".join(blocks(section(COMMANDS, f"planet {command}"), "console"))
    return re.findall(r"^\$ planet (.*)\n((?:(?!\$ ).*\n)*)", console, re.MULTILINE)


def test_every_command_is_in_the_list_that_begins_the_page() -> None:
    listed = set(re.findall(r"`planet ([a-z]+)`", COMMANDS.partition("\n## ")[0]))

    commands = re.findall(r"^  (\w+)  ", call("--help").out.partition("Every day")[2], re.M)
    assert listed - {"help"} == {*commands, "schema"}


@pytest.mark.parametrize(
    ("command", "output"),
    [pytest.param(*each, id=each[0]) for command in OF_A_PLANET for each in shown(command)],
)
def test_a_command_says_what_the_page_says(
    folder: Path,
    a_planet: Planet,
    server: Server,
    command: str,
    output: str,
) -> None:
    feed = server.feed("/feed", (DEMO / "harbour-notes.xml").read_bytes(), etag='"1"')
    a_planet.subscribe({"url": feed, "id": "harbour-notes"})
    if not command.startswith("check"):  # which is shown as for a planet that is new
        a_planet.build()
    (config,) = (text for text in blocks(COMMANDS, "yaml") if text.startswith("title: Coast\n"))
    (folder / "config.yaml").write_text(config.replace(SITE, feed), encoding="utf-8")

    _, out, err = call(*shlex.split(command.replace(SITE, feed)))

    # But for what depends on the machine.
    texts = [(out + err).replace(feed, SITE), output]
    for pattern, word in {r"It is due: .*|It is asked again at .*": "", r"\d+ kB": "N kB"}.items():
        texts = [re.sub(pattern, word, text) for text in texts]
    assert texts[0] == texts[1]


def test_the_page_shows_what_commands_do_to_lists(folder: Path, server: Server) -> None:
    new, there = "https://new.example/feed", "https://there.example/feed"
    outlines = f'<outline text="There" xmlUrl="{there}"/>\n<outline text="New" xmlUrl="{new}"/>'
    files = {
        "config.yaml": f"title: T\nfetch:\n  host_gap: 0s\nfeeds:\n  - {there}\n",
        "friends.opml": f'<opml version="2.0">\n<body>\n{outlines}\n</body>\n</opml>\n',
        "config.ini": "[Planet]\nname = Ours\ncache_directory = cache\n"
        "link = https://planet.example/\n\n[http://one.example/feed]\nface = one.png\n"
        "facewidth = 64\nirc = ann\n\n[http://two.example/feed]\n\nfacewidth = 64\n",
    }
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")
    link = "<link rel=alternate type=application/rss+xml href="
    body = f"{link}feed>{link}comments title=Comments>".encode()
    home = server.script("/", Response(headers=(("Content-Type", "text/html"),), body=body))
    server.feed("/feed", rss("Low tide", "High tide", name="A harbour blog"))
    seen = []

    for command in OF_LISTS:
        for words, printed in shown(command):
            _, out, err = call(*shlex.split(words.replace(HOME, home)))
            # What comes after it is advice, and told on the page in other words.
            assert (out + err).replace(home, HOME).startswith(printed), words
            seen.append(words.split()[0])
            if len(seen) == 1:
                call("fetch", "-q", "--feed", server.url("/feed"))

    assert seen == ["add", "add", "remove", "import", "import", "export"]


MOVING = {
    "config.ini": "[Planet]\nname = P\nlink = https://p.example/\n[{feed}]\nname = One\n",
    "planet.ini": "title = P\n[one]\ntitle = One\nfeed = {feed}\n",
    "feeds.txt": "# ours\n{feed}\n",
    "feeds.opml": (
        '<opml version="2.0"><head><title>P</title></head><body>'
        '<outline text="One" xmlUrl="{feed}"/></body></opml>'
    ),
}
"""For each file that docs/moving.md takes over, one like it."""
IMPORTS = re.findall(r"^planet (import .*)$", page("moving.md"), re.MULTILINE)


@pytest.mark.parametrize("command", IMPORTS)
def test_a_config_taken_over_makes_a_site(command: str, folder: Path, server: Server) -> None:
    address = server.feed("/one", rss("a"))
    name = command.split()[-1]
    Path(name).write_text(MOVING[name].format(feed=address), encoding="utf-8")

    imported = call(*command.split()).code
    (feed,) = load(folder / "config.yaml", environ={}).feeds

    assert (imported, feed.name or "One", feed.url) == (0, "One", address)
    assert call("build").code == 0
    assert "One" in Path("public/index.html").read_text(encoding="utf-8")


def test_a_readme_shows_how_to_begin() -> None:
    readme = page("../README.md")

    begin, test = blocks(readme, "console")
    environment = "python3 -m venv venv && . venv/bin/activate\n"
    assert begin == f"{environment}pip install . && planet demo\n"
    assert test == "pip install '.[test]' && pytest\n"
    assert "](docs/start.md)" in readme


# `docs/templates.md` says what templates see: all of it, and nothing else

ROOT = Path(__file__).parents[2]
DOCS = page("templates.md")
EDITION, PAGES = make_whole_edition(), Pages(picking=Picking.FORM, search=True)
THEME = load_theme("classic")
SITE_DOCS = describe_site(EDITION, PAGES, THEME)
BY_KIND = {one.page.kind: one for one in list_pages(EDITION, PAGES, THEME, SITE_DOCS)}


def variables(kind: str) -> dict[str, Any]:
    """What the template of a kind of page is given."""
    return Canvas(BY_KIND[kind], SITE_DOCS, lambda numbers: {}).variables()


def nouns() -> dict[str, object]:
    """One of each noun, by its heading in the documentation."""
    front = variables("front")
    return {
        "Site": SITE_DOCS,
        "Page": front["page"],
        "Feed": front["page"].feeds[0],
        "Post": front["posts"][0],
        "Source": front["posts"][0].source,
        "Day": front["days"][0],
        "Pick": variables("podcast")["posts"][0].pick,
        "Link": variables("links")["links"][0],
    }


INSIDE = {
    "Site": {"local"},
    "Feed": {"of", "folder", "name", "hint", "count", "index"},
    "Day": {"count", "index"},
    "Pick": {"count", "index"},
}
"""What a noun has besides, of which templates have no need."""


@pytest.mark.parametrize("heading", nouns())
def test_every_attribute_of_a_noun_is_documented_and_no_other(heading: str) -> None:
    noun = nouns()[heading]
    said = section(DOCS, heading)
    names = {name for name in dir(noun) if name[0] != "_"} - INSIDE.get(heading, set())

    first = {name for line in re.findall(r"^- (.+?)(?::|$)", said, re.M) for name in _names(line)}

    assert names - _names(said) == set()
    assert first - names == set()


def _names(text: str) -> set[str]:
    return set(re.findall(r"`(\w+)`", text))


@pytest.mark.parametrize("one", BY_KIND.values(), ids=BY_KIND)
def test_what_a_template_is_given_is_documented(one: PageSpec) -> None:
    items = re.split(r"^- ", section(DOCS, "Each template besides"), flags=re.MULTILINE)
    (said,) = (item for item in items if f"`{one.page.kind}.html`" in item.partition(": ")[0])

    assert one.values.keys() <= _names(said)


def test_the_page_names_every_template_its_blocks_and_the_classes_of_a_post() -> None:
    files = {path.name: path for path in (ROOT / "themes/default/templates").glob("*.html")}
    texts = {name: path.read_text(encoding="utf-8") for name, path in files.items()}
    post = " ".join(re.findall(r'class="((?:{{.*?}}|{%.*?%}|[^"{])*)"', texts["entry.html"]))
    classes = {name for name in _plain(post).split() if not re.match(r"(p|u|dt|e)-", name)}
    said = section(DOCS, "Blocks and classes")

    assert {name for name in files if f"`{name}`" not in DOCS} == set()
    assert {*re.findall(r"{% block (\w+)", "".join(texts.values()))} - _names(said) == set()
    assert classes - _marked(said) == set()


def _marked(text: str) -> set[str]:
    return set(re.findall(r"`(\S+?)`", text))


def _plain(classes: str) -> str:
    """Classes without those that a template makes up as it is drawn."""
    return re.sub(r"\S*{{.*?}}[^\s{]*|{%.*?%}", " ", classes)


def test_every_filter_is_documented() -> None:
    said = _names(section(DOCS, "Filters")) | {"tint"}

    assert Drawer(THEME, SITE_DOCS).filters.keys() <= said


def test_every_word_that_is_called_is_documented() -> None:
    called = {name for name, word in vars(speak("en")).items() if callable(word)}
    lines = re.findall(r"^- With a n\w+: (.+)$", DOCS, re.MULTILINE)

    assert set(re.findall(r"`(\w+)\(", " ".join(lines))) == {
        name for name in called if name[0] != "_"
    }


def test_the_gallery_shows_every_theme_in_a_small_picture() -> None:
    pictures = re.findall(r"\]\((gallery/\w+\.webp)\)", page("gallery.md"))
    sizes = [(ROOT / "docs" / picture).stat().st_size for picture in pictures]

    shipped = {folder.name for folder in (ROOT / "themes").iterdir()}
    assert {*pictures} == {f"gallery/{name}.webp" for name in (shipped | EXAMPLE_THEMES.keys())}
    assert max(sizes) <= 80_000


# Every link of the documentation leads to a file, and to a heading of it

DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])


def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def anchors(page: Path) -> set[str]:
    """What GitHub calls the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    astray = []
    for link in re.findall(r'(?:\]\(|href=")(?!https?:)([^)"\s]+)', prose(page)):
        path, _, heading = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (heading and heading not in anchors(target)):
            astray.append(link)

    assert astray == []


def test_every_page_that_the_program_and_its_files_name_is_there() -> None:
    kinds = ("planet/**/*.py", "planet/starter/**/*.*", "template/**/*.*", "*.yaml", "*.yml")
    files = {file for kind in kinds for file in ROOT.glob(kind) if file.is_file()}
    texts = [file.read_text(encoding="utf-8") for file in files]

    named = re.compile(r"(?:docs/|DOCUMENTATION/|documentation\(.)([\w-]+\.md)")
    pages = {name for text in texts for name in named.findall(text)}

    assert "politeness.md" in pages
    assert pages - {file.name for file in (ROOT / "docs").glob("*.md")} == set()

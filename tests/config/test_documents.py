"""What tells people about settings: the schema, the reference and the example keep up."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it ships no types
import pytest
import yaml

from docs.config_page import reference
from docs.config_schema import json_schema
from planet import project_address
from planet.config import Config, load
from planet.model.secrets import Secret
from tests.cases import case, cases
from tests.config.files import loaded
from tests.config.images import frame, jpeg

KEY = "-----BEGIN PRIVATE KEY-----\nthree\n-----END PRIVATE KEY-----\n"
ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "config.example.yaml"
SCHEMA = json_schema()
Schema = dict[str, Any]


def settings_in(schema: Schema, location: tuple[str, ...]) -> dict[str, Schema]:
    """The settings that may stand at a place of the file, each with its schema."""
    part, found = schema, _settings(schema, schema)
    for step in location:
        # What has a name of the operator's own is the same under every name.
        named = list(part.get("patternProperties", {}).values())
        inner = found[step] if step in found else named[0] if named else None
        if isinstance(step, str) and inner is not None:
            part, found = inner, _settings(schema, inner)
    return found


def _settings(schema: Schema, part: Schema) -> dict[str, Schema]:
    """The properties of a part of the schema, or of the items of a list."""
    if "$ref" in part:
        return _settings(schema, schema["definitions"][part["$ref"].rpartition("/")[2]])
    found: dict[str, Schema] = dict(part.get("properties", {}))
    for inner in (each for key in ("allOf", "anyOf", "oneOf") for each in part.get(key, ())):
        found |= _settings(schema, inner)
    if "items" in part:
        found |= _settings(schema, part["items"])
    return found


def all_on(text: str) -> str:
    """The example with the settings that are switched off switched on: "#setting" → "setting"."""
    return re.sub(r"^(\s*)#(?! [^ ])(?=.)", r"\1", text, flags=re.MULTILINE)


def settings(trail: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The trails of all settings there are."""
    below = [(*trail, name) for name in settings_in(SCHEMA, trail)]
    return [*below, *(setting for each in below for setting in settings(each))]


def alike(trail: tuple[str, ...]) -> tuple[str, ...]:
    """A setting by its name and those beside it: the filters of a feed are those of the planet."""
    return (trail[-1], *settings_in(SCHEMA, trail[:-1]))


def named(value: Any, trail: tuple[str, ...]) -> bool:
    """Whether a setting is given somewhere in what was read from a file."""
    if isinstance(value, list):
        return any(named(each, trail) for each in value)
    if not trail:
        return True
    return isinstance(value, dict) and trail[0] in value and named(value[trail[0]], trail[1:])


@pytest.fixture(scope="module")
def example() -> Config:
    return load(EXAMPLE, environ={})


def test_the_schema_in_the_repository_is_current() -> None:
    written = json.loads((ROOT / "config.schema.json").read_text())

    assert written == SCHEMA


def test_the_reference_in_the_repository_is_current() -> None:
    written = (ROOT / "docs/config.md").read_text()

    assert written == reference()


def test_the_schema_is_one_of_draft_07() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)

    assert SCHEMA["$schema"] == "http://json-schema.org/draft-07/schema#"


def test_an_editor_finds_nothing_wrong_with_the_example() -> None:
    for text in (EXAMPLE.read_text(), all_on(EXAMPLE.read_text())):
        jsonschema.validate(yaml.safe_load(text), SCHEMA)


@cases(
    "wrong",
    case("nothing to read", "title: A planet"),
    case("an unknown setting", "{title: A, feeds: [x], feed: y}"),
    case("an unknown setting of a feed", "{title: A, feeds: [{url: x, filtr: y}]}"),
    case("a truth value for text", "{title: A, feeds: [x], language: no}"),
    case("a number for a duration", "{title: A, feeds: [x], fetch: {timeout: 60}}"),
    case("no duration", "{title: A, feeds: [x], fetch: {timeout: 60x}}"),
    case("no size", "{title: A, feeds: [x], fetch: {max_size: 8M}}"),
    case("no choice of a feed", "{title: A, feeds: [{url: x, content: ful}]}"),
    case("a number out of bounds", "{title: A, feeds: [x], pages: {front: 0}}"),
    case("neither number nor all", "{title: A, feeds: [x], new_feed_entries: some}"),
)
def test_an_editor_marks_mistakes(wrong: str) -> None:
    validator = jsonschema.Draft7Validator(SCHEMA)

    assert list(validator.iter_errors(yaml.safe_load(wrong)))


@cases(
    "right",
    case("a variable", "{title: A, feeds: [{url: x, fetch: {max_interval: '${T}'}}]}"),
    case("one for a list", "{title: A, feeds: [{url: x, tags: one}]}"),
    case("a field", "{title: A, feeds: [x], filters: {include: {title: [a, b]}}}"),
    case("subscriptions alone", "{title: A, subscriptions: [x]}"),
    case("a size in bytes", "{title: A, feeds: [x], fetch: {max_size: 1000}}"),
)
def test_an_editor_lets_pass_what_is_right(right: str) -> None:
    jsonschema.validate(yaml.safe_load(right), SCHEMA)


def test_every_setting_is_described() -> None:
    for trail in settings():
        found = settings_in(SCHEMA, trail[:-1])[trail[-1]]

        assert "description" in found or settings_in(SCHEMA, trail), trail


def test_the_example_has_a_feed_that_needs_no_network(example: Config) -> None:
    (feed,) = (feed for feed in example.feeds if feed.is_file)

    assert feed.enabled
    assert (ROOT / feed.url.removeprefix(f"{ROOT.as_uri()}/")).is_file()


def test_the_example_names_every_setting_there_is() -> None:
    value = yaml.safe_load(all_on(EXAMPLE.read_text()))

    missing = {alike(trail) for trail in settings()} - {
        alike(trail) for trail in settings() if named(value, trail)
    }

    assert missing == set()


def test_the_example_works_with_everything_switched_on(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    # What a cluster needs, nobody else does.
    path.write_text(all_on(EXAMPLE.read_text()).replace("backend: sqlite", "backend: redis"))
    (tmp_path / "cover.jpg").write_bytes(jpeg(frame(1400, 1400)))
    for program in ("translate", "full-text"):
        (tmp_path / program).touch(mode=0o755)
    environ = {"REDIS_PASSWORD": "one", "PRIVATE_FEED_PASSWORD": "two", "FEDIVERSE_KEY": KEY}

    config = load(path, environ=environ)

    assert config.cache.options["password"] == Secret("one")
    assert config.feeds[-1].policy.auth == ("reader", Secret("two"))
    assert len(config.subscriptions) == 1


def test_the_example_shows_defaults_where_there_are_any(example: Config, tmp_path: Path) -> None:
    silent = loaded(tmp_path, "title: A\nfeeds: [f.xml]\n")

    for name in ("language", "timezone", "fetch", "cache", "pages", "retention"):
        assert getattr(example, name) == getattr(silent, name)
    assert (example.output.name, example.state.name) == ("public", "state")
    assert example.policy == silent.policy


def test_the_defaults_in_the_schema_are_those_that_hold(tmp_path: Path) -> None:
    told: dict[str, Any] = {"title": "A", "feeds": ["f.xml"]}
    for *above, name in settings():
        setting = settings_in(SCHEMA, tuple(above))[name]
        # A digest is made only when it is asked for.
        if "default" in setting and not {"feeds", "digest"} & set(above):
            section = told
            for step in above:
                section = section.setdefault(step, {})
            section[name] = setting["default"]

    silent = loaded(tmp_path, "title: A\nfeeds: [f.xml]\n")
    spoken = loaded(tmp_path, yaml.safe_dump(told))

    assert len(told) > 10
    assert spoken.feeds[0].policy == silent.feeds[0].policy
    for name in Config.__struct_fields__:
        if name not in ("feeds", "theme"):
            assert getattr(spoken, name) == getattr(silent, name)


def test_the_example_tells_editors_where_the_schema_is() -> None:
    first = EXAMPLE.read_text().splitlines()[0]

    assert first == f"# yaml-language-server: $schema={project_address('Config schema')}"

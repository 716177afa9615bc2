"""Drives scenes of a school through their pages, for the tests of every game."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.test import Client

from championship import catalogue
from championship.runs.models import SceneDone
from championship.runs.watch import scenes
from championship.runs.watch.scenes import Driven, SceneSchool
from tests.championship.runs.factories import fresh_key

Fields = Mapping[str, Any]
Posts = Sequence[Fields | Callable[[Driven], Fields]]
"""Forms of a scene. One may depend on what was driven before it."""


def stranger() -> Client:
    """A browser of somebody without an account."""
    return Client()


def start(game: str, name: str) -> str:
    """The address at which a scene begins."""
    return f"/practice/{game}/{name}/new/"


def words_of(page: Any) -> str:
    """The text of a page, without marks and with single blanks."""
    return " ".join(re.sub(r"<[^>]+>", " ", page.content.decode()).split()).replace("&#x27;", "'")


def drive(client: Client, game: str, name: str, posts: Posts) -> Any:
    """Drive a scene from its beginning with these forms. Returns the page after the last one."""
    page = client.get(start(game, name))
    assert page.status_code == 200, page.content.decode()[:800]
    for fields in posts:
        found = re.search(r'action="([^"]*/turn/)"', page.content.decode())
        assert found, f"{name}: nothing to drive before {fields}"
        form = fields(_driven_at(game, name, found[1])) if callable(fields) else fields
        sent = client.post(found[1], {"version": "0", "key": fresh_key(), **form})
        assert sent.status_code == 302, f"{name}, {form}: {words_of(sent)[-3000:]}"
        page = client.get(sent["Location"])
        assert page.status_code == 200
    return page


def _driven_at(game: str, name: str, address: str) -> Driven:
    """What was driven in a scene at the address of one of its forms."""
    given = scenes.given_in(address.split("/")[4])
    assert given is not None
    return scenes.driven(game, scenes.scene_of(game, name), given)


def verdict(page: Any) -> str:
    """What is said after a scene. The test fails while it is being driven."""
    found = re.search(r'<section class="card verdict.*?</section>', page.content.decode(), re.S)
    assert found, "the scene is not over"
    return " ".join(re.sub(r"<[^>]+>", " ", found[0]).split()).replace("&#x27;", "'")


def check(game: str, name: str, meant: Posts, otherwise: Posts) -> None:
    """Check that a scene is done by what is meant, is not by something else, and that only the first is kept."""
    client = stranger()
    goal = words_of(client.get(start(game, name)))
    said = verdict(drive(client, game, name, otherwise))
    assert said.startswith("Not yet."), said
    assert "Again" in said
    assert not SceneDone.objects.exists()
    said = verdict(drive(client, game, name, meant))
    assert said.startswith("Done."), said
    assert SceneDone.objects.get().scene == name
    assert goal


def check_rules(game: str, school: SceneSchool) -> None:
    """Check that each numbered rule of a game is behind a scene, or is left out for a reason, and not both."""
    document = catalogue.get(game).rules
    assert document is not None
    numbers = set(re.findall(r"^(?:- )?\*\*([A-Z]\d+)\b", document.read_text(), re.M))
    taught = {rule for scene in school.SCENES for rule in scene.rules}
    left_out = [rule for rules in school.LEFT_OUT for rule in rules.split()]
    assert len(numbers) > 20
    assert taught <= numbers, "a scene names a rule that is none"
    assert taught | set(left_out) == numbers
    assert not taught & set(left_out) and len(left_out) == len(set(left_out))
    assert all(school.LEFT_OUT.values())

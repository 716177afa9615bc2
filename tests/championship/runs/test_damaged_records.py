"""Records with one damaged value each: the page says what is wrong, or that the record is still valid."""

import copy
import json
import random

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from championship import catalogue
from tests.championship.runs.factories import driven
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db

STRANGE = [
    None,
    -1,
    10**30,
    1.5,
    float("inf"),
    float("nan"),
    "",
    "x",
    "\x00",
    "\ud800",
    "9" * 2000,
    "grid",
    "3:1.1.l",
    [],
    {},
    [None],
    {"a": 1},
    True,
]


def places_in(document, path=()):
    """The paths to all values of a JSON document."""
    if path:
        yield path
    if isinstance(document, dict):
        for key in document:
            yield from places_in(document[key], (*path, key))
    elif isinstance(document, list):
        for number in range(len(document)):
            yield from places_in(document[number], (*path, number))


def damaged(document, path, value):
    """The document with another value in one place."""
    changed = copy.deepcopy(document)
    inner = changed
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return changed


def upload(document):
    text = json.dumps(document).encode()
    return signed_in(make_user()).post("/records/", {"record": SimpleUploadedFile("record.json", text)})


@pytest.mark.slow
def test_every_damaged_record_gets_a_verdict_and_not_a_broken_page():
    run, _entries = driven("Ana", stages=("4/1",))
    record = Client().get(f"/runs/{run.key}/record.json").json()
    assert "All draws follow" in upload(record).content.decode()
    dice = random.Random(11)
    head = [path for path in places_in(record) if path[0] != "turns"]
    turns = [path for path in places_in(record) if path[0] == "turns"]
    for path in dice.sample(head, 25) + dice.sample(turns, 45):
        value = dice.choice(STRANGE)
        answer = upload(damaged(record, path, value))
        assert answer.status_code in (200, 422), path
        page = answer.content.decode()
        said = 'role="alert"' in page or "All draws follow" in page
        assert said, f"{path} = {value!r:.40}"


def test_a_form_without_a_file_is_refused():
    assert signed_in(make_user()).post("/records/", {}).status_code == 422
    assert signed_in(make_user()).get("/records/").status_code == 200


def test_a_record_of_a_game_that_is_not_installed_is_refused(monkeypatch):
    run, _entries = driven("Ana", stages=("4/1",))
    record = Client().get(f"/runs/{run.key}/record.json").json()
    monkeypatch.setattr(catalogue, "_GAMES", {})

    answer = upload(record)

    assert answer.status_code == 422
    assert "no game is called" in answer.content.decode()

"""Proof against an operator: the check names the first thing that does not follow from the commitment."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client

from championship.platform.refusals import Forbidden, Refused, Stale
from championship.runs.models import Post, Run
from championship.runs.play import play_turn
from championship.runs.watch.proof import record_of
from engine import record
from tests import verifier
from tests.championship.runs.factories import careful_turn, on_the_road, post
from tests.championship.runs.proofs import (
    brought_home,
    convoys,
    downloaded,
    of_format_1,
    open_road,
    runs_of,
    salted_turn,
    short_rally,
    with_another_phrase,
    with_another_salt,
    with_another_secret,
)
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).parents[3]


def salted_run() -> Run:
    """A run of one car under way, whose first turn has a salt."""
    (run,) = runs_of(short_rally("Ana", mode="open road"))
    salted_turn(run, "6b" * 16)
    return run


def on_the_command_line(document: Any, folder: Path, *how: str) -> tuple[int, str]:
    path = folder / "record.json"
    path.write_text(json.dumps(document))
    command = [sys.executable, "-m", "engine", "verify", str(path), *how]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.returncode, (done.stdout + done.stderr).strip()


# The independent verifier -----------------------------------------------------------------------------


def test_the_independent_verifier_imports_nothing_of_this_project() -> None:
    tree = ast.parse((ROOT / "tests/verifier.py").read_text("utf-8"))
    names = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    names |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names


@pytest.mark.slow
def test_the_independent_verifier_agrees_on_fifty_records_of_runs_of_all_kinds() -> None:
    runs = [*convoys(), *convoys(), *open_road(16), *open_road(16, dice="duplicate"), *open_road(14, form=1)]
    assert len(runs) == 50
    kinds = set()
    for run in runs:
        document, seal = downloaded(run), run.special_stage.seal
        kinds.add((document["record"], len(document["entrants"]) > 1, "common" in document["chance"]))
        if document["record"] == 1:
            assert verifier.first_wrong_of_format_1(document) == ""
            assert record.verify(document) is None
            continue
        kinds |= {turn["sent"] for turn in document["turns"]} | {turn["salt"][:4] for turn in document["turns"]}
        noted = (seal.commitment, run.phrases_sha256)
        assert verifier.first_wrong(document, *noted) == ""
        assert record.verify(document, promised=noted[0], phrases=noted[1]) is None
    assert kinds >= {(1, False, False), (2, True, False), (2, False, False), (2, False, True)}
    assert kinds >= {"driver", "ahead", "codriver", "", "4f4f", "sent", "type", "salt"}


def forged(document: dict[str, Any]) -> dict[str, tuple[dict[str, Any], str]]:
    """Copies of the record with one change each, and the check of docs/records.md that finds it."""

    def changed(change: Any) -> dict[str, Any]:
        copy = deepcopy(document)
        change(copy["chance"], copy["turns"])
        return copy

    place, turn = next((place, turn) for place, turn in enumerate(document["turns"], 1) if turn["draws"])
    at = turn["draws"][0]
    first = f"7, turn {place}, draw 1"
    return {
        "promise": (changed(lambda told, turns: told.update(promise="0" * 64)), "1"),
        "seal": (changed(lambda told, turns: told.update(seal="0" * 64)), "2"),
        "published": (changed(lambda told, turns: told.update(phrases_sha256="0" * 64)), "3"),
        "phrase": (changed(lambda told, turns: told["phrases"].append("slipped in")), "4"),
        "order of phrases": (changed(lambda told, turns: told["phrases"].reverse()), "4"),
        "secret": (changed(lambda told, turns: told.update(secret="0" * 64)), "5"),
        "run": (changed(lambda told, turns: told.update(run=told["run"] + 1)), "5"),
        "common": (changed(lambda told, turns: told.update(common="0" * 64)), "6"),
        "number": (
            changed(lambda told, turns: turns[place - 1]["draws"][0].update(number=(at["number"] + 1) % at["ends"])),
            first,
        ),
    }


def test_the_engine_and_the_independent_verifier_name_the_same_thing_first() -> None:
    (run, *_others) = convoys()
    document, seal = downloaded(run), run.special_stage.seal
    for name, (wrong, found) in forged(document).items():
        said = record.verify(wrong, promised=seal.commitment, phrases=run.phrases_sha256)
        assert verifier.first_wrong(wrong, seal.commitment, run.phrases_sha256) == found, name
        words = {
            "1": "promise in the record", "2": "seal is not the one", "3": "phrases in the record",
            "4": "phrases are not those", "5": "secret of run", "6": "common secret",
        }.get(found, found.removeprefix("7, "))  # fmt: skip
        assert words in str(said), name


# Against an operator ------------------------------------------------------------------------------------

OPERATOR = {
    "a secret that does not follow from the seal": (with_another_secret, True, "the secret of run 1 does not follow"),
    "a phrase added after the phrases were published": (with_another_phrase, False, "the phrases are not those"),
    "a draw made under another salt": (with_another_salt, False, "turn 1, draw 1 ("),
}


def test_an_unreadable_record_is_invalid_and_the_page_says_why() -> None:
    (run,) = open_road(1)
    post = next(post for post in run.posts.order_by("number") if post.draws)
    Post.objects.filter(pk=post.pk).update(draws=[{"what": 1}])
    answer = Client().get(f"/runs/{run.key}/proof/")
    assert answer.status_code == 200
    assert "The record is not valid" in answer.text
    assert "what, ends, by and number expected" in answer.text


@pytest.mark.parametrize("what", OPERATOR)
def test_page_and_command_name_what_an_operator_has_done(what: str, tmp_path: Path) -> None:
    does, while_open, said = OPERATOR[what]
    (run,) = runs_of(short_rally("Ana", mode="open road"))
    if while_open:
        does(run)
    salted_turn(run, "6b" * 16)
    run = brought_home(run)
    if not while_open:
        does(run)
    page = Client().get(f"/runs/{run.key}/proof/").content.decode()
    assert f"The record is not valid: {said}" in " ".join(page.split())
    document = Client().get(f"/runs/{run.key}/record.json").json()
    code, told = on_the_command_line(document, tmp_path, "--promised", run.special_stage.seal.commitment)
    assert (code, told.startswith(said)) == (1, True), told
    file = SimpleUploadedFile("record.json", json.dumps(document).encode())
    looked = signed_in(make_user()).post("/records/", {"record": file}).content.decode()
    assert f"The record is not valid: {said}" in looked


def test_a_forged_seal_is_found_only_by_people_who_noted_the_commitment(tmp_path: Path) -> None:
    run, other = (brought_home(salted_run()) for _each in range(2))
    document = downloaded(other)
    noted = run.special_stage.seal.commitment
    assert on_the_command_line(document, tmp_path)[0] == 0
    code, said = on_the_command_line(document, tmp_path, "--promised", noted.upper())
    assert (code, "not the one given" in said) == (1, True)
    code, said = on_the_command_line(document, tmp_path, "--phrases", "0" * 64)
    assert (code, "phrases in the record" in said) == (1, True)
    code, said = on_the_command_line(document, tmp_path, "--promised", "mine")
    assert (code, "64 hexadecimal digits" in said) == (2, True)
    file = SimpleUploadedFile("record.json", json.dumps(document).encode())
    looked = signed_in(make_user()).post("/records/", {"record": file, "promised": noted}).content.decode()
    assert "the promise in the record is not the one given" in looked


# Salts --------------------------------------------------------------------------------------------------


def test_the_salt_of_a_post_is_stored_and_the_same_post_again_gets_the_same_response() -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    orders, sent = careful_turn(run), {"version": run.version, "key": "one"}
    first = play_turn(by=ana.driver, run=run, orders=orders, salt=" 5a5a ", **sent)
    assert (first.played, Post.objects.get(run=run, key="one").salt) == (True, "5a5a")
    again = play_turn(by=ana.driver, run=run, orders=orders, salt="5a5a", **sent)
    assert (again.played, again.run.version) == (False, first.run.version)
    with pytest.raises(Stale):
        play_turn(by=ana.driver, run=run, orders=orders, salt="6b6b", **sent)
    assert run.posts.count() == 1


def test_the_salt_changes_what_is_drawn() -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    orders, drawn = careful_turn(run), set()
    for number in range(6):
        with transaction.atomic():
            play_turn(by=ana.driver, run=run, orders=orders, version=0, key="k", salt=str(number))
            drawn.add(tuple(draw["number"] for draw in Post.objects.get(run=run, key="k").draws))
            transaction.set_rollback(True)
    assert len(drawn) > 1


@pytest.mark.parametrize("salt", ["x" * 65, "two\nlines", "nul\0", "bell\a"])
def test_an_invalid_salt_is_refused_and_nothing_changes(salt: str) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    with pytest.raises(Refused) as refusal:
        play_turn(by=ana.driver, run=run, orders=careful_turn(run), version=0, key="one", salt=salt)
    assert refusal.value.field == "salt"
    answer = post(signed_in(ana.driver), run, do="lay", plan="1:1.2.l", roll="one by one", salt=salt)
    assert answer.status_code == 422
    run.refresh_from_db()
    assert (run.version, run.posts.count()) == (0, 0)


def test_the_proof_says_whose_orders_had_no_salt() -> None:
    (run, *_others) = convoys()
    page = " ".join(Client().get(f"/runs/{run.key}/proof/").content.decode().split())
    assert "2 with a salt, sent with the orders" in page
    assert "1 with a salt that was made when the plan was sent ahead" in page
    assert "0 of drivers without a salt" in page
    assert "of the codriver or the clock" in page


# Formats ------------------------------------------------------------------------------------------------


def test_a_run_that_opened_in_format_1_ends_in_format_1() -> None:
    (old,) = runs_of(short_rally("Bo", mode="open road"))
    of_format_1(old)
    salted_turn(old, "00")
    old = brought_home(old)
    document = downloaded(old)
    assert document["record"] == 1
    assert {frozenset(turn) for turn in document["turns"]} == {frozenset({"driver", "orders", "events"})}
    assert record.verify(document, promised=old.commitment) is None
    page = Client().get(f"/runs/{old.key}/proof/").content.decode()
    assert "This run opened before orders contained salts" in page
    assert "The record is not valid" not in page


def test_the_seal_of_a_stage_is_hidden_until_all_its_runs_are_over() -> None:
    """In format 2 every run's record holds the seal, which reveals the dice of the other runs."""
    runs = runs_of(short_rally("Ana", "Bo", mode="open road"))
    first = brought_home(runs[0])
    with pytest.raises(Forbidden):
        record_of(first)
    page = Client().get(f"/runs/{first.key}/proof/").content.decode()
    assert not any(bytes(secret).hex() in page for secret in (first.secret, first.special_stage.seal.secret))
    brought_home(runs[1])
    assert record.verify(downloaded(first)) is None

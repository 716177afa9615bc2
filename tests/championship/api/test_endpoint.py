"""Access rules for programs: a person who may not watch a run learns nothing about it, and a scope can only reduce
permissions.
"""

from __future__ import annotations

import json

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import RequestFactory
from django.urls import resolve

from championship.api import schema
from championship.api.scopes import Scope
from championship.clubs.models import Club, Role
from championship.platform import clock
from championship.runs.models import Run
from championship.seasons.services import create_championship
from championship.stages.models import StageDesign
from tests.championship.api.factories import BASE, Program, program_of
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs.factories import on_the_road
from tests.championship.runs.hidden_run import KEPT_OUT, LET_IN, built, leaks
from tests.contract import tables
from tests.contract.conftest import toys
from tests.factories import make_club, make_member, make_user

pytestmark = pytest.mark.django_db

__all__ = ["toys"]
SENT = {
    "playTurn": {"orders": {"do": "lay"}, "version": 0},
    "askOdds": {"orders": {}},
    "enter": {"crew": "Spy"},
    "handOver": {"how_long": "stage"},
    "keepDraft": {"laid": "", "version": 0},
    "sendAhead": {"laid": "", "version": 0},
    "handInCard": {"decision": {}},
    "givePenalty": {"entry": "0", "amount": 1, "reason": "Late"},
}


class Straight(Program):
    """A program whose requests go directly to the view, past all middleware, because there are thousands of them."""

    def ask(self, method, path, sent=None, **headers):
        body = {} if sent is None else {"data": json.dumps(sent), "content_type": "application/json"}
        shown = {name.replace("_", "-"): value for name, value in headers.items()}
        shown["Authorization"] = f"Bearer {self.token}"
        request = RequestFactory().generic(method, f"{BASE}/{path}", headers=shown, **body)
        found = resolve(request.path)
        answer = found.func(request, **found.kwargs)
        if hasattr(answer, "render"):
            answer.render()
        answer.json = lambda: json.loads(answer.content)
        return answer


def asked(program, rally, run, address, method, name):
    """Return the response to an operation on that rally and run. Its changes are rolled back."""
    parts = {"key": run.key if address.startswith("/runs") else rally.key, "number": 1, "entry": "0" * 16}
    parts |= {"slug": rally.club.slug, "act": "resume"}
    sent = SENT.get(name, {}) if method in ("post", "put") else None
    with transaction.atomic():
        answer = program.ask(method.upper(), address.lstrip("/").format(**parts), sent)
        transaction.set_rollback(True)
    return answer


def about(*beginnings):
    """Return the operations whose address has this prefix: address, method, name, scopes."""
    return [
        (address, method, told.name, told.scopes)
        for address, _parameters, method, told, _key in schema.operations()
        if address.startswith(beginnings)
    ]


@pytest.mark.slow
def test_a_person_who_may_not_watch_a_run_learns_nothing_of_it_at_any_address():
    scene = built()
    for role in KEPT_OUT:
        person = scene.people[role]
        program = Program() if person is None else program_of(person, "play", "organise", "steward")
        for address, method, name, _scopes in about("/runs", "/rallies", "/clubs", "/me"):
            answer = asked(program, scene.rally, scene.hidden, address, method, name)
            assert answer.status_code < 500 and not leaks(scene, answer), (role, address)
            if person is None:
                assert answer.status_code == 401
            elif address.startswith("/runs") and not address.endswith("/proof"):
                assert answer.status_code == 403, (role, address, answer.content)
                assert answer.json()["type"].endswith("/not-yet/"), (role, address)


def test_a_person_who_may_watch_a_run_sees_it():
    scene = built()
    for role in LET_IN:
        program = program_of(scene.people[role])
        assert program.get(f"runs/{scene.hidden.key}").status_code == 200
        assert program.get(f"runs/{scene.hidden.key}/events").json()
    results = program.get(f"rallies/{scene.rally.key}/stages/1/results")
    assert leaks(scene, results), "what is searched for is there to be found"


NONSENSE = ({"nonsense": 1}, [], {"orders": 7, "version": "x", "laid": {}, "decision": 1, "stage": "x"}, "text")


@pytest.mark.parametrize("whose", ["nobody's", "another club's"])
def test_an_object_that_a_person_may_not_know_of_is_a_404_whatever_the_body_is(whose):
    """A 422 there would tell that the address leads to something."""
    run, _entries = on_the_road("Ana", "Bo")
    rally = run.special_stage.rally
    Club.objects.filter(pk=rally.club_id).update(visibility=Club.Visibility.MEMBERS)
    make_club(name="Other", owner=(stranger := make_user("Stranger")))
    program = program_of(stranger, *(scope for scope in Scope.values if scope != Scope.BOT))
    names = {"runs": run.key, "rallies": rally.key}
    written = 0
    for address, method, _name, _scopes in about("/runs", "/rallies"):
        if method == "get":
            continue
        key = names[address.split("/")[1]] if whose == "another club's" else "nothing"
        path = address.lstrip("/").format(key=key, number=1, entry="0" * 16, act="resume")
        for body in NONSENSE:
            answer = program.ask(method.upper(), path, body)
            assert answer.status_code == 404, (address, method, body, answer.content)
        written += 1
        cache.clear()
    assert written >= 11


def test_a_refused_body_changes_nothing_and_is_answered_with_its_field():
    run, [ana, _bo] = on_the_road("Ana", "Bo")
    program = program_of(ana.driver, "play")
    for address in (f"runs/{run.key}/turns", f"runs/{run.key}/draft", f"runs/{run.key}/ahead"):
        method = "PUT" if address.endswith("draft") else "POST"
        answer = program.ask(method, address, {"nonsense": 1})
        assert (answer.status_code, answer.json()["field"]) == (422, "nonsense"), answer.content
    assert Run.objects.get().version == run.version


HELD = ((), ("read",), ("play",), ("organise",), ("steward",), ("bot",))


@pytest.mark.slow
def test_each_address_by_scope_role_and_club():
    """A token without the scope is refused before any query for the object. A token of another club finds nothing."""
    run, [ana, _bo] = on_the_road("Ana", "Bo")
    rally = run.special_stage.rally
    other = make_club(name="Other")
    sten = make_member(rally.club, name="Sten", roles=[Role.STEWARD])
    people = {"organiser": organiser_of(rally), "steward": sten, "driver": ana.driver, "stranger": make_user()}
    for person in people.values():
        make_member(other, user=person)
    seen = set()
    for held in HELD[1:]:
        for role, person in people.items():
            here, there = (Straight(program_of(person, *held, club=club).token) for club in (None, other))
            for address, method, name, scopes in about("/runs", "/rallies", "/clubs/{slug}"):
                answer = asked(here, rally, run, address, method, name)
                allowed = Scope.READ in scopes or held[0] in scopes
                assert answer.status_code < 500, (held, role, address, answer.content)
                is_scope = answer.status_code == 403 and answer.json()["type"].endswith("/scope/")
                assert is_scope == (not allowed), (held, role, address, answer.content)
                if role in ("organiser", "stranger"):
                    elsewhere = asked(there, rally, run, address, method, name)
                    assert elsewhere.status_code == (404 if allowed else 403), (held, role, address, elsewhere.content)
                if role == "stranger" and allowed and method != "get" and name != "askOdds":
                    assert answer.status_code in (403, 404, 422), (held, address)
                if role != "organiser" and scopes == (Scope.ORGANISE,) and allowed:
                    assert answer.status_code == (403 if role != "stranger" else 404), (held, role, address)
                seen.add(answer.status_code)
        cache.clear()
    assert seen >= {200, 403, 404}
    assert Run.objects.get().version == run.version


def test_no_address_is_forgotten_by_the_tables_here():
    """Every operation of the schema is about a club, something in a club, the person, or nobody."""
    known = {"/me", "/events", "/clubs", "/courses", "/championships", "/rallies", "/runs"}
    assert {"/" + address.split("/")[1] for address, *_more in schema.operations()} == known


def test_a_token_of_another_club_finds_nothing_by_any_address():
    """All operations of the schema: things of another club do not exist for the token, and lists do not contain
    them.
    """
    run, _entries = on_the_road("Ana", "Bo")
    rally = run.special_stage.rally
    olga, other = organiser_of(rally), make_club(name="Other")
    cup = create_championship(by=olga, club=rally.club, name="Cup", classes=[], drop=0)
    course = StageDesign.objects.create(club=rally.club, game=rally.game, name="Ours", spec={}, created_by=olga)
    parts = {"championships": cup.key, "courses": course.key, "rallies": rally.key, "runs": run.key}
    make_member(other, user=olga)
    every = ("read", "play", "organise", "steward")
    there, here = (Straight(program_of(olga, *every, club=club).token) for club in (other, rally.club))
    named = 0
    for address, _parameters, method, told, _key in schema.operations():
        first = address.split("/")[1]
        path = address.lstrip("/").format(
            key=parts.get(first), slug=rally.club.slug, number=1, entry="0" * 16, act="resume"
        )
        sent = SENT.get(told.name, {}) if method in ("post", "put") else None
        with transaction.atomic():
            answer = there.ask(method.upper(), path, sent)
            found = here.ask(method.upper(), path, sent).status_code if method == "get" else 0
            transaction.set_rollback(True)
        if "{" in address:
            named += found == 200
            assert answer.status_code == 404, (address, method, answer.content)
        for secret in (rally.club.slug, *parts.values()):
            assert secret not in str(answer.content), (address, secret)
        cache.clear()
    assert named >= 20, "there was something to be found"


@pytest.mark.parametrize("token", ["pf_" + "x" * 43, "zz_" + "x" * 43])
def test_a_made_up_token_learns_nothing_by_any_address(token):
    """Existing or not, changed or not: the response is always the same, and scopes are not checked."""
    run, [ana, _bo] = on_the_road("Ana", "Bo")
    rally, good = run.special_stage.rally, program_of(ana.driver)
    liar, told = Straight(token), set()
    for address, _parameters, method, _told, _key in schema.operations():
        tag = ""
        for key in (run.key if address.startswith("/runs") else rally.key, "none"):
            path = address.lstrip("/").format(key=key, slug=rally.club.slug, number=1, entry="0" * 16, act="resume")
            if method == "get" and not tag:
                tag = good.get(path).headers.get("ETag", "")
            for match in {"*", tag} if method == "get" else {"*"}:
                answer = liar.ask(method.upper(), path, {} if method in ("post", "put") else None, If_None_Match=match)
                assert answer.status_code == 401, (address, answer.status_code)
                assert "ETag" not in answer.headers, address
                told.add((answer.content, *(answer.headers[name] for name in ("Vary", "WWW-Authenticate"))))
            cache.clear()
    assert len(told) == 1


def openly(view):
    """Return what may be known about an open round, without the list of seats that have bid."""
    return {name: value for name, value in view.items() if name not in ("posted", "to_play")}


def test_secret_bids_of_others_are_hidden(toys):
    """In a game where all play at once, nobody sees the bid of another seat before the round closes."""
    run, [ana, bo, cem] = tables.on_the_road("hush", "Ana", "Bo", "Cem")
    programs = {entry: program_of(entry.driver, "play") for entry in (ana, bo, cem)}
    watching = [*(programs[entry] for entry in (bo, cem)), program_of(make_user())]
    seen = [program.get(f"runs/{run.key}").json() for program in watching]
    choices = programs[ana].get(f"runs/{run.key}/choices").json()
    sent = {"orders": choices["ways"][2]["orders"], "version": choices["version"]}
    assert programs[ana].post(f"runs/{run.key}/turns", sent).status_code == 200
    assert "chosen" in {each["event"]["kind"] for each in events(programs[ana], run)}
    for program, before in zip(watching, seen, strict=True):
        assert {each["event"]["kind"] for each in events(program, run)} <= {"posted"}
        after = program.get(f"runs/{run.key}").json()
        assert openly(after["view"]) == openly(before["view"]) and after["version"] == before["version"]
        assert program.get(f"runs/{run.key}/record").status_code == 403
    for entry in (bo, cem):
        assert programs[entry].post(f"runs/{run.key}/turns", sent).status_code == 200
    assert all("closed" in {each["event"]["kind"] for each in events(program, run)} for program in watching)


def test_the_tag_of_a_run_does_not_tell_that_a_deadline_was_missed_in_secret(toys, at):
    run, [ana, bo, _cem] = tables.on_the_road("hush", "Ana", "Bo", "Cem")
    programs = [program_of(entry.driver, "play") for entry in (ana, bo)]
    choices = programs[0].get(f"runs/{run.key}/choices").json()
    sent = {"orders": choices["ways"][2]["orders"], "version": choices["version"]}
    assert programs[0].post(f"runs/{run.key}/turns", sent).status_code == 200
    before = [program.get(f"runs/{run.key}")["ETag"] for program in programs]
    run.turns.filter(seat__entry=ana).update(missed=True)
    run.seats.filter(entry=ana).update(codriver_since=clock.now())
    after = [program.get(f"runs/{run.key}")["ETag"] for program in programs]
    assert after[1] == before[1] and after[0] != before[0]


def events(program, run):
    return program.get(f"runs/{run.key}/events").json()

"""S3: until the last seat has ended its turn, others learn only whether a seat has ended its turn."""

from __future__ import annotations

import re
import tempfile
import zipfile
from collections.abc import Sequence
from difflib import unified_diff
from typing import Any

import pytest
from django.core import mail
from django.db import transaction
from django.test import Client

from championship.api.atom_feed import key_of
from championship.archive.services.writing import write_archive
from championship.evenings.models import Phrase
from championship.evenings.selectors import secret_name
from championship.evenings.talk.services import say
from championship.notices.models import Notice, Webhook
from championship.notices.services.notice_choices import calendar_key_of
from championship.platform.web import live_streams
from championship.rallies.clock.evening_pace import EveningPace
from championship.rallies.models import Entry
from championship.runs.models import Run
from tests.championship.api.factories import program_of
from tests.championship.runs.evening import to_seconds
from tests.championship.runs.test_live_streams import ParkingClient
from tests.factories import signed_in
from tests.games.dust.pages.scenes import ended, on_the_road, page_of, post, seat_of

pytestmark = pytest.mark.django_db

CHANCING = re.compile(
    r'data-tag="[^"]*"|name="(?:csrfmiddlewaretoken|key)" value="[^"]*"|hx-headers=\'[^\']*\'|nonce="[^"]*"'
    r'|"cursor":"[^"]*"',
    re.ASCII,
)
"""Parts that differ between two requests for the same page. Readers cannot decode the number in a cursor (tested with
the API's feed).
"""

OF_A_RUN = ("", "log/", "replay/?at=1", "replay/?at=99", "proof/", "changes/", "gaps/", "record.json")
OF_AN_EVENING = ("evening/", "evening/board/", "by-hand/", "desk/table/")
TOPICS = ("run {run}", "rally {rally}", "talk drivers {run}", "talk all {run}")
"""What the streams of open pages are about."""
OF_A_PERSON = ("events", "me/turns", "me/notices")
ASKED = ("", "/events", "/choices", "/proof", "/draft", "/ahead")
"""Where information could leak: pages of a run, and API requests about a person and a run."""


class Viewer:
    """A viewer with a browser and, except for a visitor, with an API program and a calendar."""

    def __init__(self, who: Entry | None) -> None:
        self.person = who.driver if who is not None else None
        self.client = signed_in(self.person) if self.person is not None else Client()
        self.program = program_of(self.person, "read", "play") if self.person is not None else None
        self.calendar = calendar_key_of(person=self.person) if self.person is not None else None


def looks(run: Run, who: Viewer) -> dict[str, Any]:
    """Return everything that the viewer can open, request or is sent, by address. The polling tag of the response is
    included.
    """
    rally, client, program = run.special_stage.rally, who.client, who.program
    answers = {path: client.get(f"/runs/{run.key}/{path}") for path in OF_A_RUN}
    for path in ("", "sheet/", "results.csv", "stages/1/", "stages/1/gaps/"):
        answers[f"rally {path}"] = client.get(f"/rallies/{rally.key}/{path}")
    if rally.keeps_seconds:
        answers |= {path: client.get(f"/rallies/{rally.key}/{path}") for path in OF_AN_EVENING}
        answers["secret board"] = client.get(f"/evenings/{secret_name(rally)}/")
        answers["talk"] = client.get(f"/runs/{run.key}/talk/")
    answers["atom"] = client.get(f"/feeds/{key_of(rally.club)}.atom")
    if program is not None:
        answers["turns"] = client.get("/turns/")
        answers["own data"] = client.post("/me/data/")
        answers["calendar"] = client.get(f"/calendar/{who.calendar}.ics")
        answers |= {f"api {path}": program.get(path) for path in (*OF_A_PERSON, *(f"runs/{run.key}{p}" for p in ASKED))}
        answers["api runs"] = program.get(f"rallies/{rally.key}/stages/1/runs")
    found: dict[str, Any] = {}
    for path, answer in answers.items():
        assert answer.status_code < 500, path
        tag = (
            None if path == "api events" else answer.headers.get("ETag")
        )  # the tag of this one depends on the cursor too
        found[path] = (answer.status_code, tag, CHANCING.sub("", answer.content.decode()))
    if rally.keeps_seconds:
        found["streams"] = streamed(run, who)
    told = Notice.objects.filter(recipient=who.person).order_by("kind", "subject_key", "channel")
    found["notices"] = list(told.values_list("kind", "subject_key", "channel", "status", "context"))
    found["mails"] = [message.subject for message in mail.outbox if who.person and who.person.email in message.to]
    return found


def streamed(run: Run, who: Viewer) -> list[Any]:
    """Return how the streams begin that the viewer may follow."""
    parks = ParkingClient()
    if who.person is not None:
        parks.force_login(who.person)
    rally = run.special_stage.rally
    paths = (f"/runs/{run.key}/live/", f"/runs/{run.key}/talk/live/", f"/rallies/{rally.key}/evening/live/")
    begun = [parks.get(path) for path in paths]
    assert [answer.status_code for answer in begun] == [200, 200, 200]
    return [(answer.get("ETag"), b"".join(answer.streaming_content)) for answer in begun]  # type: ignore[attr-defined]


def versions(run: Run) -> dict[str, Any]:
    """Return what the streams of open pages watch. A page is told "changed" when it moves, and never how."""
    return live_streams._present([topic.format(run=run.key, rally=run.special_stage.rally.key) for topic in TOPICS])


def archived(run: Run) -> dict[str, bytes]:
    """Return the contents of the club's archive, file by file."""
    with tempfile.TemporaryFile() as file:
        write_archive(run.special_stage.rally.club, file)
        with zipfile.ZipFile(file) as inside:
            return {name: inside.read(name) for name in inside.namelist()}


def after(run: Run, ana: Entry, posts: Sequence[str], viewers: Sequence[Viewer], at: Any) -> list[dict[str, Any]]:
    """Return what the others see after Ana's posts, which are then rolled back. Only the end of a turn may become
    visible (S3).
    """
    with transaction.atomic():
        told, moves = versions(run), []
        for minute, plan in enumerate(posts, 3):
            at("2026-11-19T12:50" if plan == "end" else f"2026-11-19T12:{minute * len(posts):02}")
            answer = post(ana, run, plan)
            assert answer.status_code == 302, answer.content.decode()[:2000]
            before, told = told, versions(run)
            moves += [moved] if (moved := [topic for topic in told if told[topic] != before[topic]]) else []
        at("2026-11-19T13:00")
        seen = [*(looks(run, who) for who in viewers), archived(run), {"streams": moves}]
        transaction.set_rollback(True)
    return seen


def busy_turn(run: Run, ana: Entry) -> list[str]:
    """Return a turn of Ana's with a card used and a Risk. It is tried and rolled back."""
    with transaction.atomic():
        post(ana, run, "prepare")
        mine = seat_of(run, ana)
        transaction.set_rollback(True)
    slot, card = mine["dice"][0][1], mine["hand"][0]
    return ["prepare", f"play {card} {slot}; use {slot} p; done; risk", "end"]


@pytest.mark.slow
def test_of_a_sealed_turn_nothing_is_learnt(at: Any) -> None:
    """One rival views everything in the first round, the other one and a visitor in the next.

    They see the same whatever Ana has done and when: drawn cards, a draft after a roll, used cards.
    """
    at("2026-11-19T12:00")
    run, (ana, bo, cem) = on_the_road("Ana", "Bo", "Cem")
    club = run.special_stage.rally.club
    Webhook.objects.create(club=club, url="https://example.org/hook", set_by=ana.driver)
    rival, *others = Viewer(bo), Viewer(cem), Viewer(None)
    same(after(run, ana, [], [rival], at), after(run, ana, ["prepare; risk", "risk; end"], [rival], at))
    for entry in (ana, bo, cem):
        ended(entry, run)
    idle = after(run, ana, ["prepare", "end"], others, at)
    same(idle, after(run, ana, busy_turn(run, ana), others, at))


@pytest.mark.slow
def test_of_a_sealed_turn_nothing_is_learnt_in_an_evening(at: Any) -> None:
    """The same at the pace of an evening: its page, its board, the talk, the pages of tables, and every stream."""
    at("2026-11-19T12:00")
    run, (ana, bo, cem) = on_the_road("Ana", "Bo", "Cem")
    to_seconds(run.special_stage.rally, EveningPace(turn=900))
    run = Run.objects.select_related("special_stage__rally__club").get(pk=run.pk)
    say(by=bo.driver, run=run, phrase=Phrase.values[0])
    rival, *others = Viewer(bo), Viewer(cem), Viewer(None)
    same(after(run, ana, [], [rival], at), after(run, ana, ["prepare; risk", "risk; end"], [rival], at))
    for entry in (ana, bo, cem):
        ended(entry, run)
    idle = after(run, ana, ["prepare", "end"], others, at)
    same(idle, after(run, ana, busy_turn(run, ana), others, at))


def same(ones: Sequence[dict[str, Any]], others: Sequence[dict[str, Any]]) -> None:
    for viewer, (one, other) in enumerate(zip(ones, others, strict=True)):
        assert one.keys() == other.keys()
        for path, seen in one.items():
            if seen != other[path]:
                looked = [str(look).replace("\\n", "\n").splitlines() for look in (seen, other[path])]
                lines = unified_diff(*looked, n=0)
                pytest.fail(f"viewer {viewer} learns something from {path}:\n" + "\n".join(lines))


def test_s3_others_see_who_has_ended() -> None:
    run, (ana, bo) = on_the_road("Ana", "Bo")
    assert page_of(bo, run).count("has ended the round") == 0
    ended(ana, run)
    for viewer in (bo, None):
        assert page_of(viewer, run).count("has ended the round") == 1


def test_s4_when_the_last_has_ended_all_of_it_is_told() -> None:
    run, entries = on_the_road("Ana", "Bo", "Cem")
    for entry in entries:
        assert "Prepares the round" not in page_of(entry, run)
        ended(entry, run)
    assert "Prepares the round" in page_of(None, run)
    run.refresh_from_db()
    assert run.state["round"] == 2
    replayed = Client().get(f"/runs/{run.key}/replay/?at=3").content.decode()
    assert "The table in round 1" in replayed

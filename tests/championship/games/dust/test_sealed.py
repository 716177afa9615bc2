"""S3: until the last has ended, nobody learns more of another's turn than whether it has ended."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
from django.core import mail
from django.db import transaction
from django.test import Client

from championship.notices.models import Notice
from championship.rallies.models import Entry
from championship.runs.models import Run
from tests.championship.games.dust.scenes import ended, on_the_road, page_of, post, seat_of
from tests.factories import signed_in

pytestmark = pytest.mark.django_db

CHANCING = re.compile(
    r'data-tag="[^"]*"|name="(?:csrfmiddlewaretoken|key)" value="[^"]*"|hx-headers=\'[^\']*\'|nonce="[^"]*"', re.ASCII
)
"""What differs between two looks at the same page."""


def looks(run: Run, who: Entry | None) -> dict[str, Any]:
    """All that somebody can open or is sent, by address; the polling tag as the answer's own."""
    client = Client() if who is None else signed_in(who.driver)
    paths = ["", "log/", *(f"replay/?at={at}" for at in (0, 1, 99)), "proof/", "changes/", "gaps/", "record.json"]
    answers = {path: client.get(f"/runs/{run.key}/{path}") for path in paths}
    rally = run.special_stage.rally
    for path in ("/turns/", rally.get_absolute_url(), run.special_stage.get_absolute_url()):
        answers[path] = client.get(path)
    found: dict[str, Any] = {}
    for path, answer in answers.items():
        assert answer.status_code < 500, path
        found[path] = (answer.status_code, answer.headers.get("ETag"), CHANCING.sub("", answer.content.decode()))
    if who is not None:
        found["notices"] = sorted(Notice.objects.filter(recipient=who.driver).values_list("kind", "subject_key"))
    found["mails"] = [message.subject for message in mail.outbox if who and who.driver.email in message.to]
    return found


def seen_by_all(run: Run, viewers: Sequence[Entry | None]) -> list[dict[str, Any]]:
    """What each of them sees."""
    return [looks(run, who) for who in viewers]


def after(run: Run, ana: Entry, posts: Sequence[str], viewers: Sequence[Entry | None]) -> list[dict[str, Any]]:
    """What the others see after Ana's posts, which are then undone."""
    with transaction.atomic():
        for plan in posts:
            answer = post(ana, run, plan)
            assert answer.status_code == 302, answer.content.decode()[:2000]
        seen = seen_by_all(run, viewers)
        transaction.set_rollback(True)
    return seen


def busy_turn(run: Run, ana: Entry) -> list[str]:
    """A turn of Ana's with a card used and a Risk; found out and undone."""
    with transaction.atomic():
        post(ana, run, "prepare")
        mine = seat_of(run, ana)
        transaction.set_rollback(True)
    slot, card = mine["dice"][0][1], mine["hand"][0]
    return ["prepare", f"play {card} {slot}; use {slot} p; done; risk", "end"]


@pytest.mark.slow
def test_of_a_sealed_turn_nothing_is_learnt(at: Any) -> None:
    """Two rivals and a visitor look at everything, in the first round and in one that follows on another."""
    at("2026-11-19T12:00")
    run, entries = on_the_road("Ana", "Bo", "Cem")
    ana, *rivals = entries
    viewers = [*rivals, None]
    same(seen_by_all(run, viewers), after(run, ana, ["prepare", "risk"], viewers))
    idle = ["prepare", "end"]
    same(after(run, ana, idle, viewers), after(run, ana, busy_turn(run, ana), viewers))
    for entry in entries:
        ended(entry, run)
    same(after(run, ana, idle, viewers), after(run, ana, busy_turn(run, ana), viewers))


def same(ones: Sequence[dict[str, Any]], others: Sequence[dict[str, Any]]) -> None:
    for viewer, (one, other) in enumerate(zip(ones, others, strict=True)):
        for path, seen in one.items():
            assert seen == other[path], (viewer, path)


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

"""A whole Grand Prix over HTTP: four people and six codrivers, teams, two laps, rain, tyres and pit stops. The track is
a short one that the club has imported, so a race takes few turns.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from championship.rallies.models import Entry, Rally, StageTime
from championship.runs.models import Event, Run, SentAhead
from championship.runs.play import drive_codrivers, rebuild
from engine import record
from engine.formula_d.game import game
from tests.factories import signed_in
from tests.games.formula_d.pages.tables import (
    WET_POND,
    best_of,
    form_on,
    on_the_grid,
    page_of,
    playing,
    send,
)

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

PEOPLE = ("Ana", "Bo", "Cem", "Dag")
MOST_STEPS = 3000


def drive(entry: Entry, run: Run) -> Any:
    """Let a person post: in the garage as the codriver would, on the track a whole turn at once. The first one makes a
    pit stop as soon as possible.
    """
    seat = str(entry.start_number)
    if game().phase(run.state, seat) != "gear":
        return send(entry, run, **best_of(run))
    orders = {"do": "standing", "way": "attack", "pit": "now" if seat == "1" else ""}
    form = form_on(page_of(entry, run), "orders")
    return signed_in(entry.driver).post(f"/runs/{run.key}/turn/", {**form, **orders})


def give(entry: Entry, run: Run) -> None:
    """Let a person send orders for all future turns when the page offers that: not in the garage, nor in the person's
    own turn.
    """
    page = page_of(entry, run)
    if f"/runs/{run.key}/ahead/" in page:
        orders = {"do": "send", "way": "attack", "pit": "", "until": "told", "salt": "5a" * 8}
        answer = signed_in(entry.driver).post(f"/runs/{run.key}/ahead/", {**form_on(page, "orders"), **orders})
        assert answer.status_code == 302, answer.content.decode()[:2000]


def test_a_grand_prix_from_the_garage_to_the_result_of_the_teams() -> None:
    options = {"laps": 2, "weather": True, "tyres": True, "teams": True, "technical_pit": True, "start_roll": True}
    run, _entries = on_the_grid(*PEOPLE, track=WET_POND, codrivers=6, **options)
    for _step in range(MOST_STEPS):
        run.refresh_from_db()
        if run.status != Run.Status.RUNNING:
            break
        entry = playing(run)
        if entry.driven_by == "codriver":
            drive_codrivers(run_id=run.pk)
            continue
        answer = drive(entry, run)
        assert answer.status_code == 302, answer.content.decode()[:2000]
        if entry.start_number != 1:
            give(entry, run)

    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    assert SentAhead.objects.filter(seat__run=run, state=SentAhead.State.DRIVEN).exists()
    kinds = set(Event.objects.filter(run=run).values_list("kind", flat=True))
    assert {"weather", "grid", "box", "pit", "tyres", "finish", "over"} <= kinds
    assert run.state["weather"] == "rain" and "slide" in kinds
    assert rebuild(run=run) == run.state
    rally = Rally.objects.get(pk=run.special_stage.rally_id)
    assert rally.status == Rally.Status.FINISHED
    scores = game().view(run.state, None)["teams"]
    assert len(scores) == 5
    for time in StageTime.objects.filter(special_stage=run.special_stage).select_related("entry"):
        assert time.measure == scores[run.state["cars"][str(time.entry.start_number)]["box"][0]]
    for path in ("", "log/", "replay/", "replay/?at=40", "proof/"):
        assert Client().get(f"/runs/{run.key}/{path}").status_code == 200, path
    document = json.loads(Client().get(f"/runs/{run.key}/record.json").content)
    assert record.verify(document) is None
    page = Client().get(run.get_absolute_url()).content.decode()
    assert "Team A" in page

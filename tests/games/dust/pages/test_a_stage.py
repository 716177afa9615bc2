"""A stage over HTTP by three people and the codriver, from the first hand to the podium (S2 to S4, F5)."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from championship.rallies import services as rallies
from championship.rallies.models import Entry, Rally
from championship.runs.models import Run
from championship.runs.play import drive_codrivers, rebuild
from engine import record, registry
from tests.factories import signed_in
from tests.games.dust.pages.scenes import by_codriver, on_the_road, page_of, post, rich_set, seat_of

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def codriven(run: Run) -> None:
    while drive_codrivers(run_id=run.pk):
        pass
    run.refresh_from_db()


def test_three_people_and_the_codriver_drive_a_stage() -> None:
    run, entries = on_the_road("Ana", "Bo", "Cem", "Dag", spec=rich_set(), options={"cards": "5"})
    people, dag = entries[:3], entries[3]
    rallies.set_driven_by(by=dag.driver, entry=dag, driven_by=Entry.DrivenBy.CODRIVER)
    codriven(run)
    for entry in people:
        assert post(entry, run, "prepare").status_code == 302
        mine = seat_of(run, entry)
        slot = mine["dice"][0][1]
        plan = f"play {mine['hand'][0]} {slot}; use {slot} p; do 1; done; buy {run.state['pool'][-1]}; end"
        assert post(entry, run, plan).status_code == 302
    codriven(run)
    assert run.state["round"] == 2
    assert "How round 1 ended" in page_of(people[0], run) and "Contested" in page_of(None, run)

    rules = registry.get("dust")
    while rules.to_play(run.state):
        for entry in people:
            if str(entry.start_number) in rules.to_play(run.state):
                by_codriver(entry, run)
        codriven(run)
    assert run.status == Run.Status.FINISHED and rebuild(run=run) == run.state
    rally = run.special_stage.rally
    rally.refresh_from_db()
    assert rally.status == Rally.Status.FINISHED
    assert Client().get(f"/rallies/{rally.key}/podium/").status_code == 200
    over = page_of(people[0], run)
    assert 0 < over.index("finish-title") < over.index("How round 5 ended"), "the result of the stage comes first"
    for at in range(0, run.events_told, 7):
        assert Client().get(f"/runs/{run.key}/replay/?at={at}").status_code == 200
    assert Client().get(f"/runs/{run.key}/proof/").status_code == 200
    driver = signed_in(people[0].driver)  # the cards belong to the club: others may not read the whole record
    assert record.verify(json.loads(driver.get(f"/runs/{run.key}/record.json").content)) is None

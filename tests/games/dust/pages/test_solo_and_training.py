"""Solo against the ghost (G) and the training stage (T), through the cockpit."""

from __future__ import annotations

import pytest

from championship.platform.refusals import Refused
from championship.rallies import services as rallies
from championship.rallies.models import Rally
from championship.runs.models import Run
from championship.runs.play import drive_codrivers
from engine import registry
from tests.championship.rallies.factories import enter, organiser_of
from tests.factories import make_user, signed_in
from tests.games.dust.pages.scenes import make_rally, offers_on, on_the_road, page_of, post, rich_set, seat_of

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_g3_to_g5_a_pair_of_the_ghost_is_blocked_on_the_page() -> None:
    run, (ana,) = on_the_road("Ana", spec=rich_set(), options={"ghost": "devil"})
    assert "3 pairs of dice" in page_of(None, run)
    post(ana, run, "prepare")
    page, mine = page_of(ana, run), seat_of(run, ana)
    pairs = run.state["ghost"]["dice"]
    hits, _slash, popularity = pairs[0]["face"].partition("/")
    assert "The ghost rolled:" in page and f"risk die: hits {hits}, popularity {popularity}" in page
    assert "The ghost rolled:" not in page_of(None, run), "its dice are sealed like the turn (S3)"
    first, second = mine["dice"][0], mine["dice"][1]
    post(ana, run, f"play {mine['hand'][0]} {first[1]}; use {first[1]} p; do 1; done")
    wanted = pairs[1]["value"]
    turned = [f"tune {second}={wanted}"] if second[1] != wanted else []
    block = f"block 2 p{wanted}"
    if turned:
        post(ana, run, turned[0])
    assert block in offers_on(page_of(ana, run))
    assert post(ana, run, block).status_code == 302
    assert "<small>blocked</small>" in page_of(ana, run) and block not in offers_on(page_of(ana, run))
    answer = post(ana, run, f"block 2 p{wanted}")
    assert answer.status_code == 422 and "<strong>G4</strong>" in answer.content.decode()
    assert post(ana, run, "end").status_code == 302
    hits = sum(int(pair["face"][0]) for place, pair in enumerate(pairs) if place != 1)
    run.refresh_from_db()
    assert run.state["ghost"]["speed"] == hits
    assert f"The ghost scored {hits} speed point" in page_of(None, run)


def test_t3_on_the_training_stage_all_prepare_and_then_drive_in_starting_order() -> None:
    run, (ana, bo) = on_the_road("Ana", "Bo", stage="training")
    assert post(bo, run, "prepare").status_code == 302, "anybody may prepare"
    assert "On the training stage, drivers play the rest in starting order." in page_of(bo, run)
    post(ana, run, "prepare")
    mine = seat_of(run, ana)
    post(ana, run, f"play {mine['hand'][0]} 6")
    assert "Plays" in page_of(None, run), "nothing is sealed there"
    assert post(ana, run, "end").status_code == 302
    assert "play " in " ".join(offers_on(page_of(bo, run)))
    post(bo, run, "end")
    run.refresh_from_db()
    assert run.state["round"] == 2 and "How round 1 ended" in page_of(None, run)


def test_t4_the_finish_of_the_training_stage_says_whether_the_driver_has_passed() -> None:
    run, (ana,) = on_the_road("Ana", stage="training")
    for _round in range(5):
        assert "Not passed yet" not in page_of(ana, run)
        post(ana, run, "prepare")
        post(ana, run, "end")
    run.refresh_from_db()
    points = registry.get("dust").result(run.state).seats[0].measure
    page = page_of(ana, run)
    assert f"Not passed yet: {points} of the 15 points that are needed." in page
    assert "Not passed yet" not in page_of(None, run), "it is said to the driver"


def test_t4_an_exam_on_the_training_stage_has_one_verdict_and_a_way_to_what_was_better() -> None:
    client = signed_in(make_user("Ana"))
    client.post("/practice/", {"game": "dust", "exercise": "exam"})
    run = Run.objects.get()
    ana = run.seats.get(entry__driver__name="Ana").entry
    for _round in range(5):
        for steps in ("prepare", "end"):
            post(ana, run, steps)
            drive_codrivers(run_id=run.pk)
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    page = page_of(ana, run)
    assert "Not passed: the codriver was better." in page
    assert "points that are needed" not in page, "15 points pass the training stage, not the exam"
    assert f'href="/runs/{run.key}/ledger/#mine">What was better' in page


@pytest.mark.parametrize(("options", "rule"), [({"cards": "5"}, "O2"), ({"ghost": "devil"}, "O4")])
def test_what_a_training_stage_does_not_know_is_refused_when_the_rally_is_made_and_not_at_its_start(options, rule):
    with pytest.raises(Refused) as refused:
        make_rally("training", options=options)
    assert (refused.value.rule, refused.value.field) == (rule, "designs") and not Rally.objects.exists()
    rally = make_rally("training")
    given = {"name": rally.name, "mode": rally.mode, "turn_hours": 24, "reminder_hours": 4, "auto_start": True}
    with pytest.raises(Refused, match="Stage 1 cannot be driven with these options"):
        rallies.change_options(by=organiser_of(rally), rally=rally, options=options, **given)
    enter(rally, "Ana")
    Rally.objects.update(options=rally.all_options | options)
    with pytest.raises(Refused) as refused:
        rallies.start_rally(by=organiser_of(rally), rally=rally)
    assert refused.value.rule == rule and Rally.objects.get().status == Rally.Status.ENTRIES


def test_o4_the_start_is_refused_in_words_when_two_drivers_are_to_drive_against_the_ghost() -> None:
    rally = make_rally(options={"ghost": "devil"})
    enter(rally, "Ana", "Bo")
    client = signed_in(organiser_of(rally))
    refused = client.post(f"{rally.get_absolute_url()}desk/start/", {})
    assert refused.status_code == 422 and "one driver drives against the ghost" in refused.content.decode()
    assert Rally.objects.get().status == Rally.Status.ENTRIES and not Run.objects.exists()

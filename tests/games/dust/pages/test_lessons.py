"""Practice: the training stage with its lessons, and the ghost at every level."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from championship.games.dust import lessons
from championship.rallies.models import Rally
from championship.runs.models import Run
from championship.runs.watch.practice import Seen
from engine import registry
from engine.dust.facts import facts
from tests.factories import make_user, signed_in
from tests.games.dust.engine.luck import Luck
from tests.games.dust.engine.tables import GAME, begun, random_step

BY_NAME = {lesson.name: lesson for lesson in lessons.LESSONS}


def done(events: list[dict[str, Any]]) -> set[str]:
    return {name for name, lesson in BY_NAME.items() if lesson.done(Seen(events))}


def trained(seed: int) -> list[dict[str, Any]]:
    """Return a training stage after random legal steps."""
    state, events, luck, rng = begun("ana", "training"), [], Luck(seed), Random(seed)
    while GAME.to_play(state):
        steps = [random_step(state, "ana", rng)]
        state, made = GAME.play(state, "ana", {"do": "steps", "steps": steps}, luck)
        events += made
    return events


def test_no_lesson_is_done_at_the_start_and_they_come_one_by_one() -> None:
    assert done([]) == set()
    events = trained(1)
    order = [name for place in range(len(events) + 1) for name in sorted(done(events[:place]))]
    first = list(dict.fromkeys(order))
    assert first[0] == "prepare" and first[-1] == "finish"


def test_every_lesson_can_be_done_on_the_training_stage() -> None:
    learnt: set[str] = set()
    for seed in range(12):
        learnt |= done(trained(seed))
    assert learnt == set(BY_NAME), set(BY_NAME) - learnt


def test_p2_a_card_counts_as_played_only_below_a_die() -> None:
    state, luck = begun("ana", "training"), Luck(2)
    state, events = GAME.play(state, "ana", {"do": "steps", "steps": ["prepare"]}, luck)
    mine = state["drivers"]["ana"]
    shown = {die[1] for die in mine["dice"]}
    dark = next(slot for slot in "123456" if slot not in shown)
    _state, beside = GAME.play(state, "ana", {"do": "steps", "steps": [f"play {mine['hand'][0]} {dark}"]}, luck)
    _state, below = GAME.play(state, "ana", {"do": "steps", "steps": [f"play {mine['hand'][0]} {min(shown)}"]}, luck)
    assert "play" not in done([*events, *beside])
    assert "play" in done([*events, *below])
    card, slot = mine["hand"][0], min(shown)
    assert not BY_NAME["play"].done(Seen(events, f"play {card} {dark}")), "laid, and not sent yet"
    assert BY_NAME["play"].done(Seen(events, f"play {card} {slot}"))
    assert BY_NAME["use"].done(Seen(events, f"play {card} {slot}; use {slot} p"))


def test_hints_name_what_can_be_done_right_now() -> None:
    state, luck = begun("ana", "training"), Luck(2)
    state, events = GAME.play(state, "ana", {"do": "steps", "steps": ["prepare"]}, luck)
    seen = Seen(list(events), choices=GAME.choices(state, "ana"))
    assert lessons.hint(BY_NAME["play"], seen).startswith("Right now: ")
    assert lessons.hint(BY_NAME["buy"], seen) == "Right now you have too few keys for it."
    assert lessons.hint(BY_NAME["marker"], seen) == "Right now you have too little traction for it."
    assert lessons.hint(BY_NAME["risk"], seen) == ""


def test_r7_each_damage_token_is_explained_when_it_is_flipped() -> None:
    assert set(lessons.TOKENS) == set(range(1, 8))
    for number in lessons.TOKENS:
        said = lessons.happened([{"kind": "step", "set": {"flipped": number}}])
        assert str(number) in said and str(lessons.TOKENS[number]) in said
    assert "wrecked" in lessons.happened([{"kind": "step", "set": {"flipped": 7, "phase": "out"}}])
    assert lessons.happened([{"kind": "ended", "seat": "ana"}]) == ""


def test_g2_the_ghost_is_offered_at_all_its_levels() -> None:
    assert set(lessons.LEVELS) == set(facts().levels)
    assert {one.options["ghost"] for one in lessons.EXERCISES} == set(facts().levels)


@pytest.mark.django_db
def test_somebody_practises_the_training_stage_over_http() -> None:
    ana = make_user("Ana")
    page = signed_in(ana)
    offered = page.get("/practice/").text
    assert "Practise Dirt &amp; Dust" in offered and "Against the ghost: devil" in offered
    answer = page.post("/practice/", {"game": "dust"})
    run = Run.objects.get()
    assert answer["Location"] == run.get_absolute_url()
    assert run.state["training"] and run.game == "dust"
    assert "1. Prepare" in page.get(run.get_absolute_url()).text


@pytest.mark.django_db
@pytest.mark.parametrize("level", ["amateur", "devil"])
def test_g1_somebody_practises_against_the_ghost(level: str) -> None:
    ana = make_user("Ana")
    page = signed_in(ana)
    page.post("/practice/", {"game": "dust"})
    answer = page.post("/practice/", {"game": "dust", "exercise": f"ghost {level}"})
    run = Run.objects.get(status=Run.Status.RUNNING)
    assert answer["Location"] == run.get_absolute_url()
    assert run.state["ghost"]["pairs"] == facts().levels[level].pairs and not run.state["training"]
    assert page.get(run.get_absolute_url()).status_code == 200
    assert registry.get("dust").to_play(run.state)


@pytest.mark.django_db
def test_an_exercise_that_there_is_not_is_refused_and_the_practice_stays() -> None:
    ana = make_user("Ana")
    page = signed_in(ana)
    page.post("/practice/", {"game": "dust"})
    answer = page.post("/practice/", {"game": "dust", "exercise": "ghost of the past"})
    assert answer.status_code == 422 and "no such exercise" in answer.text
    assert page.post("/practice/", {"game": "dirt", "exercise": "ghost devil"}).status_code == 422
    assert Rally.objects.count() == 1 and Run.objects.get().status == Run.Status.RUNNING


@pytest.mark.django_db
def test_once_more_is_the_same_game_again() -> None:
    ana = make_user("Ana")
    page = signed_in(ana)
    page.post("/practice/", {"game": "dust"})
    page.post("/practice/", {"anew": "yes"})
    assert list(Run.objects.values_list("game", flat=True)) == ["dust", "dust"]

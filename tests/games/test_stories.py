"""Stories of recorded runs of every game: no sentence twice, every fact as in the record, nothing before its time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from django.utils.translation import gettext, override

from championship.rallies.results.measures import worse
from championship.runs.watch.story.beats import TELLING, Scene, ToldRun
from championship.runs.watch.story.plot import plotted
from championship.runs.watch.story.run_marks import marks_of
from championship.runs.watch.story.wording import FIELD, PHRASES
from engine import registry
from engine.contract import Splits, required
from engine.formula_d.race import order
from tests.games.stories import driven_stage, recorded, story_of

GAMES = ("dirt", "formula_d", "dust")
LANGUAGES = ("en", "de", "pl")


def runs_of(game: str) -> list[ToldRun]:
    return list(recorded(game).values())


def scenes_of(*runs: ToldRun) -> list[Scene]:
    return plotted([marks_of(run) for run in runs], registry.get(runs[0].game).measure)


def upto(run: ToldRun, number: int) -> ToldRun:
    """The run as everybody may know it after event `number`: without the end, and without what is sealed then."""
    closed = max((one.number for one in run.happened if one.number <= number and one.event.get("closes")), default=0)
    happened = [
        one
        for one in run.happened
        if one.number <= number
        and (one.event.get("only") is None or (one.event.get("until") != "over" and one.number <= closed))
    ]
    return replace(run, happened=happened, over=False, results=())


def state_after(run: ToldRun, number: int) -> dict[str, Any]:
    rules, state = registry.get(run.game), run.setup
    for one in run.happened[:number]:
        state = rules.apply(state, dict(one.event))
    return state


@pytest.mark.parametrize("game", GAMES)
def test_no_sentence_is_told_twice_in_any_language(game: str) -> None:
    for run in runs_of(game):
        for seed in ("a", "b"):
            for language in LANGUAGES:
                with override(language):
                    texts = [text for _scene, text in story_of(run, seed=seed)]
                assert len(set(texts)) == len(texts)
                assert not any("%(" in text or "None" in text for text in texts)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", ["", *GAMES])
def test_every_kind_has_several_sentences_that_differ_and_use_the_same_facts(game: str, language: str) -> None:
    telling = TELLING.of(game) if game else None
    phrases: Mapping[str, Any] = telling.phrases if telling else PHRASES
    for kind, sentences in phrases.items():
        with override(language):
            said = [gettext(sentence) for sentence in sentences]
        assert len(set(said)) == len(said) >= 2, kind
        for sentence, translated in zip(sentences, said, strict=True):
            assert set(FIELD.findall(sentence)) == set(FIELD.findall(translated)), sentence


@pytest.mark.parametrize("game", GAMES)
def test_what_was_told_stays_and_nothing_is_told_of_a_sealed_phase(game: str) -> None:
    for run in runs_of(game):
        whole = scenes_of(run)
        ends = [
            one.number for one, after in zip(run.happened, run.happened[1:], strict=False) if one.post != after.post
        ]
        for number in ends[:: max(1, len(ends) // 12)]:
            told = scenes_of(upto(run, number))
            assert told == whole[: len(told)]
            assert all(scene.beat.number <= number for scene in told)


@pytest.mark.parametrize("game", GAMES)
def test_the_story_does_not_depend_on_the_order_in_which_runs_are_read(game: str) -> None:
    first, second = runs_of(game)[:2]
    later = replace(second, key=2, number=2)
    assert scenes_of(first, later) == scenes_of(later, first)


def check_a_timed_run(run: ToldRun) -> int:
    """Recompute leads, gaps and times from splits. Returns how many sentences were checked."""
    rules, checked = registry.get(run.game), 0
    sign, timed = worse(rules.measure), required(rules, Splits)
    events = [dict(one.event) for one in run.happened]
    measured = {one.seat: one.measure for one in run.results}
    for scene in scenes_of(run):
        beat, facts = scene.beat, scene.beat.facts
        rival = facts["rival"][1] if "rival" in facts else ""
        seats = timed.splits(run.setup, events[: beat.number]).seats
        there = {
            seat: told.at[facts["border"]]
            for seat, told in seats.items()
            if "border" in facts and told.status != "retired" and told.at[facts["border"]] is not None
        }
        if beat.kind in ("pace", "lead"):
            best = min(there.values(), key=lambda value: sign * value)
            assert [seat for seat, value in there.items() if value == best] == [beat.seat]
            assert rival not in there or facts["gap"] == abs(there[rival] - best)
        elif beat.kind in ("first_in", "best_in", "finish", "finish_level", "won", "won_close"):
            assert facts["time"] == measured[beat.seat]
            assert "gap" not in facts or facts["gap"] == abs(measured[rival] - measured[beat.seat])
        else:
            continue
        checked += 1
    return checked


def test_leads_gaps_and_times_agree_with_the_splits() -> None:
    runs = [*runs_of("dirt"), *(driven_stage("dirt", seed, 3 + seed) for seed in range(3))]
    assert sum(check_a_timed_run(run) for run in runs) > 15


def test_leads_on_the_road_and_finishes_agree_with_the_race() -> None:
    checked = 0
    for run in runs_of("formula_d"):
        for scene in scenes_of(run):
            beat, state = scene.beat, state_after(run, scene.beat.number)
            if beat.kind in ("lead", "lead_gone"):
                assert order(state)[0] == beat.seat
                assert (state["cars"][beat.facts["rival"]]["status"] == "out") == (beat.kind == "lead_gone")
            elif beat.kind in ("first", "hunted", "podium"):
                assert state["cars"][beat.seat]["rank"] == beat.facts.get("place", 1 if beat.kind == "first" else 2)
            elif beat.kind.startswith("out_"):
                assert state["cars"][beat.seat]["why"] == beat.kind.removeprefix("out_")
            else:
                continue
            checked += 1
    assert checked > 20


def test_leads_and_damage_agree_with_the_dials() -> None:
    checked = 0
    for run in runs_of("dust"):
        for scene in scenes_of(run):
            beat, state = scene.beat, state_after(run, scene.beat.number)
            speeds = {seat: car["speed"] for seat, car in state["drivers"].items() if car["phase"] != "out"}
            if beat.kind in ("pace", "lead"):
                assert [seat for seat, speed in speeds.items() if speed == max(speeds.values())] == [beat.seat]
                assert beat.facts["points"] == speeds[beat.seat] - speeds[beat.facts["rival"]]
            elif beat.kind in ("wrecked", "gave_up"):
                assert state["drivers"][beat.seat]["phase"] == "out"
            else:
                continue
            checked += 1
    assert checked >= 4

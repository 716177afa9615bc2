"""Codrivers on a stage alone: their ranking, the facts about the stage, the same result for the same seed."""

from __future__ import annotations

import json
from statistics import fmean
from typing import Any

import pytest

from engine.commands import main
from engine.dirt.codriver.decisions import time_control
from engine.dirt.drive import drive, outcome, rating, report_lines
from tests.games.dirt.engine.scenes import RULES, STRAIGHT, Scene, car, stage_of

RUNS = 60
OLD_CAREFUL = {"1/1": 166, "2/3": 199}
"""Mean seconds of the rule-based driver that the codrivers replaced."""


def times(road: str, codriver: str) -> list[int]:
    return sorted(run["seconds"] for run in drive(stage_of(road), codriver=codriver, runs=RUNS, seed=4))


@pytest.mark.slow
@pytest.mark.parametrize("road", ["1/1", "2/3"])
def test_club_beats_cautious_and_cautious_beats_rules_of_thumb(road: str) -> None:
    cautious, club = fmean(times(road, "cautious")), fmean(times(road, "club"))
    assert club + 10 < cautious
    assert cautious + 10 < OLD_CAREFUL[road]


@pytest.mark.slow
def test_bold_is_faster_on_good_days_and_slower_on_bad_ones() -> None:
    club, bold = times("2/3", "club"), times("2/3", "bold")
    quarter = RUNS // 4
    assert fmean(bold[:quarter]) < fmean(club[:quarter])
    assert fmean(bold[-quarter:]) > fmean(club[-quarter:])


def test_chunks_of_runs_come_to_the_same_as_all_at_once() -> None:
    stage = stage_of("4/1")
    whole = drive(stage, codriver="club", runs=6, seed=9)
    assert (
        drive(stage, codriver="club", runs=4, seed=9) + drive(stage, codriver="club", runs=2, seed=9, first=5) == whole
    )
    assert drive(stage, codriver="club", runs=6, seed=10) != whole
    assert drive(stage, codriver="club", runs=2) == drive(stage, codriver="club", runs=2, seed=0)


def driven(**told: Any) -> dict[str, Any]:
    return {"seconds": 100, "retired": False, "crashes": 0, "lost": [], "turns": 8} | told


def test_a_rating_has_par_time_spread_crashes_and_the_worst_tile() -> None:
    rated = rating(
        stage_of("1/1"),
        [
            driven(seconds=90),
            driven(lost=[3, 5]),
            driven(seconds=110, crashes=1, lost=[5]),
            driven(seconds=140, crashes=2, lost=[2, 5]),
            driven(seconds=None, retired=True),
        ],
    )
    assert (rated["runs"], rated["finished"], rated["retired"]) == (5, 4, 1)
    assert (rated["best"], rated["quartiles"], rated["par"], rated["worst"]) == (90, [98, 118], 105, 140)
    assert rated["crash_share"] == 0.4
    assert (rated["tiles"], rated["most_dangerous_tile"]) == ({"2": 1, "3": 1, "5": 3}, 5)


def test_a_stage_that_nobody_finishes_has_no_par_time() -> None:
    rated = rating(stage_of("1/1"), [driven(seconds=None, retired=True)])
    assert (rated["par"], rated["mean"], rated["best"], rated["most_dangerous_tile"]) == (None, None, None, None)
    assert rating(stage_of("1/1"), [driven()])["quartiles"] == [100, 100]
    nobody = rating(stage_of("1/1"), [])
    assert (nobody["runs"], nobody["crash_share"], nobody["losses"]) == (0, 0, 0)


def test_a_run_that_ends_without_a_gear_die_has_no_time() -> None:
    """E7: the last gear die is lost in a crash on tile 2."""
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 3, damage={"gear": 5}))
    scene.turn("ana", "3:1.3.l c:2.1.l c:2.2.l", "!!!", cards=["crash 1/2/3"], tokens=["gear"])
    assert scene.car("ana")["stage_time"] is not None
    assert outcome(scene.stage, scene.car("ana"), scene.events) == {
        "seconds": None, "retired": True, "crashes": 1, "lost": [2], "turns": 1
    }  # fmt: skip


def test_shares_have_four_decimals_and_times_are_in_minutes() -> None:
    rated = rating(stage_of("1/1"), [driven(seconds=180, lost=[3], crashes=1), *[driven(seconds=245)] * 2])
    assert (rated["losses"], rated["crash_share"]) == (0.3333, 0.3333)
    assert list(report_lines("1/1", "club", rated))[2:4] == [
        "par time 4:05, half of all runs from 3:32 to 4:05",
        "fastest 3:00, slowest 4:05, mean 3:43",
    ]


def test_the_command_prints_words_or_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drive", "4/1", "--runs", "5", "--seed", "2", "--json"]) == 0
    rated = json.loads(capsys.readouterr().out)
    assert (rated["stage"], rated["codriver"], rated["runs"]) == ("4/1", "club", 5)
    assert main(["drive", "4/1", "--runs", "5", "--seed", "2"]) == 0
    words = capsys.readouterr().out
    assert f"par time 0:{rated['par']}" in words
    assert main(["drive", "4/1", "--runs", "0"]) == 2


def test_between_stages_it_mends_what_it_can_and_takes_no_penalty() -> None:
    options = RULES.clean_options({})
    worn = {"damage": {"gear": 0, "coast": 1, "brake": 0}, "spare": True, "sisu": True}
    for aboard, answers in ((worn, {"spare": True, "penalties": 0}), (RULES.new_luggage(options), {"penalties": 0})):
        terms: dict[str, Any] = {"service": False, "options": options, "last_stage": False}
        handed_in = time_control(RULES.decisions(aboard, **terms))
        assert handed_in == answers
        mended, seconds = RULES.decide(aboard, handed_in, **terms)
        assert (mended["damage"]["coast"], seconds) == (0, 0)

"""Season files that are damaged, tired or hostile: each is refused with the field, the rule and what to do."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from championship.seasons.scoring.document_nodes import SeasonFileError
from championship.seasons.scoring.season_file import read, tables_of
from championship.seasons.scoring.season_writing import document_of

GONE = object()
HUGE = 10**9
GOOD: dict[str, Any] = {
    "scheme": {
        "points": [25, 18, 15],
        "power": [5, 4, 3],
        "bonus": {"fastest_lap": {"points": 1, "within": 10}},
        "drops": {"worst": 1, "never": [2]},
        "tie_breaks": ["wins", "places"],
        "teams": {"how": "rerank", "cars": 2},
        "classes": {"RC1": {}, "RC2": {"points": [5, 4]}},
        "divisions": {"names": ["RC1", "RC2"], "up": 1, "down": 1},
    },
    "rounds": [
        {
            "name": "One",
            "results": [
                {"driver": "Ana", "place": 1, "class": "RC1", "team": "Red"},
                {"driver": "Bo", "place": 2, "class": "RC2", "team": "Blue"},
                {"driver": "Cem", "status": "retired", "class": "RC1"},
            ],
        },
        {
            "name": "Two",
            "factor": 0.5,
            "game": "cards",
            "results": [
                {"driver": "Bo", "time": 61.5, "class": "RC2", "team": "Blue"},
                {"driver": "Ana", "time": 62, "class": "RC1", "team": "Red"},
                {"driver": "Dag", "time": "63.25", "shared_with": ["Eva"], "class": "RC1"},
            ],
        },
    ],
    "adjustments": [{"driver": "Ana", "points": -3, "round": 1, "reason": "Late"}],
    "withdrawn": [{"driver": "Cem", "from_round": 2}],
}
FIRST, THIRD, LAST = "rounds[0].results[0]", "rounds[0].results[2]", "rounds[1].results[2]"
AGAIN = {"driver": "Ana", "place": 4, "class": "RC1"}
PART = {"rounds": [1, 2], "best": 1}

DAMAGE: list[tuple[str, Any, str]] = [
    # a field that is missing, misspelt, or something else
    ("scheme", GONE, "scheme: this is missing"),
    ("scheme", None, "scheme: an object, { }, is needed"),
    ("scheme", [], "scheme: an object, { }, is needed"),
    ("seson", {}, "seson: there is no such field; known: scheme, rounds"),
    ("rounds", GONE, "rounds: this is missing"),
    ("rounds", {}, "rounds: a list, [ ], is needed"),
    ("rounds", [], "adjustments[0].driver: nobody of this name is in any result"),
    ("rounds[1].reslts", [], "rounds[1].reslts: there is no such field (is “results” meant?)"),
    ("rounds[1].results", None, "rounds[1].results: a list, [ ], is needed"),
    ("scheme.po\nints", 1, "scheme.po ints: there is no such field (is “points” meant?)"),
    ("scheme.tiebreaks", [], "(is “tie_breaks” meant?)"),
    # points
    ("scheme.points", "25, 18", "scheme.points: a list, [ ], is needed"),
    ("scheme.points", [1] * 5000, "scheme.points: at most 1000 values"),
    ("scheme.points[0]", -1, "scheme.points[0]: a number from 0 to 1000000"),
    ("scheme.points[0]", HUGE, "scheme.points[0]: a number from 0 to 1000000"),
    ("scheme.points[0]", float("nan"), "scheme.points[0]: a number from 0"),
    ("scheme.points[0]", "1e400", "scheme.points[0]: a number from 0"),
    ("scheme.points[0]", True, "scheme.points[0]: a number is needed"),
    ("scheme.points[0]", "12,5", "scheme.points[0]: a number is needed here, with a point before its decimals"),
    ("scheme.points[0]", 0.333, "scheme.points[0]: at most 2 decimal places"),
    ("scheme.power", None, "scheme.power: a list, [ ], is needed"),
    ("scheme.bonus.fastest_lp", {"points": 1}, "(is “fastest_lap” meant?)"),
    ("scheme.bonus.fastest_lap.within", 0, "within: a whole number from 1"),
    ("scheme.bonus.stage_win", {"points": 1, "shared": "each"}, "stage_win.shared: there is no such field"),
    # which rounds count, and ties
    ("scheme.drops.worst", -1, "scheme.drops.worst: a whole number from 0"),
    ("scheme.drops.best", 2, "scheme.drops: one of worst, best and parts"),
    ("scheme.drops", {"parts": [{"rounds": [5, 1], "best": 1}]}, "rounds[1]: the last round is not before the first"),
    ("scheme.drops", {"parts": [PART, PART]}, "scheme.drops.parts[1].rounds: round 1 is in another part"),
    ("scheme.drops.never", [0], "scheme.drops.never[0]: a whole number from 1"),
    ("scheme.drops.together", [[1, 2], [2, 3]], "scheme.drops.together[1]: a round belongs to one meeting"),
    ("scheme.drops.together", [[2, 1]], "scheme.drops.together[0][1]: the last round is not before the first"),
    ("scheme.joker", 2, "scheme.joker: how many rounds a driver may nominate is missing"),
    ("scheme.joker", "double", "scheme.joker: a number is needed"),
    ("scheme.sizes", {"6": [10]}, "scheme.sizes: a list, [ ], is needed"),
    ("scheme.sizes", [{"cars": 6, "points": [1]}] * 2, "scheme.sizes[1].cars: each number of cars once"),
    ("scheme.tie_breaks", ["win"], "scheme.tie_breaks[0]: one of these is needed here: wins"),
    ("scheme.tie_breaks", ["wins", "wins"], "scheme.tie_breaks[1]: each tie-break once"),
    ("scheme.least_starts", HUGE, "scheme.least_starts: a whole number from 0"),
    ("scheme.nominated", -1, "scheme.nominated: a whole number from 0"),
    # teams, classes and divisions
    ("scheme.teams.how", "Rerank", "scheme.teams.how: one of these is needed here: sum, rerank"),
    ("scheme.classes", {"rc2": {}}, "rounds[0].results[1].class: this is “rc2” in another place"),
    ("scheme.divisions.names[1]", "RC9", "scheme.divisions.names[1]: no result has this class (is “RC2” meant?)"),
    ("scheme.divisions.names[1]", "RC1", "scheme.divisions.names[1]: each division once"),
    ("scheme.divisions.up", "1", "scheme.divisions.up: a whole number"),
    # rounds
    ("rounds[1].factor", -1, "rounds[1].factor: a number from 0 to 1000"),
    ("rounds[1].factor", "half", "rounds[1].factor: a number is needed"),
    ("rounds", [GOOD["rounds"][0]] * 2, "rounds[1]: this is rounds[0] once more: remove one, or"),
    ("rounds[1].game", "", "rounds[1].game: a text of 1 to 120 letters"),
    # drivers
    (f"{FIRST}.driver", 7, f"{FIRST}.driver: a text of 1 to 120 letters"),
    (f"{FIRST}.driver", "A" * 500, f"{FIRST}.driver: a text of 1 to 120 letters"),
    (f"{FIRST}.driver", "\u200b\ufeff", f"{FIRST}.driver: a text that can be seen"),
    (f"{FIRST}.driver", "A\u0007na", f"{FIRST}.driver: a text without control characters"),
    (f"{FIRST}.driver", "\u202eAN\u200bA", "rounds[1].results[1].driver: this is “ANA” in another place"),
    ("rounds[0].results[3]", AGAIN, f"rounds[0].results[3].driver: Ana is in {FIRST} already"),
    (f"{LAST}.shared_with", ["Dag"], f"{LAST}.shared_with: each driver of a car once"),
    (f"{LAST}.shared_with", "Eva", f"{LAST}.shared_with: a list, [ ], is needed"),
    # results
    (f"{FIRST}.place", 0, f"{FIRST}.place: a whole number from 1 to 1000"),
    (f"{FIRST}.place", HUGE, f"{FIRST}.place: a whole number from 1 to 1000"),
    (f"{FIRST}.place", 1.5, f"{FIRST}.place: a whole number from 1 to 1000"),
    (f"{FIRST}.place", GONE, f"{FIRST}: a place, a time or a status is needed"),
    (f"{FIRST}.time", 61.5, f"{FIRST}.time: a round has places or times, not both"),
    (f"{LAST}.time", "1:03.25", f"{LAST}.time: a number of seconds is needed"),
    (f"{LAST}.time", 0, f"{LAST}.time: a time above 0 is needed here; a car without a time has a status"),
    (f"{THIRD}.status", "DNF", f"{THIRD}.status: one of these is needed here: retired, did not start"),
    (f"{FIRST}.status", "did not start", f"{FIRST}.status: an entry with a place has no such status"),
    (f"{FIRST}.guest", "yes", f"{FIRST}.guest: true or false"),
    (f"{FIRST}.published_power", 4, f"{FIRST}.published_power: this is a part of published"),
    # points by hand, and who left
    ("adjustments", GOOD["adjustments"][0], "adjustments: a list, [ ], is needed"),
    ("adjustments[0].driver", "Anna", "adjustments[0].driver: nobody of this name is in any result (is “Ana” meant?)"),
    ("adjustments[0].team", "Red", "adjustments[0]: a driver or a team"),
    ("adjustments[0].points", -HUGE, "adjustments[0].points: a number from -1000000"),
    ("adjustments[0].round", 3, "adjustments[0].round: a whole number from 1 to 2"),
    ("withdrawn[1]", GOOD["withdrawn"][0], "withdrawn[1].driver: each driver once"),
    ("withdrawn[0].from_round", 0, "withdrawn[0].from_round: a whole number from 1 to 3"),
]


def test_no_driver_plays_more_jokers_than_the_scheme_allows_and_meetings_are_not_nominated() -> None:
    document = deepcopy(GOOD)
    document["scheme"] |= {"nominated": 1, "joker": 2}
    for each in document["rounds"]:
        next(one for one in each["results"] if one["driver"] == "Bo")["nominated"] = True
    with pytest.raises(SeasonFileError, match=re.escape("rounds[1].results: Bo has nominated more rounds")):
        tables_of(document)
    document["scheme"]["joker"] = 1
    document["scheme"]["drops"] = {"together": [[1, 2]]}
    with pytest.raises(SeasonFileError, match=re.escape("scheme.drops.together: rounds are nominated one by one")):
        tables_of(document)


def damaged(where: str, value: Any) -> dict[str, Any]:
    """Return the good file with this value at a path."""
    document = deepcopy(GOOD)
    *steps, last = [int(number) if number else name for number, name in re.findall(r"\[(\d+)\]|([^.\[\]]+)", where)]
    found: Any = document
    for step in steps:
        found = found[step]
    if value is GONE:
        del found[last]
    elif isinstance(found, list) and last == len(found):
        found.append(value)
    else:
        found[last] = value
    return document


def test_the_file_is_good_before_it_is_damaged() -> None:
    assert [line["driver"] for line in tables_of(GOOD)["drivers"]] == ["Bo", "Ana", "Dag", "Eva", "Cem"]


@pytest.mark.parametrize(("where", "value", "said"), DAMAGE, ids=range(len(DAMAGE)))
def test_a_damaged_file_is_refused_in_words_and_stays_as_it_is(where: str, value: Any, said: str) -> None:
    document = damaged(where, value)
    before = repr(document)
    with pytest.raises(SeasonFileError) as refused:
        tables_of(document)
    assert said in str(refused.value) and "\n" not in str(refused.value)
    assert repr(document) == before


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b" \n", "the file is empty"),
        (json.dumps(GOOD).encode("utf-16"), "the file is not in UTF-8: save it as UTF-8"),
        ("{“scheme”: {}}".encode(), "this is no JSON"),
        (json.dumps(GOOD).encode()[:300], "this is no JSON"),
        (b'{"scheme": {"points": [' + b"9" * 5000 + b"]}}", "a number in the file is too long"),
        (b"[" * 100_000, "lists and objects in the file lie too deep in each other"),
        (b"null", "an object, { }, is needed here"),
        (b'{"scheme": {"points": [1e999]}, "rounds": []}', "scheme.points[0]: a number from 0"),
        (b'{"rounds": [{"results": [{"driver": "A", "driver": "B"}]}]}', "driver: this field is there twice"),
    ],
    ids=range(9),
)
def test_a_file_that_is_no_season_is_one_line_and_the_next_file_is_read(content, said, tmp_path, capsys) -> None:
    bad, good = tmp_path / "bad.json", tmp_path / "good.json"
    bad.write_bytes(content)
    good.write_text(json.dumps(GOOD))
    with pytest.raises(CommandError) as ended:
        call_command("compute_season", str(bad), str(good))
    told = capsys.readouterr()
    assert ended.value.returncode == 2 and told.err.count("\n") == 1 and f"bad.json: {said}" in told.err
    assert [json.loads(line) for line in told.out.splitlines()] == [tables_of(GOOD)]
    assert bad.read_bytes() == content


def test_two_rounds_of_one_name_and_one_result_are_written_with_two_names_and_read_again() -> None:
    season = read({**GOOD, "rounds": [GOOD["rounds"][0], {**GOOD["rounds"][0], "name": "Two"}]})
    rounds = tuple(replace(each, name="One") for each in season.rounds)
    written = document_of(replace(season, rounds=rounds))
    assert [each["name"] for each in written["rounds"]] == ["One", "One (2)"]
    assert [line["points"] for line in tables_of(written)["drivers"]] == [22, 18, 0]


def test_a_list_with_more_points_of_the_power_stage_than_in_all_is_written_so_that_it_is_read_again() -> None:
    season = read(GOOD)
    first = season.rounds[0]
    results = tuple(replace(one, published=300, published_power=500) for one in first.results)
    written = document_of(replace(season, rounds=(replace(first, results=results), *season.rounds[1:])))
    assert {one["published_power"] for one in written["rounds"][0]["results"]} == {3}
    assert {line["rounds"][0] for line in tables_of(written)["drivers"]} - {None} == {3}

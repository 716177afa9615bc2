"""Tracks of clubs: parsed, checked line by line, raced on."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from importlib.resources import files

import pytest

from engine.contract import StageError
from engine.formula_d import scenario
from engine.formula_d.track import coordinates_of_spaces, load_track, names, weather_of
from engine.formula_d.track_files import FARTHEST, faults
from tests.games.formula_d.engine.drawn import GAME, Lot

Change = Callable[[list[str]], list[str]]


def text(name: str = "monza") -> str:
    return files("engine.formula_d").joinpath("data", "tracks", f"{name}.csv").read_text("utf-8")


def lines() -> list[str]:
    return text().splitlines()


def with_words(space: str, /, **words: str) -> Change:
    """Return a file in which the line of a space has other words."""

    def changed(rows: list[str]) -> list[str]:
        columns = rows[0].split(",")
        found = []
        for row in rows:
            cells = row.split(",")
            if cells[0] == space:
                for name, word in words.items():
                    cells[columns.index(name)] = word
            found.append(",".join(cells))
        return found

    return changed


def word(space: str, column: str) -> str:
    rows = lines()
    return next(row.split(",")[rows[0].split(",").index(column)] for row in rows if row.startswith(f"{space},"))


def number(space: str) -> int:
    return next(place for place, row in enumerate(lines(), 1) if row.startswith(f"{space},"))


@pytest.mark.parametrize("name", names())
def test_ready_made_tracks_are_whole(name: str) -> None:
    assert faults({"csv": text(name)}) == []


def test_an_imported_track_is_read_written_and_raced_on() -> None:
    course = GAME.read_course({"csv": "# weather: rain 1-1, unsettled 2-2, good 3-20\n" + text(), "title": "Own ring"})
    assert GAME.read_course(course) == course
    assert GAME.read_course(tomllib.loads(GAME.write_course(course))) == course
    assert GAME.read_course(tomllib.loads(GAME.write_course({"track": "monza"}))) == {"track": "monza"}
    state = GAME.setup(course, [{"id": "ana"}, {"id": "bo"}], {})
    own = load_track(state["track"])
    assert (own.title, own.weather[0], own.weather[2]) == ("Own ring", "rain", "good")
    assert own.nexts == load_track("monza").nexts and own.stops == load_track("monza").stops
    chance = Lot(1)
    state, _ = GAME.begin(state, chance)
    for _ in range(6):
        (seat,) = GAME.to_play(state)
        state, _ = GAME.play(state, seat, GAME.choices(state, seat).ways[0].orders, chance)
    assert state["cars"]["ana"]["space"] in own.index


SPOILT = {
    "a dead end": (with_words("S2.1.3", next=""), "F2", "S2.1.3"),
    "no such next": (with_words("S2.1.3", next="S2.1.4 S9.9.9"), "F2", "S2.1.3"),
    "no such lane": (with_words("S2.1.3", lane="2"), "F1", "S2.1.3"),
    "no kind": (with_words("S2.1.3", kind="gravel"), "F1", "S2.1.3"),
    "another kind": (with_words("S2.1.3", kind="pit"), "F1", "S2.1.3"),
    "no name": (with_words("S2.1.3", space="X2.1.3"), "F1", "X2.1.3"),
    "no stops": (with_words("C1.1.3", stops="4"), "F6", "C1.1.3"),
    "other stops": (with_words("C1.1.3", stops="1"), "F6", "C1.1.3"),
    "stops on a straight": (with_words("S2.1.3", stops="1"), "F6", "S2.1.3"),
    "no number": (with_words("S2.1.3", along="far"), "F4", "S2.1.3"),
    "no place": (with_words("S2.1.3", x="nan"), "F4", "S2.1.3"),
    "a place too far away": (with_words("S2.1.3", x="1e9999"), "F4", "S2.1.3"),
    "nothing ahead": (with_words("S2.1.3", ahead=""), "F3", "S2.1.3"),
    "a lane that ends": (with_words("S2.1.3", ahead="S2.2.4", next="S2.1.4 S2.2.4"), "F3", "S2.1.3"),
    "ahead not next": (with_words("S2.1.3", next="S2.2.3"), "F3", "S2.1.3"),
    "a finish of its own": (with_words("S2.1.3", finish="x"), "F5", "S2.1.3"),
    "itself": (with_words("S2.1.3", next="S2.1.3 S2.1.4"), "F2", "S2.1.3"),
    "a corner's number": (with_words("C1.1.3", corner="2"), "F1", "C1.1.3"),
    "a grid place twice": (with_words("S2.1.3", grid="1"), "Y3", ""),
    "a box on the track": (with_words("S2.1.3", garage="A1"), "Y6", ""),
}


def test_a_survey_reports_all_errors_or_the_length_of_the_track() -> None:
    spoilt = with_words("S2.1.3", next="")(with_words("C1.1.3", stops="4")(lines()))
    assert {fault.piece for fault in GAME.survey({"csv": "\n".join(spoilt)}).wrong} >= {number("C1.1.3")}
    whole = GAME.survey({"csv": text()})
    assert whole.whole and whole.spaces == len(lines()) - 1 and whole.sections == 13
    assert GAME.survey("monza").course == {"track": "monza"}
    nothing = GAME.survey({})
    assert nothing.course == {} and nothing.missing and not nothing.wrong and not nothing.whole


@pytest.mark.parametrize("name", names())
def test_every_space_has_a_place_in_the_order_of_the_file(name: str) -> None:
    found = coordinates_of_spaces(name)
    assert len(found) == len(load_track(name).spaces)
    assert coordinates_of_spaces(text(name)) == found == coordinates_of_spaces("# title: Ring\n" + text(name))
    assert all(0 <= place.heading < 360 for place in found)


@pytest.mark.parametrize("name", SPOILT)
def test_each_error_is_reported_with_its_line(name: str) -> None:
    change, rule, space = SPOILT[name]
    found = faults({"csv": "\n".join(change(lines()))})
    assert rule in {fault.rule for fault in found}, [str(fault) for fault in found]
    if space:
        place = number(space.replace("X", "S"))
        assert any(fault.rule == rule and fault.piece == place for fault in found)
        assert any(f"line {place}, {space}" in fault.message for fault in found)
    with pytest.raises(StageError):
        GAME.read_course({"csv": "\n".join(change(lines()))})


def without(*spaces: str) -> list[str]:
    """Return a file without the lines of these spaces."""
    return [row for row in lines() if row.split(",")[0] not in spaces]


def test_f2_a_line_that_is_missing_is_one_fault_and_not_one_for_each_neighbour() -> None:
    (fault,) = faults({"csv": "\n".join(without("S2.1.3"))})
    naming = {place for place, row in enumerate(without("S2.1.3"), 1) if "S2.1.3" in row.replace(",", " ").split()}
    first = min(naming)
    assert (fault.rule, fault.piece, len(naming) > 2) == ("F2", first, True)
    assert fault.message.endswith(f": there is no space S2.1.3; lines that name it too: {len(naming) - 1}")
    two = faults({"csv": "\n".join(without("S2.1.3", "C1.1.3"))})
    assert len(two) == 2 and all(fault.rule == "F2" for fault in two)


SAID = {
    "a dead end": "the space is a dead end",
    "no such next": "next: there is no space S9.9.9",
    "no such lane": "the lane is 1",
    "no kind": "kind is one of straight, corner, pit, stall",
    "another kind": "the name does not fit its kind",
    "no name": "there is no such name of a space",
    "no stops": "a corner has a number and 1 to 3 stops",
    "other stops": "the corner has other stops elsewhere",
    "stops on a straight": "stops belong to corners",
    "no number": "along is a number",
    "no place": "x is a number",
    "nothing ahead": "one space is ahead",
    "a lane that ends": "the space ahead is in another lane",
    "ahead not next": "the space ahead is not among the next ones",
    "a finish of its own": "finish is 1 or empty",
    "itself": "the space leads to itself",
    "a corner's number": "the number of the corner does not fit the name",
    "a grid place twice": "grid: a wrong value, or the same one twice",
    "a box on the track": "garage: not here",
}


@pytest.mark.parametrize("name", SAID)
def test_what_each_fault_says(name: str) -> None:
    told = [fault.message for fault in faults({"csv": "\n".join(SPOILT[name][0](lines()))})]
    assert any(message.startswith("line ") and message.endswith(f": {SAID[name]}") for message in told), told


@pytest.mark.parametrize(
    ("space", "more", "rule", "said"),
    [
        ("PITA1", "S1.1.1", "P2", "a box leads into the pit lane"),
        ("S2.1.3", "P.0.1", "P1", "the pit lane begins with P.0.0"),
    ],
)
def test_p1_p2_ways_that_there_are_not_in_the_pits(space: str, more: str, rule: str, said: str) -> None:
    found = faults({"csv": "\n".join(with_words(space, next=f"{word(space, 'next')} {more}")(lines()))})
    assert [(fault.rule, fault.message) for fault in found] == [(rule, f"line {number(space)}, {space}: {said}")]


def test_p2_a_box_that_no_way_leads_to() -> None:
    before = next(space for space in load_track("monza").spaces if "PITA1" in word(space, "next").split())
    onward = " ".join(to for to in word(before, "next").split() if to != "PITA1")
    found = faults({"csv": "\n".join(with_words(before, next=onward)(lines()))})
    said = f"line {number('PITA1')}, PITA1: no way leads here from the pit lane"
    assert [(fault.rule, fault.message) for fault in found] == [("P2", said)]


def test_f1_f5_an_area_and_the_line_have_three_lanes() -> None:
    found = faults({"csv": text().replace("S2.3.", "S20.3.")})
    assert {fault.message.partition(": ")[2] for fault in found} == {"the area does not have three lanes"}
    assert len(found) == 2
    first = next(
        space for space in load_track("monza").spaces if load_track("monza").finish[load_track("monza").index[space]]
    )
    found = faults({"csv": "\n".join(with_words(first, finish="")(lines()))})
    assert ("F5", "the finish line crosses lanes 1, 2 and 3") in [(fault.rule, fault.message) for fault in found]


def test_f3_neighbours_are_symmetrical() -> None:
    beside = word("S2.1.3", "beside")
    found = faults({"csv": "\n".join(with_words("S2.1.3", beside="")(lines()))})
    assert {fault.rule for fault in found} == {"F3"}
    assert {fault.piece for fault in found} == {number(one) for one in beside.split()}


def test_f2_the_lap_is_closed() -> None:
    """A space to which no other leads, and a way back that goes round without the line."""

    def lonely(rows: list[str]) -> list[str]:
        columns = rows[0].split(",")
        place = columns.index("next")
        return [
            ",".join(
                " ".join(to for to in cell.split() if to != "S2.1.3") if at in (place, columns.index("ahead")) else cell
                for at, cell in enumerate(row.split(","))
            )
            for row in rows
        ]

    assert faults({"csv": "\n".join(lonely(lines()))})
    nexts = word("S2.1.3", "next")
    found = faults({"csv": "\n".join(with_words("S2.1.3", next=f"{nexts} S2.1.1")(lines()))})
    assert [fault.rule for fault in found] == ["F5"]
    found = faults({"csv": "\n".join(row for row in lines() if not row.startswith("PITC1"))})
    assert found


def test_f5_y6_p1_what_a_track_has_as_a_whole() -> None:
    for gone, rule in (("finish", "F5"), ("grid", "Y3"), ("garage", "Y6")):
        rows = lines()
        place = rows[0].split(",").index(gone)
        spoilt = [rows[0]]
        for row in rows[1:]:
            cells = row.split(",")
            cells[place] = ""
            spoilt.append(",".join(cells))
        assert rule in {fault.rule for fault in faults({"csv": "\n".join(spoilt)})}
    entry = [space for space in load_track("monza").spaces if "P.0.0" in word(space, "next").split()]
    rows = lines()
    for space in entry:
        others = " ".join(to for to in word(space, "next").split() if to != "P.0.0")
        rows = with_words(space, next=others)(rows)
    assert [fault.rule for fault in faults({"csv": "\n".join(rows)})] == ["P1"]


def test_f1_files_that_are_no_tracks() -> None:
    for spoilt in ("", "a,b\n1,2\n", ",".join(lines()[0].split(",")[:-3]) + "\n", lines()[0] + "\n"):
        assert [fault.rule for fault in faults({"csv": spoilt})] == ["F1"]
    assert [fault.rule for fault in faults({})] == ["F1"]
    double = [*lines(), lines()[5]]
    assert {fault.rule for fault in faults({"csv": "\n".join(double)})} == {"F1"}
    for nothing in (None, 7, "nowhere", {"track": ["monza"]}, {"csv": 3}):
        found = GAME.survey(nothing)
        assert found.course is None and len(found.wrong) == 1
    with pytest.raises(StageError):
        GAME.setup({"csv": "monza\nmonaco"}, [{"id": "ana"}], {})
    with pytest.raises(StageError):
        scenario.play({"game": "formula_d", "track": "monza\nmonaco", "cars": [{"id": "ana"}]})
    with pytest.raises(StageError, match="no track"):
        GAME.read_course("nowhere")
    with pytest.raises(StageError, match="by its name"):
        GAME.read_course(7)


@pytest.mark.parametrize("words", ["rain 1-20", "", "rain 1-6, unsettled 6-11, good 12-20", "rain 1-5, good 12-20"])
def test_f7_the_weather_table_gives_every_result(words: str) -> None:
    if words == "rain 1-20":
        assert set(weather_of(words)) == {"rain"}
        return
    with pytest.raises(StageError):
        weather_of(words)
    assert "F7" in {fault.rule for fault in faults({"csv": f"# weather: {words}\n{text()}"})}


def test_what_is_said_of_lines_that_are_there_twice_or_missing() -> None:
    twice = [*lines(), next(row for row in lines() if row.startswith("S2.1.3,"))]
    assert f"line {len(twice)}, S2.1.3: the space is there twice" in said_of(twice)
    first = next(row.split(",")[0] for row in lines() if row.split(",")[lines()[0].split(",").index("grid")] == "1")
    assert "grid: 1 are missing" in said_of(with_words(first, grid="")(lines()))
    unnamed = re.sub(r" ?\bP\.0\.0\b", "", "\n".join(without("P.0.0")))
    found = [(fault.rule, fault.message) for fault in faults({"csv": unnamed})]
    assert ("P1", "there is no pit lane: P.0.0 is missing") in found


def test_p1_no_way_from_the_track_leads_into_the_pit_lane() -> None:
    rows = lines()
    for space in load_track("monza").spaces:
        nexts = word(space, "next").split()
        if "P.0.0" in nexts:
            rows = with_words(space, next=" ".join(to for to in nexts if to != "P.0.0"))(rows)
    assert f"line {number('P.0.0')}, P.0.0: no way leads here from the track" in said_of(rows)


def test_f4_a_place_may_lie_as_far_as_the_bound() -> None:
    assert not said_of(with_words("S2.1.3", x=str(FARTHEST))(lines()))
    assert said_of(with_words("S2.1.3", x=f"{FARTHEST}.01")(lines())) == [
        f"line {number('S2.1.3')}, S2.1.3: x goes up to {FARTHEST}"
    ]


def said_of(rows: list[str]) -> list[str]:
    return [fault.message for fault in faults({"csv": "\n".join(rows)})]

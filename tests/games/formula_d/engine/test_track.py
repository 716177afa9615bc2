"""The tracks (F) and their files."""

from __future__ import annotations

import csv
from importlib.resources import files

import pytest

from engine.contract import StageError
from engine.formula_d.facts import facts
from engine.formula_d.track import BOX, CORNER, NOWHERE, PIT, STRAIGHT, Track, load_track, names


@pytest.fixture(params=names())
def track(request: pytest.FixtureRequest) -> Track:
    return load_track(str(request.param))


def test_there_are_eight() -> None:
    assert len(names()) == 8
    with pytest.raises(StageError, match="no track spa"):
        load_track("spa")


def test_f1_each_space_lies_in_a_lane_of_an_area(track: Track) -> None:
    for space, kind, lane in zip(track.spaces, track.kind, track.lane, strict=True):
        if kind in (STRAIGHT, CORNER):
            assert space.split(".")[1] == str(lane) and 1 <= lane <= 3
        else:
            assert lane == 0 and space.startswith("P.0." if kind == PIT else "PIT")


def test_f3_ahead_is_one_of_the_next_spaces_and_closes_the_ring(track: Track) -> None:
    for at, to in enumerate(track.ahead):
        if track.kind[at] in (STRAIGHT, CORNER):
            assert to in track.nexts[at] and track.lane[to] == track.lane[at]
    start = track.index["S1.2.0"]
    here, laps = track.ahead[start], 0
    while here != start:
        here, laps = track.ahead[here], laps + 1
        assert laps < len(track.spaces)


def test_f3_beside_is_symmetrical_and_of_the_neighbouring_lane(track: Track) -> None:
    for at, near in enumerate(track.beside):
        for other in near:
            assert at in track.beside[other]
            assert abs(track.lane[at] - track.lane[other]) == 1


def test_f2_nobody_drives_backwards(track: Track) -> None:
    """F2, F4: no step leads back on the lap, but for the one across the line."""
    for at, after in enumerate(track.nexts):
        for to in after:
            if track.kind[at] in (STRAIGHT, CORNER) and track.kind[to] in (STRAIGHT, CORNER):
                assert track.crosses(at, to) or track.along[to] >= track.along[at]


def test_f5_the_line_is_crossed_onto_a_finish_space_from_another(track: Track) -> None:
    index = track.index
    last = track.ahead.index(index["S1.2.0"])
    assert track.crosses(last, index["S1.2.0"])
    assert not track.crosses(index["S1.1.0"], index["S1.2.0"])
    assert not track.crosses(index["S1.2.0"], index["S1.2.1"])


def test_p9_the_pit_lane_leads_across_the_line(track: Track) -> None:
    last = max(at for at, kind in enumerate(track.kind) if kind == PIT)
    assert all(track.crosses(last, to) for to in track.nexts[last]) and track.ahead[last] == NOWHERE


def test_f6_corners_ask_for_one_to_three_stops(track: Track) -> None:
    stops = {track.corner[at]: track.stops[at] for at, kind in enumerate(track.kind) if kind == CORNER}
    assert set(stops.values()) <= {1, 2, 3}
    assert sorted(stops) == list(range(1, len(stops) + 1))


def test_f7_each_face_of_the_black_die_has_weather(track: Track) -> None:
    assert len(track.weather) == facts().black.faces
    assert set(track.weather) == {"good", "unsettled", "rain"}
    rain = 7 if track.name == "monaco" else 5
    assert track.weather.count("rain") == rain and track.weather[0] == "rain" and track.weather[-1] == "good"


def test_y6_each_box_opens_to_the_pit_lane(track: Track) -> None:
    assert set(track.boxes) == set(facts().boxes)
    for at in track.boxes.values():
        assert track.kind[at] == BOX and [track.kind[to] for to in track.nexts[at]] == [PIT]


def test_the_grid_has_ten_places_behind_the_line(track: Track) -> None:
    assert len(track.grid) == facts().most_cars
    assert list(track.grid) == sorted(track.grid, key=lambda at: -track.along[at])


def test_q1_qualifying_begins_in_the_middle_lane_before_the_line(track: Track) -> None:
    assert track.ahead[track.qualifying] == track.index["S1.2.0"]


def test_each_space_has_a_place_on_the_drawing(track: Track) -> None:
    text = files("engine.formula_d").joinpath("data", "tracks", f"{track.name}.csv").read_text("utf-8")
    places = {(row["x"], row["y"]) for row in csv.DictReader(text.splitlines())}
    assert len(places) == len(track.spaces)


def test_g1_faces_of_the_gear_dice() -> None:
    gears = facts().gears
    assert {gear: (min(faces), max(faces)) for gear, faces in gears.items()} == {
        1: (1, 2), 2: (2, 4), 3: (4, 8), 4: (7, 12), 5: (11, 20), 6: (21, 30),
    }  # fmt: skip
    for gear in (1, 4, 5, 6):
        assert len({gears[gear].count(face) for face in gears[gear]}) == 1
    assert gears[2] == (2, 3, 3, 4, 4, 4) and gears[3] == (4, 5, 6, 6, 7, 7, 8, 8)

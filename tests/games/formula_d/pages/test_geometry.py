"""Circuits as drawings: every space once, the lanes closed, nothing outside the picture."""

from math import cos, hypot, pi, sin

import pytest

from championship.games.formula_d.drawing import circuit
from championship.games.formula_d.drawing.geometry import Circuit, Point
from championship.games.formula_d.drawing.maps import covers
from championship.games.formula_d.drawing.scenery import STAND_DEEP, STAND_LONG, scenery
from championship.games.formula_d.drawing.terrain import terrain
from engine.contract import StageError
from engine.formula_d.track import NOWHERE, file_of, names

CLOSEST = 0.35
"""The least distance between the middles of two spaces, in units: with less, cars would overlap."""


def inside(drawing: Circuit, point: Point) -> bool:
    left, top, right, bottom = drawing.bounds
    return left <= point[0] <= right and top <= point[1] <= bottom


def own_track(**replaced: str) -> str:
    """Return a track imported by a club: the lines of a ready-made one, with the same word in some columns
    everywhere.
    """
    head, *lines = file_of("monza").splitlines()
    columns = head.split(",")
    told = []
    for line in lines:
        words = dict(zip(columns, line.split(","), strict=True)) | replaced
        told.append(",".join(words[column] for column in columns))
    return "\n".join([head, *told]) + "\n"


@pytest.mark.parametrize("name", names())
def test_every_space_has_one_place_of_its_own_in_the_picture(name: str) -> None:
    drawing = circuit({"track": name})
    assert [spot.name for spot in drawing.spots] == list(drawing.track.spaces)
    for place, spot in enumerate(drawing.spots):
        assert all(inside(drawing, point) for point in spot.outline), spot.name
        assert covers(spot.outline, (spot.x, spot.y)), spot.name
        for other in drawing.spots[place + 1 :]:
            assert hypot(spot.x - other.x, spot.y - other.y) >= CLOSEST, (spot.name, other.name)


@pytest.mark.parametrize("name", names())
def test_cars_face_the_space_ahead_of_them(name: str) -> None:
    """Headings point forward, in tight bends at least not backward. Boxes are along the pit lane."""
    drawing = circuit({"track": name})
    back = [
        spot.name
        for spot in drawing.spots
        if (to := drawing.track.ahead[spot.index]) != NOWHERE
        and spot.index not in drawing.track.boxes.values()
        and (drawing.spots[to].x - spot.x) * cos(spot.heading) + (drawing.spots[to].y - spot.y) * sin(spot.heading) <= 0
    ]
    assert back == []
    for at in drawing.track.boxes.values():
        box, lane = drawing.spots[at], drawing.spots[drawing.track.ahead[at]]
        assert cos(box.heading - lane.heading) > 0.9, box.name


@pytest.mark.parametrize("name", names())
def test_three_lanes_lead_round_and_the_pit_lane_past_every_box(name: str) -> None:
    drawing = circuit({"track": name})
    on_lanes = [at for way in (*drawing.laps, *(spur[:-1] for spur in drawing.spurs)) for at in way]
    track = [at for at in range(len(drawing.spots)) if not drawing.track.in_the_pits(at)]
    assert sorted(on_lanes) == track
    assert sorted(drawing.track.lane[lap[0]] for lap in drawing.laps) == [1, 2, 3]
    assert all(drawing.track.finish[lap[0]] for lap in drawing.laps)
    boxes = {to for at in drawing.pit for to in drawing.track.nexts[at]} & set(drawing.track.boxes.values())
    assert len(boxes) == len(drawing.track.boxes) == 10


@pytest.mark.parametrize("name", names())
def test_bends_turn_to_the_side_that_their_lanes_tell(name: str) -> None:
    """In a bend that turns by a right angle, the lane on the inside has no more spaces than the one outside."""
    for bend in circuit({"track": name}).bends:
        assert abs(bend.turn) < 2 * pi
        if abs(bend.turn) > pi / 2:
            left, right = len(bend.lanes[0]), len(bend.lanes[2])
            assert (right <= left) if bend.turn > 0 else (left <= right), (name, bend.number)


@pytest.mark.parametrize("name", names())
def test_nothing_stands_on_the_road_or_outside_the_picture(name: str) -> None:
    drawing = circuit({"track": name})
    view, land = scenery(drawing), terrain(drawing)
    assert view.stands and view.trees and view.lamps
    for stand in view.stands:
        for long in (-STAND_LONG / 2, 0.0, STAND_LONG / 2):
            for deep in (-STAND_DEEP / 2, STAND_DEEP / 2):
                corner = (
                    stand.x + long * cos(stand.angle) - deep * sin(stand.angle),
                    stand.y + long * sin(stand.angle) + deep * cos(stand.angle),
                )
                assert inside(drawing, corner)
                assert land.room(corner) > 1
    for thing in (*view.houses, *view.trees, *view.lamps, *view.parks):
        assert inside(drawing, (thing.x, thing.y))
        nearest = min(hypot(spot.x - thing.x, spot.y - thing.y) for spot in drawing.spots)
        assert nearest > 0.6, thing
    assert all(inside(drawing, point) for point in view.water)


def test_the_same_track_has_the_same_land_every_time() -> None:
    drawing = circuit({"track": "monza"})
    assert scenery.__wrapped__(drawing) == scenery.__wrapped__(drawing)


def test_what_is_no_track_is_not_drawn() -> None:
    with pytest.raises(StageError):
        circuit({"track": "nowhere"})
    with pytest.raises(StageError):
        circuit({"csv": "space,kind\nS1.1.0,straight\n"})


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(own_track(x="0", y="0"), id="all on one point"),
        pytest.param(own_track(heading="0"), id="all facing right"),
        pytest.param(own_track(derived=""), id="as it is"),
    ],
)
def test_a_brought_track_is_drawn_wherever_its_spaces_lie(text: str) -> None:
    drawing = circuit({"csv": text})
    assert all(inside(drawing, (spot.x, spot.y)) for spot in drawing.spots)
    assert scenery(drawing).look.land == "park"


def test_a_track_in_another_unit_is_drawn_in_spaces() -> None:
    head, *lines = file_of("monza").splitlines()
    columns = head.split(",")
    larger = []
    for line in lines:
        words = dict(zip(columns, line.split(","), strict=True))
        words |= {axis: str(25 * float(words[axis]) - 7000) for axis in ("x", "y")}
        larger.append(",".join(words[column] for column in columns))
    own, printed = circuit({"csv": "\n".join([head, *larger]) + "\n"}), circuit({"track": "monza"})
    for mine, theirs in zip(own.bounds, printed.bounds, strict=True):
        assert mine == pytest.approx(theirs, abs=0.2)

"""The map of a stage: the road is continuous, and every space of the compiled stage has its own area."""

from itertools import combinations, pairwise
from math import cos, hypot, pi, sin

import pytest

from championship.games.dirt.drawing.centre_lines import HALF, gate
from championship.games.dirt.drawing.layout import draw
from championship.games.dirt.drawing.scenery import scenery, sign_places
from championship.games.dirt.drawing.spaces import Point, Space, layout
from engine import registry
from engine.dirt.course.compiled_stage import compiled
from engine.dirt.facts import faces

RULES = registry.get("dirt")
LIBRARY = {name: RULES.read_course(printed) for name, printed in RULES.library().items()}
ROADS = [(name, backwards) for name, face in faces().items() if face.sections for backwards in (False, True)]
RIM = 0.005
MAY_OVERLAP = ({"lane", "slide"},)


def inside(point: Point, outline: tuple[Point, ...]) -> bool:
    x, y = point
    odd = False
    for (ax, ay), (bx, by) in pairwise((*outline, outline[0])):
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            odd = not odd
    return odd


def well_within(space: Space) -> list[Point]:
    """Return the middle of a space, and points near its corners that are clearly inside it."""
    mx, my = space.middle.x, space.middle.y
    found = [(mx + (x - mx) * part, my + (y - my) * part) for x, y in space.outline for part in (0.4, 0.85)]
    around = [(-RIM, 0), (RIM, 0), (0, -RIM), (0, RIM)]
    return [(mx, my), *((x, y) for x, y in found if all(inside((x + dx, y + dy), space.outline) for dx, dy in around))]


@pytest.mark.parametrize("name", LIBRARY)
def test_t1_the_road_runs_on_over_every_edge(name: str) -> None:
    for before, after in pairwise(draw(LIBRARY[name]).tiles):
        end, start = before.centre_line.end, after.centre_line.start
        assert hypot(end.x - start.x, end.y - start.y) < 1e-9
        assert abs((end.heading - start.heading + pi) % (2 * pi) - pi) < 1e-9


@pytest.mark.parametrize("name", LIBRARY)
def test_t1_no_two_tiles_and_no_service_park_lie_on_one_another(name: str) -> None:
    drawing = draw(LIBRARY[name])
    middles = [tile.centre for tile in drawing.tiles]
    if drawing.service:
        middles.append((drawing.service.x, drawing.service.y))
    assert all(hypot(ax - bx, ay - by) > 1.7 for (ax, ay), (bx, by) in combinations(middles, 2))


@pytest.mark.parametrize("name", LIBRARY)
def test_t2_every_space_of_the_compiled_stage_is_drawn(name: str) -> None:
    spaces = {space.name: space for space in compiled(LIBRARY[name]).spaces if space.kind != "grid"}
    drawn = draw(LIBRARY[name]).spaces
    assert drawn.keys() == spaces.keys()
    for space_name, space in spaces.items():
        assert (drawn[space_name].kind, drawn[space_name].limit) == (space.kind, space.limit)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "backwards"), ROADS)
def test_spaces_of_a_tile_do_not_overlap_but_lanes_and_slides_of_a_row(name: str, backwards: bool) -> None:
    for one, other in combinations(layout(name, backwards).spaces, 2):
        if {one.kind, other.kind} in MAY_OVERLAP and one.slot.split(".")[0] == other.slot.split(".")[0]:
            continue
        assert not any(inside(point, other.outline) for point in well_within(one)), (one.slot, other.slot)
        assert not any(inside(point, one.outline) for point in well_within(other)), (other.slot, one.slot)


@pytest.mark.parametrize(("name", "backwards"), ROADS)
def test_the_middle_of_each_space_lies_in_it(name: str, backwards: bool) -> None:
    for space in layout(name, backwards).spaces:
        assert inside((space.middle.x, space.middle.y), space.outline), space.slot


@pytest.mark.parametrize(("name", "backwards"), ROADS)
def test_t2_left_and_right_are_those_of_the_driver(name: str, backwards: bool) -> None:
    plan = layout(name, backwards)
    for stretch in plan.stretches:
        if stretch.section.kind != "row":
            continue
        road = plan.centre_line.at((stretch.first + stretch.last) / 2)
        lanes = {space.slot: space.middle for space in plan.spaces if space.kind == "lane"}
        for slot, side in (("l", -1), ("r", 1)):
            lane = lanes[f"{stretch.number}.{slot}"]
            to_the_right = (lane.x - road.x) * -sin(road.heading) + (lane.y - road.y) * cos(road.heading)
            assert to_the_right * side > 0


@pytest.mark.parametrize(("name", "backwards"), ROADS)
def test_warning_signs_stand_at_both_ends_on_the_drivers_right(name: str, backwards: bool) -> None:
    plan = layout(name, backwards)
    first, last = sign_places(plan)
    for (x, y), end in ((first, plan.centre_line.start), (last, plan.centre_line.end)):
        to_the_right = (x - end.x) * -sin(end.heading) + (y - end.y) * cos(end.heading)
        assert to_the_right > HALF


@pytest.mark.parametrize(("name", "backwards"), ROADS)
def test_no_tree_stands_on_the_road_or_in_a_shortcut(name: str, backwards: bool) -> None:
    plan = layout(name, backwards)
    road = [plan.centre_line.at(plan.centre_line.length * place / 60) for place in range(61)]
    for thing in scenery(name, backwards).things:
        assert min(hypot(pose.x - thing.x, pose.y - thing.y) for pose in road) > HALF
        assert not any(inside((thing.x, thing.y), space.outline) for space in plan.shortcuts)


def test_backwards_a_tile_keeps_its_ink() -> None:
    there, back = layout("219b", False), layout("219b", True)
    assert (there.centre_line.start.x, there.centre_line.start.y) == (gate("D").x, gate("D").y)
    ours, theirs = ({space.slot: space for space in plan.spaces} for plan in (there, back))
    for slot, mirrored in (("1.l", "5.r"), ("2.s1", "4.s2"), ("3.o1", "3.o3"), ("3.i1", "3.i1"), ("k1.1", "k1.1")):
        one, other = ours[slot].middle, theirs[mirrored].middle
        assert hypot(one.x - other.x, one.y - other.y) < 1e-9, slot


def test_a_car_lies_along_the_road_but_across_it_in_a_drift_or_slide() -> None:
    for space in layout("217b", False).spaces:
        across = abs(sin(space.car.heading - space.middle.heading)) > 0.7
        assert across == (space.kind in ("slide", "outer"))


def test_t4_a_shortcut_touches_the_sections_it_leaves_and_joins() -> None:
    plan = layout("219b", False)
    cut = next(space for space in plan.spaces if space.kind == "shortcut")
    spaces = {space.slot: space for space in plan.spaces}
    for slot in ("1.r", "2.s1", "2.s2", "4.s1", "4.s2", "5.r"):
        shared = [
            point
            for point in cut.outline
            if any(hypot(point[0] - x, point[1] - y) < 0.12 for x, y in spaces[slot].outline)
        ]
        assert shared, slot

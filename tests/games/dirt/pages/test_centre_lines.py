"""The road on one tile: every shape meets its edges in the middle and at right angles."""

from math import hypot, isclose, pi

import pytest

from championship.games.dirt.drawing.centre_lines import HALF, Piece, Pose, SmoothLine, gate, shape

SHAPES = (
    "straight",
    "arc",
    "tight",
    "hairpin",
    "long hairpin",
    "elbow",
    "wide elbow",
    "bulge",
    "double hairpin",
    "wiggle",
)


def same_direction(one: float, other: float) -> bool:
    return abs((one - other + pi) % (2 * pi) - pi) < 1e-9


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_leads_from_the_bottom_edge_to_its_exit_edge(name: str) -> None:
    drawn = shape(name)
    end, door = drawn.centre_line.end, gate(drawn.exit_edge)
    assert drawn.centre_line.start == gate("D")
    assert hypot(end.x - door.x, end.y - door.y) < 1e-9
    assert same_direction(end.heading, door.heading + pi)  # out, where others drive in


@pytest.mark.parametrize("name", SHAPES)
def test_the_whole_width_of_the_road_bends_without_folding(name: str) -> None:
    assert all(abs(piece.length / piece.turn) > HALF for piece in shape(name).centre_line.pieces if piece.turn)


@pytest.mark.parametrize("name", SHAPES)
def test_the_road_stays_on_its_tile(name: str) -> None:
    centre_line = shape(name).centre_line
    for place in range(2, 99):
        for side in (-HALF, HALF):
            pose = centre_line.at(centre_line.length * place / 100, side)
            assert max(abs(pose.y), abs(pose.x) * 3**0.5 / 2 + abs(pose.y) / 2) < 3**0.5 / 2 + 1e-9


def test_a_way_driven_backwards_is_the_same_line() -> None:
    centre_line = shape("double hairpin").centre_line
    back = centre_line.reversed()
    for part in (0.0, 0.2, 0.5, 0.9, 1.0):
        there, here = centre_line.at(part * centre_line.length), back.at((1 - part) * centre_line.length)
        assert hypot(there.x - here.x, there.y - here.y) < 1e-9
        assert same_direction(there.heading, here.heading + pi)


def test_parallels_lie_beside_the_way() -> None:
    centre_line = SmoothLine(Pose(0, 0, 0), (Piece(1), Piece(pi / 2, pi / 2)))
    right = centre_line.beside(0.25)
    assert isclose(right.length, 1 + pi / 2 * 0.75)  # the inside of a right-hand bend is shorter
    assert (
        hypot(
            right.end.x - centre_line.at(centre_line.length, 0.25).x,
            right.end.y - centre_line.at(centre_line.length, 0.25).y,
        )
        < 1e-9
    )


def test_a_part_of_a_way_begins_and_ends_on_it() -> None:
    centre_line = shape("hairpin").centre_line
    part = centre_line.between(0.3, 1.1)
    assert isclose(part.length, 0.8)
    assert hypot(part.end.x - centre_line.at(1.1).x, part.end.y - centre_line.at(1.1).y) < 1e-9


def test_there_is_no_other_shape() -> None:
    with pytest.raises(KeyError):
        shape("corkscrew")

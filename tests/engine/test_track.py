"""T2 to T5: spaces, where they lead, shortcuts, distance."""

from __future__ import annotations

from fractions import Fraction

from engine.dirt.track import Track
from tests.engine.scenes import HAIRPIN, back, track_of


def names_on(track: Track, tile: int) -> list[str]:
    return [space.name for space in track.spaces if space.tile == tile and space.kind != "grid"]


def ahead(track: Track, name: str) -> set[str]:
    return {track.spaces[space].name for space in track.ahead[track.index[name]]}


def distance(track: Track, name: str) -> Fraction:
    return track.spaces[track.index[name]].distance


def limits(track: Track, tile: int) -> dict[str, int | None]:
    return {s.name: s.limit for s in track.spaces if s.tile == tile and s.kind in ("inner", "outer", "shortcut")}


# T2


def test_T2_spaces_are_named_by_tile_section_and_slot() -> None:
    """T2: rows, slide halves, inner and outer spaces, shortcuts; the lines are not counted."""
    track = track_of(HAIRPIN)
    assert names_on(track, 1) == ["1.1.l", "1.1.r", "1.2.l", "1.2.r", "1.3.l", "1.3.r"]
    assert names_on(track, 2) == [
        "2.1.l", "2.1.r", "2.1.s1", "2.1.s2", "2.2.i1", "2.2.o1", "2.2.o2", "2.2.o3", "2.3.l", "2.3.r", "2.3.s1",
        "2.3.s2",
        "2.k1.1",
    ]  # fmt: skip
    assert names_on(track_of(["202a", "231b", "203a"]), 2) == ["2.1.l", "2.1.r", "2.2.m", "2.3.l", "2.3.r"]


def test_T2_driven_backwards_the_last_section_is_the_first() -> None:
    """T2: counting follows the driver; what lay on the right lies on the left."""
    track = track_of(["202a", back("218b"), "203a"])
    water = [space.name for space in track.spaces if space.water]
    assert water == ["2.1.l", "2.1.r"]
    assert not track.outside[track.index["1.2.l"]]
    assert track.outside[track.index["1.2.r"]]


def test_T2_shortcuts_are_counted_as_they_are_met() -> None:
    there, again = track_of(["202a", "215b", "203a"]), track_of(["202a", back("215b"), "203a"])
    assert ahead(there, "2.k1.1") == {"2.3.m"}
    assert ahead(again, "2.k1.1") == {"2.3.m"}
    assert ahead(there, "2.k2.1") == {"2.5.l", "2.5.s1", "2.5.s2"}
    assert ahead(again, "2.k2.1") == {"2.5.l", "2.5.s1", "2.5.s2"}


def test_T2_every_car_stands_on_the_grid_before_the_start_line() -> None:
    """T2: from the grid the first row behind the line is entered, not the one before it."""
    track = track_of(HAIRPIN)
    assert track.spaces[0].name == "grid"
    assert ahead(track, "grid") == {"1.2.l", "1.2.r"}


# T3


def test_T3_straight_on_or_diagonally_to_the_head_of_the_next_section() -> None:
    """T3: both lanes, the first slide half, both ways through a bend; never sideways."""
    track = track_of(HAIRPIN)
    assert ahead(track, "1.2.l") == {"1.3.l", "1.3.r"}
    assert ahead(track, "1.3.r") == {"2.1.l", "2.1.r", "2.1.s1"}
    assert ahead(track, "2.1.l") == {"2.2.i1", "2.2.o1"}
    assert ahead(track, "2.2.o3") == ahead(track, "2.2.i1") == {"2.3.l", "2.3.r", "2.3.s1"}
    assert ahead(track, "2.3.s2") == {"3.1.l", "3.1.r"}


def test_T3_a_slide_is_driven_to_its_end() -> None:
    """T3: the first half leads to the second alone."""
    track = track_of(["202a", "214a", "203a"])
    assert ahead(track, "2.1.s1") == {"2.1.s2"}
    assert ahead(track, "2.1.s2") == {"2.2.i1", "2.2.o1"}


def test_T3_nobody_changes_path_inside_a_bend() -> None:
    track = track_of(["202a", "224a", "203a"])
    assert ahead(track, "2.2.i1") == {"2.2.i2"}
    assert ahead(track, "2.2.o1") == {"2.2.o2"}
    assert ahead(track, "2.2.o2") == {"2.2.o3"}


def test_T3_two_bends_in_a_row_are_two_bends() -> None:
    track = track_of(["202a", "229a", "203a"])
    assert ahead(track, "2.2.o2") == ahead(track, "2.2.i1") == {"2.3.i1", "2.3.o1"}


def test_T3_a_single_space_is_entered_and_left_by_everyone() -> None:
    track = track_of(["202a", "231b", "203a"])
    assert ahead(track, "2.1.l") == ahead(track, "2.1.r") == {"2.2.m"}
    assert ahead(track, "2.2.m") == {"2.3.l", "2.3.r"}


# T4


def test_T4_a_shortcut_hangs_on_inside_lanes_and_slide_halves() -> None:
    """T4: in from the inside lane and both halves, out to the inside lane and both halves, never from or to a bend."""
    track = track_of(HAIRPIN)
    ways_in = {space.name for space in track.spaces if "2.k1.1" in ahead(track, space.name)}
    assert ways_in == {"2.1.r", "2.1.s1", "2.1.s2"}
    assert ahead(track, "2.k1.1") == {"2.3.r", "2.3.s1", "2.3.s2"}


def test_T4_a_shortcut_may_touch_two_rows_at_either_end() -> None:
    track = track_of(["202a", "219b", "203a"])
    ways_in = {space.name for space in track.spaces if "2.k1.1" in ahead(track, space.name)}
    assert ways_in == {"2.1.r", "2.2.r", "2.2.s1", "2.2.s2"}
    assert ahead(track, "2.k1.1") == {"2.4.r", "2.4.s1", "2.4.s2", "2.5.r"}


def test_T4_a_shortcut_of_two_spaces_is_driven_through() -> None:
    track = track_of(["202a", "224b", "203a"])
    assert ahead(track, "2.k1.1") == {"2.k1.2"}
    assert ahead(track, "2.k1.2") == {"2.3.r", "2.3.s1", "2.3.s2"}


def test_T4_driven_backwards_a_shortcut_is_entered_where_it_was_left() -> None:
    """T4: and its inside is the other lane then."""
    track = track_of(["202a", back("219b"), "203a"])
    ways_in = {space.name for space in track.spaces if "2.k1.1" in ahead(track, space.name)}
    assert ways_in == {"2.1.l", "2.2.l", "2.2.s1", "2.2.s2"}
    assert ahead(track, "2.k1.1") == {"2.4.l", "2.4.s1", "2.4.s2", "2.5.l"}


# T5


def test_T5_rows_are_equally_long_and_lanes_level() -> None:
    track = track_of(HAIRPIN)
    assert distance(track, "1.2.l") == distance(track, "1.2.r") == distance(track, "1.3.l") - 1
    assert distance(track, "grid") < distance(track, "1.1.l")


def test_T5_both_ways_through_a_bend_have_one_length() -> None:
    """T5: the length is split evenly by the spaces of a path."""
    track = track_of(["202a", "224a", "203a"])
    before = distance(track, "2.1.l")
    assert [distance(track, f"2.2.i{n}") - before for n in (1, 2)] == [Fraction(1, 2), 1]
    assert [distance(track, f"2.2.o{n}") - before for n in (1, 2, 3)] == [Fraction(1, 3), Fraction(2, 3), 1]


def test_T5_a_slide_row_is_split_in_half() -> None:
    track = track_of(HAIRPIN)
    assert distance(track, "2.1.s2") == distance(track, "2.1.l")
    assert distance(track, "2.1.s1") == distance(track, "2.1.l") - Fraction(1, 2)


def test_T5_a_shortcut_spans_its_bend() -> None:
    one, two = track_of(HAIRPIN), track_of(["202a", "224b", "203a"])
    assert distance(one, "2.k1.1") == distance(one, "2.2.o3")
    assert distance(two, "2.k1.1") == distance(two, "2.2.i1")
    assert distance(two, "2.k1.2") == distance(two, "2.2.i2")


def test_limits_lie_on_the_spaces_in_driving_order() -> None:
    assert limits(track_of(HAIRPIN), 2) == {"2.2.i1": 1, "2.2.o1": 2, "2.2.o2": 2, "2.2.o3": 2, "2.k1.1": 5}


def test_equal_stages_share_one_track() -> None:
    assert track_of("1/1") is track_of("1/1")

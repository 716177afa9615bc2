"""T2 to T5: spaces, where they lead, shortcuts, distance."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction

from engine.dirt.course.compiled_stage import Track, driven
from engine.dirt.facts import Face, Section, Shortcut, faces
from tests.games.dirt.engine.scenes import HAIRPIN, STRAIGHT, back, track_of


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
    assert [section.limit for section in faces()["231b"].sections] == [None, 4, None]


def test_T2_driven_backwards_the_last_section_is_the_first() -> None:
    """T2: counting follows the driver; right and left are swapped."""
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


def test_T2_every_car_starts_on_the_grid_before_the_start_line() -> None:
    """T2: from the grid a car enters the first row after the line, not the one before it."""
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
    """T3: the first half leads only to the second."""
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
    """T4: and the other lane is its inside."""
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
    """T5: the length is divided evenly between the spaces of a path."""
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


# As printed and back again


def test_T2_driven_backwards_a_face_is_its_mirror() -> None:
    """T2: sides, counts and the order of limits are reversed; the features of the road stay."""
    there = Face(
        name="999a",
        edges="AD",
        shape="straight",
        hazard="red",
        sections=(
            Section("row", slide=True, water=True),
            Section("bend", inside="left", inner=(1, 2), outer=(3, 4, 5)),
            Section("bend", inside="right", inner=(6,), outer=(7, 8)),
            Section("single", limit=4, jump=3),
        ),
        shortcuts=(Shortcut(limits=(5, 6), leaves=(1,), joins=(3, 4)),),
    )
    sections, shortcuts = driven(there, backwards=True)
    assert sections == (
        Section("single", limit=4, jump=3),
        Section("bend", inside="left", inner=(6,), outer=(8, 7)),
        Section("bend", inside="right", inner=(2, 1), outer=(5, 4, 3)),
        Section("row", slide=True, water=True),
    )
    assert shortcuts == (Shortcut(limits=(6, 5), leaves=(1, 2), joins=(4,)),)
    assert driven(there, backwards=False) == (there.sections, there.shortcuts)


def test_T5_a_shortcut_of_two_spaces_splits_its_bend() -> None:
    """T5: the first ends half way through the bend, the second at its end."""
    track = track_of(["202a", "224b", "203a"])
    assert distance(track, "2.k1.1") == distance(track, "2.2.i1")
    assert distance(track, "2.k1.2") == distance(track, "2.2.i2") == distance(track, "2.2.o3")


def on_tile(track: Track, found: Sequence[Collection[int]], tile: int = 2) -> dict[str, set[str]]:
    """Return the spaces of a tile with the spaces that belong to each, by name, without those that have none."""
    names = [space.name for space in track.spaces]
    return {
        space.name: {names[other] for other in found[space.index]}
        for space in track.spaces
        if space.tile == tile and found[space.index]
    }


def test_M7_which_cars_are_alongside_each_other() -> None:
    """M7: the lanes of a row; the shortcut on the right and what it touches. Nobody in a bend, nobody who waits."""
    track = track_of(HAIRPIN)
    ends = {"2.1.r", "2.1.s1", "2.1.s2", "2.3.r", "2.3.s1", "2.3.s2"}
    assert on_tile(track, track.beside) == {
        "2.1.l": {"2.1.r"},
        "2.1.r": {"2.1.l", "2.k1.1"},
        "2.3.l": {"2.3.r"},
        "2.3.r": {"2.3.l", "2.k1.1"},
        "2.k1.1": ends,
        **{slide: {"2.k1.1"} for slide in ends if ".s" in slide},
    }
    assert on_tile(track, track.beside, 1) == {
        f"1.{row}.{one}": {f"1.{row}.{other}"} for row in (1, 2, 3) for one, other in ("lr", "rl")
    }


def test_M8_E6_which_spaces_cannot_be_held_together() -> None:
    """M8, E6: a lane and either half of its slide; the inner and the outer way through one bend."""
    track = track_of(HAIRPIN)
    rows = {
        f"2.{row}.{one}": {f"2.{row}.{other}" for other in others}
        for row in (1, 3)
        for ones, others in ((("l", "r"), ("s1", "s2")), (("s1", "s2"), ("l", "r")))
        for one in ones
    }
    bend = {"2.2.i1": {"2.2.o1", "2.2.o2", "2.2.o3"}, **{f"2.2.o{part}": {"2.2.i1"} for part in (1, 2, 3)}}
    assert on_tile(track, track.across) == {**rows, **bend}
    assert on_tile(track, track.across, 1) == {}


def test_O1_only_a_lane_is_outside() -> None:
    """O1: the left lanes of a bend to the right, before and after it; without a bend none is."""
    track = track_of(HAIRPIN)
    left = {space.index for space in track.spaces if space.side == "left"}
    assert {index for index, outside in enumerate(track.outside) if outside} == left
    assert not any(track_of(STRAIGHT).outside)

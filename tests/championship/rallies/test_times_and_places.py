"""Places, gaps and times as a rally writes them."""

import pytest

from championship.rallies.models import Entry
from championship.rallies.results.classification import (
    Line,
    Remarks,
    by_class,
    classify,
    on_podium,
    places,
    podium_steps,
    with_places_won,
)
from championship.rallies.results.retirement_reasons import Retirement, Why
from championship.rallies.templatetags.times import gap, stage_time


@pytest.mark.parametrize(
    ("seconds", "written"),
    [(0, "0:00"), (59, "0:59"), (232, "3:52"), (3600, "1:00:00"), (3725, "1:02:05"), (-5, "−0:05"), (None, "–")],
)
def test_a_stage_time_is_minutes_and_seconds(seconds, written):
    assert stage_time(seconds) == written


@pytest.mark.parametrize(
    ("seconds", "written"), [(0, "+0:00"), (12, "+0:12"), (75, "+1:15"), (-5, "−0:05"), (None, "")]
)
def test_a_gap_has_a_sign(seconds, written):
    assert gap(seconds) == written


@pytest.mark.parametrize(
    ("times", "expected"),
    [([], []), ([100], [1]), ([100, 100, 101], [1, 1, 3]), ([99, 100, 100, 100, 101], [1, 2, 2, 2, 5])],
)
def test_f5_ties_share_a_place(times, expected):
    assert places(times) == expected


def test_gaps_are_to_the_leader_and_to_the_car_ahead():
    entries = {n: Entry(pk=n, start_number=n, crew=f"Crew {n}") for n in (1, 2, 3, 4)}
    lines = classify(
        {1: 250, 2: 240, 3: 252, 4: 240},
        entries,
        {1: Remarks(control=4, penalties=6), 3: Remarks(retired=(Retirement(1),))},
    )
    seen = [(line.entry.pk, line.place, line.to_leader, line.to_ahead) for line in lines]
    assert seen == [(2, 1, None, None), (4, 1, 0, 0), (1, 3, 10, 10), (3, 4, 12, 2)]
    assert [line.added for line in lines] == [0, 0, 10, 0]
    assert lines[3].retired_on == (1,)


def test_all_who_share_third_place_are_on_the_podium():
    entries = {n: Entry(pk=n, start_number=n, crew=f"Crew {n}") for n in range(1, 6)}
    lines = classify({1: 10, 2: 20, 3: 30, 4: 30, 5: 31}, entries, {})
    assert [line.place for line in on_podium(lines)] == [1, 2, 3, 3]
    assert [step.place for step in podium_steps(lines)] == [1, 2, 3, 3], "a step for each"


def test_those_who_share_a_place_stand_on_equal_steps():
    entries = {n: Entry(pk=n, start_number=n, crew=f"Crew {n}") for n in (1, 2, 3)}

    def steps(*seconds: int) -> list[tuple[int, int | None]]:
        lines = classify(dict(enumerate(seconds, 1)), entries, {})
        return [(step.place, step.line and step.line.entry.pk) for step in podium_steps(lines)]

    assert steps(10, 20, 20) == [(1, 1), (2, 2), (2, 3)]
    assert steps(10, 10, 20) == [(1, 1), (1, 2), (3, 3)]
    assert steps(10) == [(1, 1), (2, None), (3, None)]


def test_each_class_has_its_own_places_and_gaps_and_cars_without_a_place_come_last():
    classes = {1: "Rally2", 2: "Rally1", 3: "Rally2", 4: "Rally2", 5: "", 6: "Rally1"}
    entries = {n: Entry(pk=n, start_number=n, crew=f"Crew {n}", car_class=name) for n, name in classes.items()}
    lines = classify({1: 250, 2: 240, 3: 252, 4: 252, 5: 200}, entries, {})
    lines.append(Line(entry=entries[6], place=None, total=260, excluded=True))
    ranked = {
        name: [(line.entry.pk, line.place, line.to_leader, line.to_ahead) for line in found]
        for name, found in by_class(lines)
    }
    assert ranked == {
        "Rally1": [(2, 1, None, None), (6, None, None, None)],
        "Rally2": [(1, 1, None, None), (3, 2, 2, 2), (4, 2, 2, 0)],
    }


def test_places_won_and_lost_are_counted_from_the_stage_before():
    entries = {n: Entry(pk=n, start_number=n, crew=f"Crew {n}") for n in range(1, 5)}
    before = classify({1: 100, 2: 101, 3: 102}, entries, {})
    after = with_places_won(classify({1: 205, 2: 203, 3: 203, 4: 300}, entries, {}), before)
    assert [(line.entry.pk, line.place, line.won, line.lost) for line in after] == [
        (2, 1, 1, 0),
        (3, 1, 2, 0),
        (1, 3, -2, 2),
        (4, 4, None, 0),
    ]


@pytest.mark.parametrize(
    ("why", "said", "here"),
    [
        (Why.WRECKED, "retired on stage 2: wrecked", "retired: wrecked"),
        (Why.MISSED, "retired on stage 2: missed deadlines", "retired: missed deadlines"),
        ("", "retired on stage 2", "retired"),
        ("ran_aground", "retired on stage 2: ran aground", "retired: ran aground"),
    ],
)
def test_a_retirement_says_where_and_why(why, said, here):
    assert str(Retirement(2, why)) == said
    assert Retirement(2, why).here == here

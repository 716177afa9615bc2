"""Places, gaps and times as a rally writes them."""

import pytest

from championship.rallies.classification import classify, on_podium, places
from championship.rallies.models import Entry
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
    lines = classify({1: 250, 2: 240, 3: 252, 4: 240}, entries, {1: 10}, {3: (1,)})
    seen = [(line.entry.pk, line.place, line.to_leader, line.to_ahead) for line in lines]
    assert seen == [(2, 1, None, None), (4, 1, 0, 0), (1, 3, 10, 10), (3, 4, 12, 2)]
    assert [line.added for line in lines] == [0, 0, 10, 0]
    assert lines[3].retired_on == (1,)


def test_shared_thirds_all_stand_on_the_podium():
    entries = {n: Entry(pk=n, start_number=n, crew=f"Crew {n}") for n in range(1, 6)}
    lines = classify({1: 10, 2: 20, 3: 30, 4: 30, 5: 31}, entries, {}, {})
    assert [line.place for line in on_podium(lines)] == [1, 2, 3, 3]

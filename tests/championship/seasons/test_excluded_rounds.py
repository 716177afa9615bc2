"""A round from which a driver was excluded counts with 0 points, however many rounds a season drops."""

from dataclasses import replace

from championship.seasons.schemes import Scheme
from tests.championship.seasons import drives as standings
from tests.championship.seasons.drives import Drive
from tests.championship.seasons.test_standings import order, season


def without(drives: list[Drive], driver: int, number: int) -> list[Drive]:
    """The same drives with the driver excluded from a round. Those behind move up."""
    place = next(each.place for each in drives if (each.round, each.driver) == (number, driver))
    found = []
    for each in drives:
        if each.round == number and each.driver == driver:
            each = replace(each, place=None, class_place=None, power=None, excluded=True)
        elif each.round == number and each.place is not None and place is not None and each.place > place:
            each = replace(each, place=each.place - 1)
        found.append(each)
    return found


def test_a_round_from_which_a_driver_was_excluded_is_never_dropped() -> None:
    drives = without(season([1, 2, 3], [1, 2, 3], [1, 2, 3]), driver=1, number=1)

    lines = standings.drivers(Scheme(points=(10, 8, 6), drop=1), drives, calendar=3)

    assert order(lines) == [(1, 2, 18), (2, 3, 14), (3, 1, 10)]
    assert [number in lines[2].dropped for number in (1, 2, 3)] == [False, True, False]
    assert lines[2].scores[1].excluded and lines[2].scores[1].points == 0
    assert standings.progress(Scheme(points=(10, 8, 6), drop=1), drives, calendar=3)[1] == [0, 10, 10]


def test_an_exclusion_counts_in_the_table_of_a_class_too() -> None:
    drives = [replace(each, car_class="R5", class_place=each.place) for each in season([1, 2], [1, 2])]
    drives = [replace(drives[0], place=None, class_place=None, excluded=True), *drives[1:]]

    lines = standings.in_class(Scheme(points=(10, 8), drop=1), drives, "R5", calendar=2)

    assert order(lines) == [(1, 2, 10), (2, 1, 0)]


def test_two_exclusions_leave_less_to_drop_and_a_missed_round_is_still_dropped_first() -> None:
    drives = season([1, 2], [1, 2], [1, 2], [2])
    for number in (1, 2):
        drives = without(drives, driver=1, number=number)

    lines = standings.drivers(Scheme(points=(10, 8), drop=3), drives, calendar=4)

    assert {line.subject: line.total for line in lines} == {1: 0, 2: 10}
    assert [number in lines[1].dropped for number in lines[1].scores] == [False, False, True]

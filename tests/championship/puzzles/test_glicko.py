"""Glicko-2 against the worked example of its author, and when missed turns come back."""

from datetime import date

import pytest

from championship.puzzles.glicko import Rating, after
from championship.puzzles.services import turns_again


def test_the_worked_example_of_glickmans_description() -> None:
    own = Rating(1500, 200, 0.06)
    games = [(Rating(1400, 30), 1.0), (Rating(1550, 100), 0.0), (Rating(1700, 300), 0.0)]
    now = after(own, games)
    assert now.rating == pytest.approx(1464.06, abs=0.01)
    assert now.deviation == pytest.approx(151.52, abs=0.01)
    assert now.volatility == pytest.approx(0.05999, abs=0.00001)


def test_a_surprise_moves_more_than_what_was_expected() -> None:
    own, strong, weak = Rating(1500, 80), Rating(1900, 80), Rating(1100, 80)
    assert after(own, [(strong, 1.0)]).rating - 1500 > after(own, [(weak, 1.0)]).rating - 1500 > 0
    assert after(own, [(weak, 0.0)]).rating < after(own, [(strong, 0.0)]).rating < 1500


def test_a_rating_stays_able_to_move() -> None:
    own = Rating()
    for number in range(500):
        own = after(own, [(Rating(1500, 60), float(number % 2))])
    assert 50 < own.deviation < 80


def test_a_missed_turn_comes_back_later_each_time_and_at_last_no_more() -> None:
    today, box = date(2026, 11, 28), 0
    box, due = turns_again.after(box, solved=False, today=today)
    waits = []
    while due is not None:
        waits.append((due - today).days)
        box, due = turns_again.after(box, solved=True, today=today)
    assert waits == list(turns_again.DAYS)
    assert turns_again.after(4, solved=False, today=today) == (0, date(2026, 11, 29))

"""Random legal races to their end. Thousands of them: `python -m tests.benchmarks.formula_d_random_play`."""

from __future__ import annotations

import pytest

from tests.benchmarks.formula_d_random_play import Met, drive


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, 10_000])
def test_random_races_end_and_what_must_hold_holds(first: int) -> None:
    met = Met()
    for seed in range(first, first + 40):
        drive(seed, met)
    assert len(met.tracks) == 9
    assert {"out", "finish", "box", "qualified", "debris", "refused", "M7", "D3", "R2"} <= set(met.words)

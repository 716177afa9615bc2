"""The engine compared with a second implementation of its rules: a sample.

`tests.benchmarks.dust_second_implementation` compares thousands of games.
"""

from __future__ import annotations

import pytest

from tests.games.dust.engine.second.compare import compare


@pytest.mark.parametrize("seed", range(2000, 2012))
def test_both_readings_of_the_rules_agree(seed: int) -> None:
    """B4, E3 to E9, S8, P, N, A, R, V, Q, F, G, T: legal steps, rules of refusals, the printed state after each
    step.
    """
    assert compare(seed)["steps"] > 0

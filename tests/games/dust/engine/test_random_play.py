"""A sample of the random games that `tests.benchmarks.dust_random_play` plays by the thousand (S1 to S4, E7)."""

from __future__ import annotations

from tests.benchmarks.dust_random_play import Played, drive, unused

SEEDS = range(500, 512)


def test_e7_random_games_end_fold_and_use_every_operation() -> None:
    played = Played()
    for seed in SEEDS:
        drive(seed, played)
    assert played.steps > 1000
    assert unused(played) == []

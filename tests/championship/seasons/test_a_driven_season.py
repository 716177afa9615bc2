"""A small season driven by codrivers through the services: its tables agree with ones computed from raw rows.

The large one, 12 rallies with 60 drivers, is `make season`.
"""

from random import Random

import pytest

from championship.rallies.models import Rally
from championship.seasons import services
from championship.seasons.models import Championship
from championship.seasons.schemes import READY_MADE, Scheme
from championship.seasons.selectors import table
from tests.season.again import differences, points_of, totals
from tests.season.driven import Size, World, drive_round, season_of, world

SIZE = Size(rounds=3, drivers=8, classes=2, teams=3, stages=2)


@pytest.fixture
def driven(transactional_db) -> tuple[World, Championship]:
    there = world(SIZE)
    championship = season_of(there, SIZE, READY_MADE["large field"].scheme)
    draw = Random(5)
    for number in range(1, SIZE.rounds + 1):
        drive_round(there, championship, number, draw=draw)
    return there, championship


def test_tables_agree_with_raw_times_under_any_scheme(driven) -> None:
    there, championship = driven
    assert Rally.objects.filter(status=Rally.Status.FINISHED).count() == SIZE.rounds
    draw = Random(11)

    assert differences(championship) == []
    for _ in range(25):
        scheme = any_scheme(draw)
        services.change_championship(
            by=there.organiser,
            championship=championship,
            name="Season",
            points=scheme.points,
            power=scheme.power,
            class_points=scheme.class_points,
            team_counts=scheme.team_counts,
            drop=scheme.drop,
            tie_breaks=scheme.tie_breaks,
        )
        championship.refresh_from_db()
        assert differences(championship) == [], scheme

    # A table by another scheme than the raw rows are counted by is told apart.
    overall, _classes = points_of(championship)
    championship.points, championship.power = [1], []
    told = {line.who.pk: line.total for line in table(championship).drivers}
    assert told != totals(overall, calendar=SIZE.rounds, drop=championship.drop)


def any_scheme(draw: Random) -> Scheme:
    def falling(most: int) -> tuple[int, ...]:
        return tuple(sorted((draw.randint(0, 30) for _ in range(draw.randint(1, most))), reverse=True))

    return Scheme(
        points=falling(8),
        power=falling(3) if draw.random() < 0.6 else (),
        class_points=falling(4) if draw.random() < 0.6 else (),
        team_counts=draw.randint(1, 3),
        drop=draw.randint(0, 3),
        tie_breaks=("wins", "best places"),
    )

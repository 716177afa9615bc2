"""A small season driven by codrivers through the services: its tables agree with ones computed from raw rows.

The large one, 12 rallies with 60 drivers, is `make season`.
"""

from random import Random
from typing import Any

import pytest

from championship.clubs.models import Role
from championship.rallies.models import Rally
from championship.seasons import services
from championship.seasons.models import Championship
from championship.seasons.schemes import READY_MADE, TIE_BREAKS, Scheme
from championship.seasons.selectors import table
from championship.stewards import services as stewards
from tests.factories import make_member
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


@pytest.mark.slow
def test_tables_agree_with_raw_times_under_any_scheme(driven) -> None:
    there, championship = driven
    assert Rally.objects.filter(status=Rally.Status.FINISHED).count() == SIZE.rounds
    draw = Random(11)

    assert differences(championship) == []
    judge(there, championship, draw)
    assert differences(championship) == [], "decisions of stewards count, lifted ones do not"
    for _ in range(30):
        score_by(there, championship, any_scheme(draw))
        for round in championship.rounds.all():
            championship.rounds.filter(pk=round.pk).update(power_stage=draw.choice([None, 1, 2]))
        assert differences(championship) == [], championship.scheme

    for round in championship.rounds.all():  # the classes as divisions: power stage and bonuses count there too
        drove = draw.sample(list(round.rally.entries.filter(status="confirmed")), 2)
        championship.rounds.filter(pk=round.pk).update(
            power_stage=None, pole_by=drove[0].driver, fastest_lap_by=drove[1].driver, factor=draw.choice([100, 200])
        )
    bonus = {"stage_win": {"points": 2}, "pole": {"points": 3}, "fastest_lap": {"points": 1, "within": 3}}
    divided = {"divisions": {"names": list(championship.classes), "up": 1, "down": 1}, "bonus": bonus}
    for further in ({"bonus": bonus}, divided):
        score_by(there, championship, READY_MADE["large field"].scheme, further=further)
        assert differences(championship) == [], further
    assert any(score.power for line in table(championship).classes["Class 1"] for score in line.scores if score)

    # The comparison notices a table that is counted by another scheme.
    overall, _classes = points_of(championship)
    championship.points, championship.power = [1], []
    told = {line.who.pk: line.total for line in table(championship).drivers}
    assert told != totals(overall, calendar=SIZE.rounds, drop=championship.drop)


def judge(there: World, championship: Championship, draw: Random) -> None:
    """In every round, exclude a car, set a time by hand and give a penalty. Then undo one of these decisions."""
    sten = make_member(there.club, name="Sten", roles=[Role.STEWARD])
    for round in championship.rounds.select_related("rally"):
        entries = draw.sample(list(round.rally.entries.filter(status="confirmed")), 3)
        stage = round.rally.stages.get(number=1)
        made = [
            stewards.decide(by=sten, rally=round.rally, kind="exclusion", entry=entries[0], text="Drove on the verge."),
            stewards.decide(
                by=sten,
                rally=round.rally,
                kind="stage time",
                entry=entries[1],
                special_stage=stage,
                amount=draw.randint(60, 300),
                text="The timing hut failed.",
            ),
            stewards.decide(
                by=sten, rally=round.rally, kind="penalty", entry=entries[2], amount=40, text="Late at the start."
            ),
        ]
        undone = draw.choice(made)
        stewards.decide(by=sten, rally=round.rally, kind="reversal", undoes=undone, text="Heard again.")


def score_by(there: World, championship: Championship, scheme: Scheme, **further: Any) -> None:
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
        **further,
    )
    championship.refresh_from_db()


def any_scheme(draw: Random) -> Scheme:
    def falling(most: int) -> tuple[int, ...]:
        return tuple(sorted((draw.randint(0, 5) for _ in range(draw.randint(1, most))), reverse=True))

    return Scheme(
        points=falling(8),
        power=falling(3) if draw.random() < 0.6 else (),
        class_points=falling(4) if draw.random() < 0.6 else (),
        team_counts=draw.randint(1, 3),
        drop=draw.randint(0, 3),
        tie_breaks=tuple(draw.sample(sorted(set(TIE_BREAKS) - {"head to head"}), draw.randint(0, 4))),
    )

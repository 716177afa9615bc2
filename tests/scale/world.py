"""Creates the association: one club is really played, the others are copies of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.scale import bulk

RALLY_APART, CLUB_APART = 100_000, 10_000_000
CARS, CONVOY = 12, 6


@dataclass(frozen=True, slots=True)
class Size:
    """The size of the association: clubs; for each club members, finished rallies, and cars that drive alone on the
    road.
    """

    clubs: int
    members: int
    rallies: int
    alone: int


def found(size: Size) -> None:
    """Fill an empty, migrated database."""
    from championship.rallies.models import Rally

    _one_club(size)
    driven = Rally.objects.get(name="Driven")
    bulk.copy(bulk.OF_A_RALLY, count=size.rallies - 1, apart=RALLY_APART, of_rally=driven.pk)
    bulk.copy(bulk.OF_A_CLUB, count=size.clubs - 1, apart=CLUB_APART)
    bulk.settle_down()


def _one_club(size: Size) -> None:
    from championship.accounts.services import create_user
    from championship.clubs.models import Role
    from championship.clubs.services import accept_invitation, create_club, invite
    from championship.seasons import services as seasons

    olga = create_user(email="olga@scale.example", name="Olga")
    club = create_club(by=olga, name="Scale")
    _invitation, token = invite(by=olga, club=club, roles=[Role.DRIVER], days=1, max_uses=size.members)
    people = [create_user(email=f"driver{n}@scale.example", name=f"Driver {n}") for n in range(1, size.members)]
    for person in people:
        accept_invitation(by=person, token=token)
    season = seasons.create_championship(by=olga, club=club, name="Season")
    driven = _rally(olga, club, "Driven", "convoy", people[:CARS], season=season, by_codriver=True)
    _drive_to_the_end(driven)
    _rally(olga, club, "On the road", "open road", people[: size.alone])


def _rally(
    olga: Any, club: Any, name: str, mode: str, people: Any, season: Any = None, by_codriver: bool = False
) -> Any:
    """Return a rally of one stage that has started. With `by_codriver` the codriver drives from the start."""
    from championship.rallies import services
    from championship.rallies.models import Entry
    from championship.seasons import services as seasons
    from championship.stages.models import StageDesign

    rally = services.create_rally(
        by=olga,
        club=club,
        name=name,
        game="dirt",
        designs=list(StageDesign.objects.filter(club=None, source__startswith="1/").order_by("source")[:1]),
        options={},
        mode=mode,
        turn_hours=24,
        reminder_hours=4,
    )
    if season is not None:
        seasons.add_round(by=olga, championship=season, rally=rally)
    for person in people:
        services.enter_rally(by=person, rally=rally, crew=person.name)
    services.confirm_all(by=olga, rally=rally)
    if by_codriver:
        rally.entries.update(driven_by=Entry.DrivenBy.CODRIVER)
    services.start_rally(by=olga, rally=rally)
    return rally


def _drive_to_the_end(rally: Any) -> None:
    from championship.runs.models import Run
    from championship.runs.play import drive_codrivers

    for run in Run.objects.filter(special_stage__rally=rally):
        while drive_codrivers(run_id=run.pk):
            pass
    rally.refresh_from_db()
    if rally.status != rally.Status.FINISHED:
        raise RuntimeError(f"{rally} is {rally.status}: its codrivers have not brought it to the end")

"""The club for the load test: sixty drivers, stages on the road alone and in convoys, fifty drivers at their desks."""

from __future__ import annotations

from dataclasses import dataclass

DRIVERS = 60
CONVOY = 6
CONVOYS = 2


@dataclass(frozen=True, slots=True)
class Seat:
    """A driver of a run: the cookies of a signed-in person, and the addresses of run and rally."""

    cookies: dict[str, str]
    run: str
    rally: str


def seed(*, at_work: int) -> list[Seat]:
    """Create the club and start its rallies. Return the seats of the drivers at work.

    Django must be set up and the database empty.
    """
    from championship.accounts.services import create_user
    from championship.clubs.models import Role
    from championship.clubs.services import accept_invitation, create_club, invite
    from championship.runs import models

    olga = create_user(email="olga@load.example", name="Olga")
    club = create_club(by=olga, name="Load")
    _invitation, token = invite(by=olga, club=club, roles=[Role.DRIVER], days=1, max_uses=DRIVERS)
    people = [create_user(email=f"driver{n}@load.example", name=f"Driver {n}") for n in range(1, DRIVERS + 1)]
    for person in people:
        accept_invitation(by=person, token=token)
    alone, together = people[: -CONVOYS * CONVOY], people[-CONVOYS * CONVOY :]
    _rally(olga, club, "Open road", "open road", alone)
    for number in range(CONVOYS):
        _rally(olga, club, f"Convoy {number + 1}", "convoy", together[number * CONVOY : (number + 1) * CONVOY])
    seats = models.Seat.objects.select_related("run__special_stage__rally", "entry__driver").order_by("-pk")[:at_work]
    return [
        Seat(
            cookies=_signed_in(seat.entry.driver),
            run=seat.run.get_absolute_url(),
            rally=seat.run.special_stage.rally.get_absolute_url(),
        )
        for seat in seats
    ]


def _rally(olga, club, name, mode, people):  # type: ignore[no-untyped-def]
    from championship.rallies import services
    from championship.stages.models import StageDesign

    designs = list(StageDesign.objects.filter(club=None, source__startswith="1/").order_by("source"))
    rally = services.create_rally(
        by=olga,
        club=club,
        name=name,
        game="dirt",
        designs=designs,
        options={},
        mode=mode,
        turn_hours=24,
        reminder_hours=4,
    )
    for person in people:
        services.enter_rally(by=person, rally=rally, crew=person.name)
    services.confirm_all(by=olga, rally=rally)
    services.start_rally(by=olga, rally=rally)


def _signed_in(person) -> dict[str, str]:  # type: ignore[no-untyped-def]
    """Sign the person in and return the session cookies."""
    from django.test import Client

    client = Client()
    client.force_login(person, backend="django.contrib.auth.backends.ModelBackend")
    return {name: morsel.value for name, morsel in client.cookies.items()}

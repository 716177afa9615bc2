"""What the demo's own page offers a visitor first: the turns that wait, the season, and what a stranger may watch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.demo.clubs import CHAMPIONSHIP, PUBLIC_CLUB
from championship.demo.persons import DRIVER, HOST, ORGANISER, Person, token_for
from championship.rallies.models import Rally
from championship.runs.watch.my_turns import waiting_for
from championship.runs.watch.selectors import WaitingItem
from championship.seasons.models import Championship


@dataclass(frozen=True, slots=True)
class Guide:
    """The driver and the organiser to become, each with a token; the driver's turns that wait,
    those of the season first; the championship; the
    public club with its rallies, latest first. Values are None or empty where a visitor has changed them.
    """

    driver: Person
    driver_token: str
    turns: Sequence[WaitingItem]
    organiser: Person
    organiser_token: str
    championship: Championship | None
    public: Club | None
    rallies: Sequence[Rally]


def read() -> Guide:
    """Return what the page offers now. At most seven queries."""
    driver = User.objects.filter(email=DRIVER.email).first()
    held = Championship.objects.filter(club__memberships__user__email=ORGANISER.email, name=CHAMPIONSHIP)
    public = Club.objects.filter(
        name=PUBLIC_CLUB, visibility=Club.Visibility.PUBLIC, memberships__user__email=HOST.email
    ).first()
    shown = Rally.objects.filter(club=public, started_at__isnull=False).order_by("-started_at")
    return Guide(
        DRIVER,
        token_for(DRIVER.email),
        () if driver is None else sorted(waiting_for(driver), key=lambda waits: waits.stage.rally_id),
        ORGANISER,
        token_for(ORGANISER.email),
        held.first(),
        public,
        () if public is None else list(shown[:2]),
    )

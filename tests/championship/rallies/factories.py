"""Rallies to begin a scene with: stages of the library, entries, and times as if driven."""

from collections.abc import Mapping, Sequence
from typing import Any

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.rallies import services
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.stages.models import StageDesign
from championship.stages.services import load_library
from engine import ruleset as rulesets
from tests.factories import make_club, make_member, make_user

NEW_CAR = {"damage": {"gear": 0, "coast": 0, "brake": 0}, "spare": True, "sisu": True}


def designs(*sources: str) -> list[StageDesign]:
    """Stages of the library by source, "1/2"."""
    if not StageDesign.objects.filter(club=None).exists():
        load_library()
    by_source = {design.source: design for design in StageDesign.objects.filter(club=None)}
    return [by_source[source] for source in sources]


def make_rally(
    *,
    by: User | None = None,
    club: Club | None = None,
    name: str = "Rajd Wisły",
    stages: Sequence[str] = ("1/1", "1/2", "1/3"),
    options: Mapping[str, Any] | None = None,
    mode: str = "convoy",
    turn_hours: int = 24,
    auto_start: bool = True,
    timekeeping: Mapping[str, Any] | None = None,
) -> Rally:
    """A rally with open entries. Stages 1/1 and 1/2 have the service park; time control is as in `options`."""
    by = by or make_user("Olga Organiser")
    return services.create_rally(
        by=by,
        club=club or make_club(owner=by),
        name=name,
        game="dirt",
        designs=designs(*stages),
        options=options or {},
        mode=mode,
        turn_hours=turn_hours,
        reminder_hours=min(4, turn_hours - 1),
        auto_start=auto_start,
        timekeeping=timekeeping,
    )


def organiser_of(rally: Rally) -> User:
    """Who made the rally's club."""
    return rally.club.memberships.select_related("user").order_by("pk")[0].user


def enter(rally: Rally, *names: str) -> list[Entry]:
    """Confirmed entries of new drivers of the club, start numbers in the order given."""
    requested = [services.enter_rally(by=make_member(rally.club, name=name), rally=rally, crew=name) for name in names]
    services.confirm_all(by=organiser_of(rally), rally=rally)
    return [Entry.objects.select_related("driver", "rally").get(pk=entry.pk) for entry in requested]


def started(*names: str, **how: Any) -> tuple[Rally, list[Entry]]:
    """A rally under way, and its entries."""
    rally = make_rally(**how)
    entries = enter(rally, *(names or ("Ana", "Bo", "Cem", "Dag")))
    services.start_rally(by=organiser_of(rally), rally=rally)
    rally.refresh_from_db()
    return rally, entries


def stage_of(rally: Rally, number: int) -> SpecialStage:
    """The special stage as it is now."""
    return rally.stages.select_related("rally").get(number=number)


def drive(
    rally: Rally,
    number: int,
    seconds: Mapping[Entry, int | None],
    *,
    cars: Mapping[Entry, Mapping[str, Any]] | None = None,
    why: str = "",
) -> None:
    """Times of a stage as if driven, by entry; None: retired, with 200 seconds of cards, and why."""
    for entry, time in seconds.items():
        services.record_stage_time(
            special_stage=stage_of(rally, number),
            entry=entry,
            seconds=time,
            retired=time is None,
            cards_seconds=200 if time is None else time,
            car=dict((cars or {}).get(entry, NEW_CAR)),
            why=why if time is None else "",
        )


def damaged(*, gear: int = 0, coast: int = 0, brake: int = 0, spare: bool = True, sisu: bool = True) -> dict[str, Any]:
    """A car at the finish with damage."""
    return {"damage": {"gear": gear, "coast": coast, "brake": brake}, "spare": spare, "sisu": sisu}


def hand_in(rally: Rally, number: int, *entries: Entry, penalties: int = 0, spare: bool | None = None) -> None:
    """Time-control cards of these drivers."""
    for entry in entries:
        decision: dict[str, Any] = {"penalties": penalties} | ({} if spare is None else {"spare": spare})
        services.submit_time_control(by=entry.driver, special_stage=stage_of(rally, number), decision=decision)


def retirement_second() -> int:
    """What a retirement costs on top of the slowest time (E7)."""
    return rulesets.get("dirt").retirement_seconds([0], 0)

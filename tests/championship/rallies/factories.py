"""Rallies for tests: stages of the library, entries, and times as if driven."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.rallies import services
from championship.rallies.models import Entry, Rally, SpecialStage, StageTime
from championship.stages.models import StageDesign
from championship.stages.services import load_library
from engine.dirt.rally import retirement_seconds
from tests import worlds
from tests.factories import make_club, make_member, make_user

NEW_CAR = {"damage": {"gear": 0, "coast": 0, "brake": 0}, "spare": True, "sisu": True}


def ready_made() -> None:
    """Load the ready-made stages of all games."""

    def filled() -> None:
        load_library()

    worlds.again("library", [], filled, lambda _keys: StageDesign.objects.filter(club=None).exists())


def designs(*sources: str) -> list[StageDesign]:
    """Stages of the library by source, for example "1/2"."""
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
    own_designs: Sequence[StageDesign] = (),
    options: Mapping[str, Any] | None = None,
    mode: str = "convoy",
    turn_hours: int = 24,
    auto_start: bool = True,
    timekeeping: Mapping[str, Any] | None = None,
) -> Rally:
    """A rally with open entries. Stages 1/1 and 1/2 have the service park; time control is as in `options`.

    own_designs: stages of the club, instead of `stages` from the library.
    """
    by = by or make_user("Olga Organiser")
    return services.create_rally(
        by=by,
        club=club or make_club(owner=by),
        name=name,
        game="dirt",
        designs=own_designs or designs(*stages),
        options=options or {},
        mode=mode,
        turn_hours=turn_hours,
        reminder_hours=min(4, turn_hours - 1),
        auto_start=auto_start,
        timekeeping=timekeeping,
    )


def organiser_of(rally: Rally) -> User:
    """The person who made the rally's club."""
    return rally.club.memberships.select_related("user").order_by("pk")[0].user


def enter(rally: Rally, *names: str) -> list[Entry]:
    """Confirmed entries of new drivers of the club, with start numbers in the given order."""
    requested = [services.enter_rally(by=make_member(rally.club, name=name), rally=rally, crew=name) for name in names]
    services.confirm_all(by=organiser_of(rally), rally=rally)
    return [Entry.objects.select_related("driver", "rally").get(pk=entry.pk) for entry in requested]


def started(*names: str, **how: Any) -> tuple[Rally, list[Entry]]:
    """A rally under way, and its entries."""
    crews = names or ("Ana", "Bo", "Cem", "Dag")

    def built() -> int:
        rally = make_rally(**how)
        enter(rally, *crews)
        services.start_rally(by=organiser_of(rally), rally=rally)
        return rally.pk

    key = worlds.again("started", [crews, how], built, lambda key: Rally.objects.filter(pk=key).exists())
    entries = Entry.objects.select_related("driver", "rally").filter(rally_id=key)
    return Rally.objects.get(pk=key), list(entries.order_by("pk"))


def largest_rally() -> Rally:
    """A rally of 300 cars that have driven 24 stages: the largest for which papers are measured."""
    library = [f"{number}/{stage}" for number in range(1, 7) for stage in range(1, 4)]
    rally, (first, *_others) = started(*[f"Crew {n}" for n in range(20)], stages=(*library, *library[:6]))
    more = Entry.objects.bulk_create(
        Entry(rally=rally, driver=make_user(), crew=f"Crew {n}", status="confirmed", start_number=n + 1)
        for n in range(20, 300)
    )
    StageTime.objects.bulk_create(
        StageTime(special_stage=stage, entry=entry, measure=200 + n, detail={"cards_seconds": 200 + n}, car=NEW_CAR)
        for stage in rally.stages.all()
        for n, entry in enumerate([first, *more])
    )
    return rally


def stage_of(rally: Rally, number: int) -> SpecialStage:
    """The special stage as it is now."""
    return rally.stages.select_related("rally").get(number=number)


def let_close(rally: Rally, number: int, moment: datetime) -> None:
    """Set the time control after a stage to close at that moment."""
    stage = stage_of(rally, number)
    SpecialStage.objects.filter(pk=stage.pk).update(control_deadline=moment)
    begun = min(moment, *stage.awaited_cards.values_list("since", flat=True))
    stage.awaited_cards.update(since=begun, deadline=moment)


def drive(
    rally: Rally,
    number: int,
    seconds: Mapping[Entry, int | None],
    *,
    cars: Mapping[Entry, Mapping[str, Any]] | None = None,
    why: str = "",
) -> None:
    """Record times of a stage as if driven, by entry. None: retired for the reason `why`, with 200 seconds of cards."""
    for entry, time in seconds.items():
        services.record_stage_time(
            special_stage=stage_of(rally, number),
            entry=entry,
            measure=time,
            retired=time is None,
            detail={"cards_seconds": 200 if time is None else time},
            car=dict((cars or {}).get(entry, NEW_CAR)),
            reason=why if time is None else "",
        )


def damaged(*, gear: int = 0, coast: int = 0, brake: int = 0, spare: bool = True, sisu: bool = True) -> dict[str, Any]:
    """A car at the finish with damage."""
    return {"damage": {"gear": gear, "coast": coast, "brake": brake}, "spare": spare, "sisu": sisu}


def hand_in(rally: Rally, number: int, *entries: Entry, penalties: int = 0, spare: bool | None = None) -> None:
    """Hand in the time-control cards of these drivers."""
    for entry in entries:
        decision: dict[str, Any] = {"penalties": penalties} | ({} if spare is None else {"spare": spare})
        services.submit_time_control(by=entry.driver, special_stage=stage_of(rally, number), decision=decision)


def retirement_second() -> int:
    """The seconds that a retirement adds to the slowest time (E7)."""
    return retirement_seconds([0], 0)


def measured(unit: str, better: str, *stages: Mapping[str, Any], by_class: Mapping[str, str] | None = None) -> Rally:
    """A finished rally in that unit. Each stage has by crew a result, or a result, its rank and why the car retired."""
    rally, entries = started(*stages[0], stages=("1/1", "1/2", "1/3")[: len(stages)])
    Rally.objects.filter(pk=rally.pk).update(
        unit=unit, better=better, status=Rally.Status.FINISHED, finished_at=rally.started_at
    )
    for entry in entries:
        Entry.objects.filter(pk=entry.pk).update(car_class=(by_class or {}).get(entry.crew, ""))
    for number, driven in enumerate(stages, start=1):
        stage = stage_of(rally, number)
        for entry in entries:
            given = driven[entry.crew]
            result, rank, reason = given if isinstance(given, tuple) else (given, [], "")
            StageTime.objects.create(
                special_stage=stage, entry=entry, measure=result, rank=rank, retired=bool(reason), reason=reason, car={}
            )
        rally.stages.filter(number=number).update(
            status=SpecialStage.Status.DONE, opened_at=rally.started_at, closed_at=rally.started_at
        )
    return Rally.objects.select_related("club").get(pk=rally.pk)

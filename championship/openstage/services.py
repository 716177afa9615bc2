"""Every service that writes data about open stages: the clock opens and closes them, and a person drives one once. When
its week is over, its drivers get one notice with their place.

The sweep closes the stage whose time is over and opens that of the week. It does so after an outage has been excused,
so that a stage that closed in the outage stays open for as long.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date, datetime

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship.accounts.models import User
from championship.deadlines.services.sweeping import without_unexcused
from championship.notices import kinds
from championship.notices.services import Letter, enqueue_many
from championship.openstage.models import Week, name_of
from championship.openstage.opening_times import due_week, end_of
from championship.openstage.selectors import current_week
from championship.platform import clock
from championship.platform.refusals import Refused
from championship.rallies.control.services.control_deadlines import TimeControls
from championship.rallies.models import OPEN_STAGE, Rally, SpecialStage
from championship.rallies.results.classification import Line
from championship.rallies.results.measures import plain
from championship.rallies.results.selectors import results_of
from championship.rallies.services import (
    close_for_everybody,
    enter_for_everybody,
    games_for_everybody,
    make_rally_for_everybody,
)
from championship.runs.models import Run
from championship.runs.play import (
    begin_out_of_competition,
    failing_cars,
    open_own_run,
    rallies_with_failing_cars,
    retire_late,
)

RESULT_NOTICE = "open stage result"


def week_to_open(*, now: datetime) -> date | None:
    """Return the Monday of this week if its stage has to open; None otherwise."""
    return due_week(now=now) if settings.OPEN_STAGE and games_for_everybody() else None


def open_due(*, now: datetime) -> Week | None:
    """Open the stage of this week if there is none yet. Returns None when there is nothing to open.

    A service that was down opens it late, for the rest of the week. Of two workers at the same time only one opens it:
    the week is unique.
    """
    monday = week_to_open(now=now)
    if monday is None:
        return None
    known = games_for_everybody()
    game = known[monday.toordinal() // 7 % len(known)]
    try:
        with transaction.atomic():
            rally = make_rally_for_everybody(game=game, name=f"{OPEN_STAGE}{name_of(monday)}", closes_at=end_of(monday))
            return Week.objects.create(monday=monday, rally=rally, opened_at=now)
    except IntegrityError:  # another worker was faster and has opened it
        if not Week.objects.filter(monday=monday).exists():
            raise
        return None


def weeks_to_close(*, now: datetime) -> QuerySet[Week]:
    """Return the weeks whose stage has to close, and closed ones with cars that could not be retired, the oldest
    first.
    """
    due = Q(rally__stages__status="running", rally__stages__closes_at__lte=now)
    return Week.objects.filter(due | Q(rally__in=rallies_with_failing_cars(now=now))).order_by("monday")


def close(*, week: Week, now: datetime) -> bool:
    """Close a stage whose time is over. Returns whether this call closed it.

    Cars that are still driving retire, each in its own transaction. The stage closes without those that cannot be
    retired. They are tried again later, and then have their results. All drivers are notified of their place.
    """
    stage = week.rally.stages.get(number=1)
    retired = retire_late(special_stage=stage, now=now)
    closed = _close(week, now, without=failing_cars(special_stage=stage, now=now))
    if retired and not closed:
        _notify_late(week)
    return closed


@transaction.atomic
def _close(week: Week, now: datetime, *, without: Collection[int]) -> bool:
    """Close one stage and notify its drivers. Returns whether this call closed it: of two workers at the same time,
    only one closes it and sends the notices.
    """
    if not close_for_everybody(rally=week.rally, now=now, without=without):
        return False
    notify_places(week)
    return True


@transaction.atomic
def _notify_late(week: Week) -> None:
    """Notify the drivers of a closed stage whose cars could be retired only now. Nobody gets the notice twice."""
    if week.rally.stages.get(number=1).status == SpecialStage.Status.DONE:
        notify_places(week)


@transaction.atomic
def drive(*, by: User) -> Run:
    """Enter the person in this week's stage, and return their run. A person who has already begun it gets the same run
    again: there is one attempt for each person.

    Raises: Refused when no stage is open, and when enter_for_everybody refuses.
    """
    week = current_week(now=clock.now())
    if week is None:
        raise Refused(_("No open stage accepts drivers now."))
    rally = Rally.objects.select_for_update(of=("self",)).get(pk=week.rally_id)
    return open_own_run(entry=enter_for_everybody(by=by, rally=rally))


def drive_out_of_competition(*, by: User, restart: bool = False) -> Run:
    """Return the run in which a guest drives this week's stage out of competition. It has no place in the table, then
    or later: the person may still have their one attempt once they have an account.

    Raises: Refused when no stage is open, and when begin_out_of_competition refuses.
    Raises: OtherUnderWay when the guest has another stage under way, without `restart`.
    """
    week = current_week(now=clock.now())
    if week is None:
        raise Refused(_("No open stage accepts drivers now."))
    return begin_out_of_competition(by=by, open_stage=week.rally, restart=restart)


class Closings:
    """The scheduled action that closes open stages. Its ids are keys of `Week`."""

    name = "closings of open stages"

    def due(self, now: datetime) -> Sequence[int]:
        """Weeks whose stage has to close. A stage that an outage affected closes after it was excused."""
        weeks = without_unexcused(weeks_to_close(now=now), TimeControls.name, "rally")
        return list(weeks.values_list("pk", flat=True))

    def act(self, row_id: int, now: datetime) -> bool:
        """Close the stage of one week."""
        week = Week.objects.filter(pk=row_id).first()
        return week is not None and close(week=week, now=now)


class Openings:
    """The scheduled action that opens the stage of this week. Its id is the ordinal of the Monday."""

    name = "openings of open stages"

    def due(self, now: datetime) -> Sequence[int]:
        """This week, if its stage has to open."""
        monday = week_to_open(now=now)
        return [] if monday is None else [monday.toordinal()]

    def act(self, row_id: int, now: datetime) -> bool:
        """Open the stage of this week. Does nothing when the week is over."""
        due = week_to_open(now=now) == date.fromordinal(row_id)
        return due and open_due(now=now) is not None


def register_notice() -> None:
    """Register the kind of notice that tells drivers their place when the week is over."""
    kinds.register(
        RESULT_NOTICE,
        subject=gettext_lazy("Open stage %(week)s: your place"),
        body_template="notices/mail/open_stage_result.txt",
        switch=gettext_lazy("My place on an open stage that is over"),
    )


def notify_places(week: Week) -> None:
    """Notify each driver of a closed week of their place, by the channels that the driver has chosen.

    Call it inside the transaction that closes the week. The number of queries does not depend on the number of drivers.
    """
    results = results_of(week.rally)
    lines, cars = results.stage_lines(1), len(results.entries)
    drivers = User.objects.filter(is_active=True, closed_at=None, is_bot=False)
    people = drivers.in_bulk([line.entry.driver_id for line in lines])
    enqueue_many(
        [
            Letter(
                recipient=people[line.entry.driver_id],
                kind=RESULT_NOTICE,
                subject_key=f"open stage {week}",
                context={
                    "week": str(week),
                    "of": cars,
                    "more": settings.OPEN_STAGE,
                    **_result_values(line),
                },
                link=week.get_absolute_url(),
                thread=f"rally {week.rally.key}",
            )
            for line in lines
            if line.entry.driver_id in people
        ]
    )


def _result_values(line: Line) -> dict[str, object]:
    """Return the result of one line as values for the notice."""
    return {
        "place": line.place,
        "amount": line.total,
        "to_winner": line.to_leader,
        "retired": bool(line.remarks.retired),
        "measure": plain(line.measure),
    }

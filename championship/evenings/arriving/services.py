"""Every write about who comes to an evening: check-in until a set hour, reserves, late-comers.

The clock applies the rule about who has not checked in (`evening_rules.Absent`) once, under the lock of the rally. What
a driver does at the same moment comes before it or after it, and both ways are decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from django.db import transaction
from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.audit.models import Record
from championship.clubs.services import refuse_if_closed
from championship.evenings.models import CheckIn, CheckInHour
from championship.notices.models import Notice
from championship.notices.services import Letter, enqueue_many
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies import services as rallies
from championship.rallies.clock.evening_rules import Absent, Late
from championship.rallies.clock.services.evenings import refuse_if_over
from championship.rallies.desk import organiser_notices
from championship.rallies.locks import locked_rally, locked_rally_for_organiser
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.runs import play as runs

NOTICE = timedelta(minutes=5)
"""How long before the hour drivers know it at least."""
CALL = timedelta(minutes=30)
"""How long before the hour drivers who have not checked in are told of it."""
FARTHEST = timedelta(days=30)
NOTICE_KIND = "check in"
Status = Entry.Status


class CheckedIn(StrEnum):
    """What a check-in did."""

    IN_TIME = "in time"
    WAITS = "waits"
    BACK = "back"
    NEXT = "next"


@transaction.atomic
def set_hour(*, by: User, rally: Rally, at: datetime) -> CheckInHour:
    """Set by when drivers check in, before an evening or in it. Only for organisers. A later call replaces the hour,
    and everybody checks in again.

    Raises: Refused (field at) when it is too soon or too far away.
    Raises: Stale when the rally is over.
    """
    rally = locked_rally_for_organiser(by, rally.pk)
    refuse_if_over(rally)
    now = clock.now()
    if at < now + NOTICE:
        raise Refused(_("Give everybody five minutes at least: choose a later minute."), field="at")
    if at > now + FARTHEST:
        raise Refused(_("At most 30 days ahead, please."), field="at")
    CheckIn.objects.filter(entry__rally=rally).delete()
    values = {"at": at, "by": by, "told_at": None, "done_at": None}
    hour, _made = CheckInHour.objects.update_or_create(rally=rally, defaults=values)
    _log(by, rally, "check-in set", at=_in_utc(at))
    return hour


@transaction.atomic
def take_hour_back(*, by: User, rally: Rally) -> None:
    """Ask nobody to check in any more. Only for organisers. Where no hour is set, or it has passed, nothing happens."""
    rally = locked_rally_for_organiser(by, rally.pk)
    deleted, _of_each = CheckInHour.objects.filter(rally=rally, done_at=None).delete()
    if deleted:
        CheckIn.objects.filter(entry__rally=rally).delete()
        _log(by, rally, "check-in taken back")


@transaction.atomic
def check_in(*, by: User, rally: Rally) -> CheckedIn:
    """Check in as a driver of the rally, or as a reserve; twice is once. After the hour a late-comer joins by the
    rules: a car that the codriver drives goes back to its driver, one that was left out or dropped out joins late.

    Raises: Forbidden when the person has no entry in the rally.
    Raises: Refused when nobody is asked to check in, or the rules let no late-comer in.
    Raises: Stale when the rally is over.
    """
    rally = locked_rally(rally.pk)
    refuse_if_closed(rally.club)
    refuse_if_over(rally)
    entry = Entry.objects.select_related("driver").filter(rally=rally, driver=by).first()
    if entry is None:
        raise Forbidden(_("This is for drivers and reserves."))
    if entry.starts_from is None:
        return _join(rally, entry)
    hour = CheckInHour.objects.filter(rally=rally).first()
    if hour is None:
        raise Refused(_("Nobody is asked to check in now."))
    done = CheckIn.objects.filter(entry=entry).first()
    if entry.status not in Status.entered():
        if done is None or done.outcome != CheckIn.Outcome.OUT:
            raise Forbidden(_("This is for drivers and reserves."))
        return _join(rally, entry)
    if done is None or done.at is None:
        CheckIn.objects.update_or_create(entry=entry, defaults={"at": clock.now()})
        if done is not None and done.outcome == CheckIn.Outcome.CODRIVER:
            return _take_back(rally, entry, by)
    return CheckedIn.WAITS if entry.status == Status.WAITING else CheckedIn.IN_TIME


@transaction.atomic
def take_check_in_back(*, by: User, rally: Rally) -> None:
    """Take a check-in back, until the hour. Where there is none, nothing happens.

    Raises: Stale when the hour has passed.
    """
    rally = locked_rally(rally.pk)
    if CheckInHour.objects.filter(rally=rally).exclude(done_at=None).exists():
        raise Stale(_("The hour of check-in has passed."))
    CheckIn.objects.filter(entry__rally=rally, entry__driver=by).delete()


def _take_back(rally: Rally, entry: Entry, by: User) -> CheckedIn:
    if entry.driven_by == Entry.DrivenBy.CODRIVER:
        rallies.set_driven_by(by=by, entry=entry, driven_by=Entry.DrivenBy.PERSON, manner=entry.manner)
    return CheckedIn.BACK


def _join(rally: Rally, entry: Entry) -> CheckedIn:
    rules = rally.rules_of_evening
    if rules.late == Late.NEVER:
        raise Refused(_("The rules of this evening let nobody join late."))
    now = clock.now()
    if rally.status == Rally.Status.ENTRIES:
        Entry.objects.filter(pk=entry.pk).update(asked_at=now)  # behind the reserves who were there in time
        with_place = rallies.confirm_who_is_here(rally, entry)
        outcome = CheckedIn.IN_TIME if with_place else CheckedIn.WAITS
    else:
        rallies.join_late(rally, entry, added=rules.late_added if rules.late == Late.GIVEN else None)
        outcome = CheckedIn.NEXT
    CheckIn.objects.update_or_create(entry=entry, defaults={"at": now, "outcome": ""})
    return outcome


# Reserves ---------------------------------------------------------------------------------------------


@transaction.atomic
def move_reserve(*, by: User, rally: Rally) -> Entry:
    """Give a free place to the next reserve: those who have checked in come first, in the order of their requests. Only
    for organisers, before the start.

    Raises: Refused when there is no reserve, or no place.
    Raises: Stale when the rally has started.
    """
    rally = locked_rally_for_organiser(by, rally.pk)
    moved = _move(rally, 1, checked_in_only=False)
    if not moved:
        raise Refused(_("There is no reserve, or no place for one."))
    return moved[0]


def reserves_in_order(rally: Rally) -> list[Entry]:
    """The entries of people that wait for a place or for a confirmation: those who have checked in first, in the order
    of their requests. One query.
    """
    waiting = rally.entries.filter(status__in=(Status.REQUESTED, Status.WAITING), driver__is_bot=False)
    found = list(waiting.select_related("driver", "evening_check_in").order_by("asked_at", "pk"))
    return sorted(found, key=lambda entry: not has_checked_in(entry))


def has_checked_in(entry: Entry) -> bool:
    """Whether the driver has checked in. No query where `evening_check_in` is loaded."""
    found = getattr(entry, "evening_check_in", None)
    return found is not None and found.at is not None


def _move(rally: Rally, most: int | None, *, checked_in_only: bool) -> list[Entry]:
    moved: list[Entry] = []
    for entry in reserves_in_order(rally):
        if most is not None and len(moved) >= most:
            break
        if checked_in_only and not has_checked_in(entry):
            continue
        try:
            placed = rallies.confirm_who_is_here(rally, entry)
        except Refused:  # the season keeps this driver out: the next one may come
            continue
        if placed:
            moved.append(entry)
    organiser_notices.notify_entry_decisions(rally, "entry confirmed", moved, by=None)
    return moved


@transaction.atomic
def give_car_to_reserve(*, by: User, rally: Rally) -> Entry:
    """Give the first car whose driver has not come to the next reserve who has checked in, with its number, its results
    and its damage. Only for impartial organisers, under way, while nothing is being driven.

    Raises: Forbidden as `runs.play.replace_driver` does.
    Raises: Refused when there is no such car or no such reserve, or something is being driven.
    Raises: Stale when the rally is not under way.
    """
    rally = locked_rally_for_organiser(by, rally.pk)
    if rally.status != Rally.Status.RUNNING:
        raise Stale(str(rally.words.not_under_way))
    if rally.stages.filter(status=SpecialStage.Status.RUNNING).exists():
        raise Refused(_("A reserve takes a car over while nothing is being driven. Wait until all are in."))
    entries = list(rally.entries.select_related("driver", "evening_check_in").order_by("start_number", "pk"))
    cars, reserves = not_come(entries), reserves_left(entries)
    if not cars:
        raise Refused(_("Every driver has come."))
    if not reserves:
        raise Refused(_("No reserve has checked in."))
    car, reserve, reason = cars[0], reserves[0], _("Had not come.")
    driver = reserve.driver
    CheckIn.objects.filter(entry=reserve).delete()
    CheckIn.objects.filter(entry=car).update(at=clock.now(), outcome="")
    return runs.replace_driver(
        by=by, entry=car, driver=driver, instead_of=car.driver_id, crew=reserve.crew, reason=reason
    )


def not_come(entries: Sequence[Entry]) -> list[Entry]:
    """The cars that the codriver drives because their drivers had not checked in and have not come since. `entries`:
    all entries of a rally, with `evening_check_in` loaded.
    """
    return [
        entry
        for entry in entries
        if entry.status == Status.CONFIRMED
        and entry.driven_by == Entry.DrivenBy.CODRIVER
        and entry.starts_from is not None
        and (done := getattr(entry, "evening_check_in", None)) is not None
        and (done.at, done.outcome) == (None, CheckIn.Outcome.CODRIVER)
    ]


def reserves_left(entries: Sequence[Entry]) -> list[Entry]:
    """The reserves who had checked in and got no place before the start, in the order of their requests. Those whom an
    organiser has refused are none. One query where there may be any. `entries` as above.
    """
    here = [e for e in entries if e.status == Status.REFUSED and has_checked_in(e) and not e.driver.is_bot]
    if not here:
        return []
    of_entries = {"subject_type": Entry._meta.label_lower, "subject_id__in": [str(entry.pk) for entry in here]}
    refused = set(Record.objects.filter(action="entry refused", **of_entries).values_list("subject_id", flat=True))
    left = [entry for entry in here if str(entry.pk) not in refused]
    return sorted(left, key=lambda entry: (entry.asked_at, entry.pk))


# The clock --------------------------------------------------------------------------------------------


class CheckInCalls:
    """The scheduled action that tells drivers of the hour. Its ids are hours that organisers have set."""

    name = "calls to check in"

    def due(self, now: datetime) -> Sequence[int]:
        """Return the hours that come soon."""
        soon = CheckInHour.objects.filter(done_at=None, told_at=None, at__lte=now + CALL, rally__club__closed_at=None)
        return list(soon.order_by("at").values_list("pk", flat=True))

    def act(self, row_id: int, now: datetime) -> bool:
        """Tell the drivers of one rally."""
        return tell_of_hour(hour=row_id, now=now)


class CheckInHours:
    """The scheduled action that applies the rule at the hour. Its ids are hours that organisers have set."""

    name = "hours of check-in"

    def due(self, now: datetime) -> Sequence[int]:
        """Return the hours that have come."""
        waiting = CheckInHour.objects.filter(done_at=None, at__lte=now, rally__club__closed_at=None)
        return list(waiting.order_by("at").values_list("pk", flat=True))

    def act(self, row_id: int, now: datetime) -> bool:
        """Apply the rule in one rally."""
        return close_check_in(hour=row_id, now=now)


class CheckInBeforeStart:
    """A rally that starts by the clock starts after its check-in."""

    def prepare_start(self, rally: Rally, *, now: datetime) -> bool:
        """Apply the rule if its hour has come. The rally is locked."""
        _close(rally, now)
        return True


@transaction.atomic
def tell_of_hour(*, hour: int, now: datetime) -> bool:
    """Tell drivers and reserves who have not checked in of the hour. Returns False when there is nothing to do."""
    found = CheckInHour.objects.filter(pk=hour).first()
    if found is None:
        return False
    rally = locked_rally(found.rally_id)
    found = CheckInHour.objects.filter(pk=hour, done_at=None, told_at=None, at__lte=now + CALL).first()
    if found is None:
        return False
    found.told_at = now
    found.save(update_fields=["told_at"])
    if rally.status in (Rally.Status.ENTRIES, Rally.Status.RUNNING):
        enqueue_many([_call(rally, found, entry) for entry in not_checked_in(rally) if not entry.driver.is_guest])
    return True


@transaction.atomic
def close_check_in(*, hour: int, now: datetime) -> bool:
    """Apply the rule about who has not checked in, when the hour has come. Returns whether anything was done. The
    second who comes finds it done.
    """
    found = CheckInHour.objects.filter(pk=hour, done_at=None, at__lte=now).first()
    if found is None:
        return False
    try:
        rally = locked_rally(found.rally_id)
    except Http404:
        return False
    return _close(rally, now)


def _close(rally: Rally, now: datetime) -> bool:
    hour = CheckInHour.objects.filter(rally=rally, done_at=None, at__lte=now).first()
    if hour is None:
        return False
    hour.done_at = now
    hour.save(update_fields=["done_at"])
    if rally.status not in (Rally.Status.ENTRIES, Rally.Status.RUNNING):
        return True
    absent = [entry for entry in not_checked_in(rally) if entry.status == Status.CONFIRMED]
    rule = rally.rules_of_evening.absent
    leaves = rule == Absent.OUT and rally.status == Rally.Status.ENTRIES
    for entry in absent if rule != Absent.WAITS else ():
        if leaves:
            rallies.leave_out(rally, entry)
        else:
            rallies.give_to_codriver(rally, entry, action="not checked in")
        outcome = CheckIn.Outcome.OUT if leaves else CheckIn.Outcome.CODRIVER
        CheckIn.objects.update_or_create(entry=entry, defaults={"at": None, "outcome": outcome})
    moved = _move(rally, None, checked_in_only=True) if leaves else []
    missing, in_place = [entry.crew for entry in absent], [str(entry) for entry in moved]
    _log(None, rally, "check-in closed", rule=rule, missing=missing, reserves=in_place)
    return True


def not_checked_in(rally: Rally) -> list[Entry]:
    """The entries with a place, or that wait for one, whose drivers drive themselves and have not checked in. One
    query. Programs need not check in.
    """
    found = rally.entries.filter(
        status__in=Status.entered(), driven_by=Entry.DrivenBy.PERSON, driver__is_bot=False,
        starts_from__isnull=False,
    )  # fmt: skip
    return list(found.exclude(evening_check_in__at__isnull=False).select_related("driver").order_by("asked_at", "pk"))


def still_asked(notice: Notice) -> bool:
    """Whether a call to check in is still of use: the hour stands, and the driver has not checked in."""
    entry = notice.context.get("entry")
    asked = CheckInHour.objects.filter(rally__entries=entry, done_at=None).exists()
    return asked and not CheckIn.objects.filter(entry=entry, at__isnull=False).exists()


def _call(rally: Rally, hour: CheckInHour, entry: Entry) -> Letter:
    return Letter(
        recipient=entry.driver,
        kind=NOTICE_KIND,
        subject_key=f"entry {entry.pk} check in by {hour.at:%Y%m%dT%H%M%S}",
        context={"rally": rally.name, "until": hour.at, "entry": entry.pk},
        link=reverse("evenings:evening", args=[rally.key]),
        thread=f"rally {rally.key}",
    )


def _in_utc(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _log(by: User | None, rally: Rally, action: str, **details: object) -> None:
    told = {"rally": rally.name, **details}
    audit.record(actor=by, action=action, subject=rally, club_id=rally.club_id, details=told)

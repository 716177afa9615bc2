"""Holidays: how many days a club allows, taking them and giving them back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date, datetime, timedelta

from django.db import transaction
from django.http import Http404
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.accounts import zones
from championship.accounts.followers import timing_followers
from championship.accounts.models import User
from championship.audit.services import record
from championship.clubs.models import MOST_HOLIDAY_DAYS, Club, Holiday, Membership, Role
from championship.clubs.services import refuse_if_closed, require_role
from championship.platform import clock
from championship.platform.refusals import Refused, Stale

AHEAD = 366
"""The most days ahead for which a person may take a holiday."""
DAY = timedelta(days=1)


def today_of(person: User, now: datetime) -> date:
    """The date in the zone of the person's days."""
    return now.astimezone(zones.zone(person.zone_of_days(now))).date()


def days_by_year(holidays: Iterable[Holiday]) -> Counter[int]:
    """How many days of each calendar year these holidays take."""
    return Counter(day.year for holiday in holidays for day in holiday.dates())


def holidays_of(person: User, club: Club) -> list[Holiday]:
    """All holidays that the person has taken in the club, ordered by first day: one query."""
    return list(Holiday.objects.filter(person=person, club=club).order_by("first_day", "pk"))


@transaction.atomic
def set_allowance(*, by: User, club: Club, days: int) -> Club:
    """Set how many days a year each member may be on holiday. Organisers and owners may. Holidays already taken stay.

    Raises: Refused when `days` is negative or more than MOST_HOLIDAY_DAYS (field days).
    """
    require_role(by, club, Role.OWNER, Role.ORGANISER)
    if not 0 <= days <= MOST_HOLIDAY_DAYS:
        raise Refused(_("Allow 0 to %(most)d days a year.") % {"most": MOST_HOLIDAY_DAYS}, field="days")
    club = Club.objects.select_for_update().get(pk=club.pk)
    if club.holiday_days != days:
        details = {"before": {"days": club.holiday_days}, "after": {"days": days}}
        club.holiday_days = days
        club.save(update_fields=["holiday_days"])
        record(actor=by, action="holidays allowed", subject=club, club_id=club.pk, details=details)
    return club


@transaction.atomic
def take_holiday(*, by: User, club: Club, first_day: date, last_day: date) -> Holiday:
    """Take a holiday: the member does not drive from `first_day` to `last_day`, both included, in the zone of their
    days. A holiday that begins today begins now.

    Raises: Http404 when `by` is no member.
    Raises: Refused when the days are past, too far ahead, taken already, or more than the club allows in a calendar
    year. The exception names the field.
    """
    _locked_membership(by, club)
    now = clock.now()
    today = today_of(by, now)
    if first_day < today:
        raise Refused(_("A holiday cannot begin before today."), field="first_day")
    if last_day < first_day:
        raise Refused(_("The last day is before the first: set it to that day or later."), field="last_day")
    if last_day > today + AHEAD * DAY:
        raise Refused(_("A holiday must begin within a year: choose an earlier day."), field="last_day")
    taken = holidays_of(by, club)
    _refuse_overlap(taken, first_day, last_day)
    zone = by.zone_of_days(now)
    starts, ends = zones.midnight(first_day, zone), zones.midnight(last_day + DAY, zone)
    holiday = Holiday(
        club=club,
        person=by,
        first_day=first_day,
        last_day=last_day,
        starts_at=max(starts, now),
        ends_at=ends,
        taken_at=now,
    )
    _refuse_beyond_allowance(club, taken, holiday)
    holiday.save()
    record(actor=by, action="holiday taken", subject=holiday, club_id=club.pk, details=_log_details(holiday))
    for follower in timing_followers:
        follower.person_timed(by)
    return holiday


@transaction.atomic
def end_holiday(*, by: User, holiday: Holiday) -> None:
    """Give back the rest of a holiday, or all of it if it has not begun. Of one that has begun, a day counts as used
    unless all 24 hours of it are left, whatever day it is in the member's zone by now.

    Raises: Http404 when the holiday is somebody else's.
    Raises: Stale when it is over.
    """
    if holiday.person_id != by.pk:
        raise Http404
    _locked_membership(by, holiday.club)
    found = Holiday.objects.select_for_update().filter(pk=holiday.pk).first()
    now = clock.now()
    if found is None or found.ends_at <= now:
        raise Stale(_("This holiday is over."))
    record(actor=by, action="holiday given back", subject=found, club_id=found.club_id, details=_log_details(found))
    if found.starts_at > now:
        found.delete()
    else:
        found.last_day = max(found.first_day, found.last_day - (found.ends_at - now) // DAY * DAY)
        found.ends_at = now
        found.save(update_fields=["last_day", "ends_at"])
    for follower in timing_followers:
        follower.person_timed(by)


def _locked_membership(by: User, club: Club) -> Membership:
    """The membership, locked, so that two holidays of one member are taken one after the other.

    Raises: Http404 when `by` is no member.
    Raises: ClubClosed when the club is closed.
    """
    found = Membership.objects.select_for_update(of=("self",)).select_related("club")
    membership = found.filter(club=club, user=by).first()
    if membership is None:
        raise Http404
    refuse_if_closed(membership.club)
    return membership


def _refuse_overlap(taken: Iterable[Holiday], first_day: date, last_day: date) -> None:
    for other in taken:
        if other.first_day <= last_day and first_day <= other.last_day:
            days = {"first": date_format(other.first_day), "last": date_format(other.last_day)}
            raise Refused(
                _("You are already on holiday from %(first)s to %(last)s: choose other days.") % days,
                field="first_day",
            )


def _refuse_beyond_allowance(club: Club, taken: Iterable[Holiday], holiday: Holiday) -> None:
    allowed = Club.objects.values_list("holiday_days", flat=True).get(pk=club.pk)
    used = days_by_year(taken)
    for year, days in sorted(days_by_year([holiday]).items()):
        left = max(0, allowed - used[year])
        if days > left:
            says = ngettext(
                "The club allows %(n)d more day in %(year)d: choose an earlier last day.",
                "The club allows %(n)d more days in %(year)d: choose an earlier last day.",
                left,
            )
            raise Refused(says % {"n": left, "year": year}, field="last_day")


def _log_details(holiday: Holiday) -> dict[str, str]:
    return {"first_day": str(holiday.first_day), "last_day": str(holiday.last_day)}

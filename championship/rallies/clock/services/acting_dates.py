"""Dates that organisers set and the sweep acts on: the deadline of entries and the start of a rally.

The sweep acts once on each date, also when the date passed during an outage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.http import Http404
from django.utils.translation import gettext as _

from championship.audit import services as audit
from championship.platform import clock
from championship.platform.refusals import Refused, Stale
from championship.rallies.desk import organiser_notices
from championship.rallies.desk.services.starting import start_locked_rally
from championship.rallies.followers import start_followers
from championship.rallies.locks import locked_rally
from championship.rallies.models import Rally
from engine.contract import GameError

DATES = ("entries_close_at", "starts_at")


def set_dates(rally: Rally, given: Mapping[str, datetime | None]) -> None:
    """Set the dates of a rally; dates that are not given stay. The rally is not saved. Entries open again when their
    deadline changes.

    Raises: Refused when a new date has passed, or when the deadline of entries is after the start; it names the field.
    """
    wanted = {name: given.get(name, getattr(rally, name)) for name in DATES}
    now = clock.now()
    for name in DATES:
        if wanted[name] is not None and wanted[name] != getattr(rally, name) and wanted[name] <= now:
            raise Refused(_("This time has passed: choose a later one, or leave it empty."), field=name)
    closes, starts = wanted["entries_close_at"], wanted["starts_at"]
    if closes is not None and starts is not None and closes > starts:
        raise Refused(_("Entries close before the start or at the same time."), field="entries_close_at")
    if closes != rally.entries_close_at:
        rally.entries_closed = False
    rally.entries_close_at, rally.starts_at = closes, starts


def dates_for_log(rally: Rally) -> dict[str, Any]:
    """The dates as the log keeps them, in UTC."""
    return {name: _in_utc(getattr(rally, name)) for name in DATES}


def _in_utc(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment:%Y-%m-%d %H:%M} UTC"


class EntryDeadlines:
    """The scheduled action that closes the entries of a rally at their deadline."""

    name = "entry deadlines"

    def due(self, now: datetime) -> Sequence[int]:
        """Rallies whose entries have to close."""
        waiting = Rally.objects.filter(
            status=Rally.Status.ENTRIES,
            practice=False,
            club__closed_at=None,
            entries_closed=False,
            entries_close_at__lte=now,
        )
        return list(waiting.order_by("entries_close_at").values_list("pk", flat=True))

    def act(self, row_id: int, now: datetime) -> bool:
        """Close the entries of one rally."""
        return close_entries(row_id, now=now)


class Starts:
    """The scheduled action that starts a rally at its set date."""

    name = "starts"

    def due(self, now: datetime) -> Sequence[int]:
        """Rallies that have to start."""
        waiting = Rally.objects.filter(
            status=Rally.Status.ENTRIES, practice=False, club__closed_at=None, starts_at__lte=now
        )
        return list(waiting.order_by("starts_at").values_list("pk", flat=True))

    def act(self, row_id: int, now: datetime) -> bool:
        """Start one rally."""
        return start_at_its_hour(row_id, now=now)


def _locked_if_it_exists(rally_id: int) -> Rally | None:
    """The rally, locked; None when it was deleted after the sweep found it."""
    try:
        return locked_rally(rally_id)
    except Http404:
        return None


@transaction.atomic
def close_entries(rally_id: int, *, now: datetime) -> bool:
    """Close the entries of a rally whose deadline has passed, and log it. Returns False when there is nothing to do
    any more.
    """
    rally = _locked_if_it_exists(rally_id)
    if rally is None:
        return False
    passed = rally.entries_close_at is not None and rally.entries_close_at <= now
    if rally.status != Rally.Status.ENTRIES or rally.entries_closed or not passed:
        return False
    rally.entries_closed = True
    rally.save(update_fields=["entries_closed"])
    details = {"rally": rally.name, "entries_close_at": _in_utc(rally.entries_close_at)}
    audit.record(actor=None, action="entries closed", subject=rally, club_id=rally.club_id, details=details)
    return True


@transaction.atomic
def start_at_its_hour(rally_id: int, *, now: datetime) -> bool:
    """Start a rally at its set date, as an organiser would. Returns False when there is nothing to do any more.

    When it cannot start, for example with too few entries, its start date is removed, organisers are notified of the
    reason, and they have to start it themselves.
    """
    rally = _locked_if_it_exists(rally_id)
    if rally is None or rally.status != Rally.Status.ENTRIES or rally.starts_at is None or rally.starts_at > now:
        return False
    if rally.club.closed_at is not None:
        return False
    hour = _in_utc(rally.starts_at)
    try:
        with transaction.atomic():
            if not all(follower.prepare_start(rally, now=now) for follower in start_followers):
                return False
            start_locked_rally(rally, by=None)
    except (Refused, Stale, GameError) as refusal:
        rally = locked_rally(rally_id)
        rally.starts_at = None
        rally.save(update_fields=["starts_at"])
        why = str(refusal.message) if isinstance(refusal, Refused | Stale) else str(refusal)
        details = {"rally": rally.name, "starts_at": hour, "reason": why}
        audit.record(actor=None, action="start put off", subject=rally, club_id=rally.club_id, details=details)
        link = f"{rally.get_absolute_url()}desk/"
        organiser_notices.notify_organisers(
            rally, "start put off", f"rally {rally.pk} start {hour}", {"why": why}, link
        )
    return True

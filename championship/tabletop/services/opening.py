"""What an organiser does with an evening: opens it, gives and takes back its links, divides cars among its tables."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.platform import clock
from championship.platform.keys import new_key
from championship.platform.refusals import Refused, Stale
from championship.rallies.locks import locked_rally_for_organiser, require_open_entries
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.tabletop.models import MOST_TABLES, Evening, SignOn, Table
from championship.tabletop.services.names import take_back
from championship.tabletop.services.seating import seat_in_heats, table_for
from championship.tabletop.starters import may_mix, meets_at_table

LONGEST_HOURS = 24
"""One evening; an organiser can open it longer."""
PROPOSED_HOURS = 12


@transaction.atomic
def open_evening(*, by: User, rally: Rally, tables: int, hours: int = PROPOSED_HOURS) -> Evening:
    """Open an evening for a rally, or open it again: its links work for so many hours from now, and it has that many
    tables. Links from before an evening was closed stay dead. Only for organisers.

    Raises: Refused (field tables or hours) for a number that is out of bounds, or when somebody sits at a table that
    would go; also when nobody may drive this rally at the table.
    """
    rally = locked_rally_for_organiser(by, rally.pk)
    if rally.status in (Rally.Status.FINISHED, Rally.Status.CANCELLED) or rally.on_paper:
        raise Stale(str(rally.words.ended))
    stages = list(rally.stages.select_related("rally"))
    if not meets_at_table(rally, stages):
        raise Refused(_("Choose first that a stage is driven at the table, or that every car drives alone."))
    if not 1 <= tables <= MOST_TABLES:
        raise Refused(_("An evening has 1 to %(most)d tables.") % {"most": MOST_TABLES}, field="tables")
    if not 1 <= hours <= LONGEST_HOURS:
        raise Refused(_("Links work for 1 to %(most)d hours.") % {"most": LONGEST_HOURS}, field="hours")
    now = clock.now()
    evening, _made = Evening.objects.get_or_create(rally=rally, defaults={"ends_at": now + timedelta(hours=hours)})
    evening.ends_at, evening.closed_at = now + timedelta(hours=hours), None
    evening.save(update_fields=["ends_at", "closed_at"])
    going = evening.tables.filter(number__gt=tables)
    if SignOn.objects.filter(table__in=going).exists():
        raise Refused(_("Somebody sits at a table that you take away. Move them first."), field="tables")
    going.delete()
    had = set(evening.tables.values_list("number", flat=True))
    Table.objects.bulk_create(
        Table(evening=evening, number=number) for number in range(1, tables + 1) if number not in had
    )
    on_the_road = next((stage for stage in stages if stage.status == SpecialStage.Status.RUNNING), None)
    if on_the_road is not None and len(had) != tables:
        seat_in_heats(evening, on_the_road)
    _log(by, "evening opened", rally, tables=tables, hours=hours)
    return evening


@transaction.atomic
def close_evening(*, by: User, evening: Evening) -> None:
    """Close an evening now: none of its links works any more, also when it is opened again. Only for organisers.

    The key changes, since the link to the pad of a car that nobody has signed on has no number of its own.
    """
    evening = _locked(by, evening)
    evening.closed_at, evening.key = clock.now(), new_key()
    evening.wall_serial += 1
    evening.save(update_fields=["closed_at", "key", "wall_serial"])
    for table in evening.tables.all():
        table.serial += 1
        table.save(update_fields=["serial"])
    for sign_on in evening.sign_ons.all():
        sign_on.serial += 1
        sign_on.save(update_fields=["serial"])
    _log(by, "evening closed", evening.rally)


@transaction.atomic
def renew_wall(*, by: User, evening: Evening) -> None:
    """Make the link on the wall useless, and give a new one. Only for organisers."""
    evening = _locked(by, evening)
    evening.wall_serial += 1
    evening.save(update_fields=["wall_serial"])
    _log(by, "evening link renewed", evening.rally)


@transaction.atomic
def renew_table(*, by: User, table: Table) -> None:
    """Make the link of a table's marshal useless, and give a new one. Only for organisers."""
    evening = _locked(by, table.evening)
    table = evening.tables.get(pk=table.pk)
    table.serial += 1
    table.save(update_fields=["serial"])
    _log(by, "evening link renewed", evening.rally, table=table.number)


@transaction.atomic
def renew_car(*, by: User, sign_on: SignOn) -> None:
    """Make the link to the pad of a car useless, so that its driver signs on again. Only for organisers."""
    evening = _locked(by, sign_on.evening)
    sign_on = evening.sign_ons.get(pk=sign_on.pk)
    take_back(sign_on)
    sign_on.save()
    _log(by, "evening link renewed", evening.rally, crew=sign_on.entry.crew)


@transaction.atomic
def seat(*, by: User, evening: Evening, entry: Entry, table: int) -> SignOn:
    """Put a car at a table; a driver who has not signed on is here then. Only for organisers.

    Raises: Refused (field table) when there is no such table, or when the car is not confirmed.
    """
    evening = _locked(by, evening)
    found = evening.tables.filter(number=table).first()
    entry = evening.rally.entries.get(pk=entry.pk)
    if found is None:
        raise Refused(_("There is no such table."), field="table")
    if entry.status != Entry.Status.CONFIRMED:
        raise Refused(_("Confirm the entry first."), field="table")
    sign_on, _made = SignOn.objects.update_or_create(entry=entry, defaults={"evening": evening, "table": found})
    if sign_on.waits:  # an organiser who seats somebody has seen them
        sign_on.sure_by = by.name[:90]
        sign_on.save(update_fields=["sure_by"])
    mark_at_table(evening.rally, entry)
    return sign_on


@transaction.atomic
def seat_everybody(*, by: User, evening: Evening) -> int:
    """Put every confirmed car that has no table at the one with the fewest. Returns how many. Only for organisers."""
    evening = _locked(by, evening)
    waiting = evening.rally.entries.filter(status=Entry.Status.CONFIRMED, sign_on=None).order_by("start_number")
    if may_mix(evening.rally, evening.rally.stages.select_related("rally")):
        waiting = waiting.filter(at_table=True)
    entries = list(waiting)
    for entry in entries:
        SignOn.objects.create(evening=evening, entry=entry, table=table_for(evening, entry))
    return len(entries)


@transaction.atomic
def choose_where(*, by: User, rally: Rally, entry: Entry, at_table: bool) -> None:
    """Choose whether a car drives at the table while others drive runs. Only for organisers, before the start.

    Raises: Refused where not every car drives alone.
    Raises: Stale when the rally has started.
    """
    rally = locked_rally_for_organiser(by, rally.pk)
    require_open_entries(rally)
    if not may_mix(rally, rally.stages.select_related("rally")):
        raise Refused(_("Only where every car drives alone, some may drive at the table and others here."))
    entry = rally.entries.get(pk=entry.pk)
    entry.at_table = at_table
    entry.save(update_fields=["at_table"])
    if not at_table:
        SignOn.objects.filter(entry=entry).delete()
    _log(by, "driven at the table" if at_table else "driven on line", rally, crew=entry.crew)


def mark_at_table(rally: Rally, entry: Entry) -> None:
    """Remember that a car drives at the table, where others drive runs and the rally has not started. It is locked.

    Raises: Stale when it has started, and the car drives runs.
    """
    if entry.at_table or not may_mix(rally, rally.stages.select_related("rally")):
        return
    if rally.status != Rally.Status.ENTRIES:
        raise Stale(_("It has started, and this car is driven on line."))
    entry.at_table = True
    entry.save(update_fields=["at_table"])


def _locked(by: User, evening: Evening) -> Evening:
    rally = locked_rally_for_organiser(by, evening.rally_id)
    evening = Evening.objects.get(pk=evening.pk)
    evening.rally = rally
    return evening


def _log(by: User, action: str, rally: Rally, **details: object) -> None:
    audit.record(
        actor=by, action=action, subject=rally, club_id=rally.club_id, details={"rally": rally.name, **details}
    )

"""Organisers change what an entry says before the start: crew, class, start number, and whether the driver is a
newcomer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.platform.refusals import Refused
from championship.rallies.entries.services.queueing import class_chosen
from championship.rallies.locks import locked_rally_for_organiser, require_open_entries
from championship.rallies.models import COLOURS, Entry, Rally
from championship.rallies.text_checks import checked_line


@dataclass(frozen=True, slots=True)
class EntryFacts:
    """What an entry says. `start_number` counts for a confirmed entry only; None leaves it as it is.
    `team` replaces the name of its team where `names_team`; None is the team of the driver's registration.
    """

    entry: int
    crew: str
    car_class: str
    start_number: int | None = None
    team: str | None = None
    names_team: bool = False


@transaction.atomic
def change_entries(*, by: User, rally: Rally, facts: Sequence[EntryFacts]) -> None:
    """Change entries of a rally, which may exchange their start numbers. Only for organisers, before the start.

    Raises: Refused when a class is none of the rally's, or a text is no line.
    """
    rally = locked_rally_for_organiser(by, rally.pk)
    require_open_entries(rally)
    entries = rally.entries.in_bulk([each.entry for each in facts])
    changed = []
    for each in facts:
        entry = entries.get(each.entry)
        if entry is None:
            continue
        entry.crew = checked_line(each.crew, longest=80, field="crew")
        entry.car_class = class_chosen(rally, checked_line(each.car_class, longest=20, field="car_class", needed=False))
        if each.names_team:
            entry.team = each.team and checked_line(each.team, longest=60, field="team")
        if each.start_number is not None and entry.status == Entry.Status.CONFIRMED:
            entry.start_number, entry.colour = each.start_number, (each.start_number - 1) % COLOURS
        changed.append(entry)
    # Confirmed entries must have a number, and two may not have the same one: the numbers move out of the way first.
    confirmed = [entry for entry in changed if entry.status == Entry.Status.CONFIRMED]
    status = Entry.Status.REQUESTED
    rally.entries.filter(pk__in=[entry.pk for entry in confirmed]).update(start_number=None, status=status)
    Entry.objects.bulk_update(changed, ["status", "start_number", "colour", "crew", "car_class", "team"])
    audit.record(
        actor=by,
        action="entries changed",
        subject=rally,
        club_id=rally.club_id,
        details={"rally": rally.name, "entries": [str(entry) for entry in changed]},
    )


@transaction.atomic
def mark_newcomer(*, by: User, entry: Entry, newcomer: str) -> Entry:
    """Say whether the driver of an entry is a newcomer, one of `Entry.Newcomer`. Only for organisers, before the start.
    The same again changes nothing.

    Raises: Refused with the field newcomer for another value, and where the rally makes no difference.
    """
    rally = locked_rally_for_organiser(by, entry.rally_id)
    require_open_entries(rally)
    if newcomer not in Entry.Newcomer.values:
        raise Refused(_("Choose yes, no, or by what they have driven."), field="newcomer")
    if not rally.newcomer_rule:
        raise Refused(_("Newcomers begin like all others here. The options of the game say so."), field="newcomer")
    entry = Entry.objects.get(pk=entry.pk, rally=rally)
    if entry.newcomer == newcomer:
        return entry
    entry.newcomer = newcomer
    entry.save(update_fields=["newcomer"])
    audit.record(
        actor=by,
        action="newcomer marked",
        subject=entry,
        club_id=rally.club_id,
        details={"rally": rally.name, "crew": entry.crew, "newcomer": newcomer or "by count"},
    )
    return entry

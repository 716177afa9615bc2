"""The pace of an evening: choosing it, and moving a rally from hours to seconds and back.

Who has to agree to a move is decided above (`championship.evenings`). Here the rally is locked and moves.
"""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.platform import clock
from championship.platform.refusals import Refused, Stale
from championship.rallies.clock import evening_pace as paces
from championship.rallies.clock import evening_rules
from championship.rallies.clock.evening_pace import EveningPace, converted
from championship.rallies.clock.evening_rules import Absent, Dropped, EveningRules, Late
from championship.rallies.clock.services.timekeeping import after_change_of_pace
from championship.rallies.locks import locked_rally, locked_rally_for_organiser
from championship.rallies.models import Rally

LIMITS = {
    "turn": (paces.SHORTEST_TURN, paces.LONGEST_TURN),
    "bank": (paces.SHORTEST_BANK, paces.LONGEST_BANK),
    "added": (paces.LEAST_ADDED, paces.MOST_ADDED),
    "cap": (0, paces.LONGEST_BANK),
    "periods": (1, paces.MOST_PERIODS),
    "grace": (0, paces.LONGEST_GRACE),
}
"""The least and the most of each number of a pace; all but `periods` are seconds."""


@transaction.atomic
def set_evening_pace(*, by: User, rally: Rally, pace: EveningPace) -> Rally:
    """Choose the pace of a rally's evenings. Only for organisers, and not during an evening.

    Raises: Refused with the field when a value is not valid, or while the rally is driven at this pace.
    Raises: Stale when the rally is over.
    """
    rally = locked_rally_for_organiser(by, rally.pk)
    refuse_if_over(rally)
    if rally.keeps_seconds:
        raise Refused(_("The evening is under way: its pace stays as everybody knows it."), field="way")
    refuse_bad_pace(pace)
    rally.evening = pace.plain()
    rally.save(update_fields=["evening"])
    return rally


def refuse_bad_pace(pace: EveningPace) -> None:
    """Check a pace.

    Raises: Refused with the field.
    """
    if pace.way not in paces.WAYS:
        raise Refused(_("Choose a time for every turn, a bank, or a bank and periods."), field="way")
    for field, (least, most) in LIMITS.items():
        if not least <= getattr(pace, field) <= most:
            says = _("Choose %(least)d to %(most)d.") % {"least": least, "most": most}
            raise Refused(says, field=field)
    if pace.way == paces.BANK and pace.cap and pace.cap < pace.bank:
        raise Refused(_("A bank cannot hold less than it begins with: give more, or 0 for no limit."), field="cap")


@transaction.atomic
def set_evening_rules(*, by: User, rally: Rally, rules: EveningRules) -> Rally:
    """Choose what a rally's evenings do with drivers who are absent, late or gone, and with pauses. Only for
    organisers, and not during an evening: drivers have agreed to it. The log tells of a change.

    Raises: Refused with the field when a value is not valid, or while the rally is driven in minutes.
    Raises: Stale when the rally is over.
    """
    rally = locked_rally_for_organiser(by, rally.pk)
    refuse_if_over(rally)
    if rally.keeps_seconds:
        raise Refused(_("The evening is under way: its rules stay as everybody knows them."))
    before = rally.rules_of_evening
    put_evening_rules(rally, rules)
    rally.save(update_fields=["evening_rules"])
    if before != rules:
        details = {"rally": rally.name, "evening": str(rules.plain())}
        audit.record(actor=by, action="evening rules", subject=rally, club_id=rally.club_id, details=details)
    return rally


def put_evening_rules(rally: Rally, rules: EveningRules | None) -> None:
    """Set the rules of a rally's evenings; None leaves them. The rally is not saved.

    Raises: Refused with the field when a value is not valid.
    """
    if rules is None:
        return
    for field, choices, says in (
        ("absent", Absent, _("Choose what happens to drivers who have not checked in.")),
        ("late", Late, _("Choose how late-comers join.")),
        ("dropped", Dropped, _("Choose what happens to drivers who have dropped out.")),
    ):
        if getattr(rules, field) not in choices.values:
            raise Refused(says, field=field)
    for field, (least, most) in evening_rules.LIMITS.items():
        if not least <= getattr(rules, field) <= most:
            raise Refused(_("Choose %(least)d to %(most)d.") % {"least": least, "most": most}, field=field)
    if rules.drop_after == 1:
        raise Refused(_("One time-out drops nobody: choose 2 or more, or 0 for never."), field="drop_after")
    rally.evening_rules = rules.plain()


def refuse_if_over(rally: Rally) -> None:
    """Check that a rally can still be driven.

    Raises: Stale when it is over.
    Raises: Refused when it is practice, or an open stage, which people drive alone.
    """
    if rally.status in (Rally.Status.FINISHED, Rally.Status.CANCELLED):
        raise Stale(str(rally.words.ended))
    if rally.practice or rally.for_everybody:
        raise Refused(_("This is driven alone, whenever somebody likes: it has no evenings."))


@transaction.atomic
def move_to_seconds(*, rally_id: int, by: User | None) -> Rally:
    """Drive the rally at the pace of an evening from now on. Open turns and cards get their whole new time, of a bank
    the share that was left; they are updated after the commit. `by`: who asked for it; None for the clock.

    Raises: Stale when it is at that pace already, or is over.
    """
    rally = locked_rally(rally_id)
    refuse_if_over(rally)
    if rally.keeps_seconds:
        raise Stale(_("It is driven in minutes already."))
    _move(rally, EveningPace.read(rally.evening), by)
    return rally


@transaction.atomic
def move_to_hours(*, rally_id: int, by: User | None) -> Rally:
    """Drive the rally at its pace in hours again. Nobody has less time than before.

    Raises: Stale when it is not at the pace of an evening, or is over.
    """
    rally = locked_rally(rally_id)
    refuse_if_over(rally)
    if not rally.keeps_seconds:
        raise Stale(_("It is not driven in minutes."))
    _move(rally, None, by)
    return rally


def _move(rally: Rally, pace: EveningPace | None, by: User | None) -> None:
    before, had_bank = whole_bank(rally), rally.pace_now == Rally.Pace.BANK
    rally.evening_since = None if pace is None else clock.now()
    if pace is not None:
        rally.evening = pace.plain()
    rally.save(update_fields=["evening_since", "evening"])
    if had_bank and rally.pace_now == Rally.Pace.BANK:
        for entry in rally.entries.exclude(bank_seconds=None):
            entry.bank_seconds = converted(entry.bank_seconds, before=before, after=whole_bank(rally))
            entry.save(update_fields=["bank_seconds"])
    elif had_bank and rally.pace != Rally.Pace.BANK:
        rally.entries.exclude(bank_seconds=None).update(bank_seconds=None)
    action = "moved to hours" if pace is None else "moved to minutes"
    details = {"rally": rally.name} if pace is None else {"rally": rally.name, "evening": str(pace.plain())}
    audit.record(actor=by, action=action, subject=rally, club_id=rally.club_id, details=details)
    after_change_of_pace(rally)


def whole_bank(rally: Rally) -> int:
    """The seconds of a whole bank at the pace of now; 0 where there is no bank."""
    if rally.pace_now != Rally.Pace.BANK:
        return 0
    return rally.evening_pace.whole_bank if rally.keeps_seconds else rally.bank_hours * 3600

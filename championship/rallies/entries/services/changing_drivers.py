"""Changes of who drives an entry's car: its driver, the codriver, or another member who takes it over mid-rally."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.clubs.models import Role
from championship.notices.services import Letter, enqueue_many
from championship.platform import clock
from championship.platform.refusals import Refused, Stale
from championship.rallies.clock.evening_rules import Dropped
from championship.rallies.control.services.awaited_cards import change_driver_at_control
from championship.rallies.control.services.time_control import codriver_hands_in
from championship.rallies.desk.promises import promises_of
from championship.rallies.entries.codrivers import may_drive, names_of
from championship.rallies.entries.impartiality import TIMEKEEPERS, require_impartial
from championship.rallies.followers import rally_followers
from championship.rallies.locks import (
    locked_rally,
    locked_rally_for_organiser,
    require_driver_or_organiser,
)
from championship.rallies.models import CrewChange, Entry, Rally, SpecialStage
from championship.rallies.text_checks import checked_line

DrivenBy = Entry.DrivenBy


@transaction.atomic
def set_driven_by(
    *,
    by: User,
    entry: Entry,
    driven_by: str,
    manner: str = "",
    reason: str = "",
    instead_of: int | None = None,
    leaves_cards: bool = True,
    stand_in: bool = False,
) -> Entry:
    """Let the driver ("person") or the computer ("codriver") drive the car from now on, before or during the rally.

    The driver may call this, and so may organisers; during the rally only organisers who are impartial. A driver who
    hands the car over during the rally may still hand in the cards of time control; the codriver hands one in when its
    time is over. When an organiser hands the car over, or without `leaves_cards`, the codriver hands in at once the
    card that time control waits for. During the rally this is a change of crew, which the results show. A driver who
    takes the car back has the rest of the turn's time. A driver who gets it back from an organiser has the whole time.

    `manner`: how the codriver drives, one of `names_of(game)`; "" leaves the choice as it is, so that a car that is
    handed over and given back keeps its stand-in. For a driver who drives, it is the stand-in: it drives when the wheel
    is given away, and when a deadline is missed. `stand_in`: nothing else is to change. `instead_of`: the id of the
    driver whom the caller saw, as in `replace_driver`; None skips the check.

    Raises: Forbidden when `by` may not do this; Stale when the driver is not `instead_of` any more, and for a stand-in
    when the codriver drives by now; Refused (with the field) on an open stage, at the table, after the rally.
    """
    rally = locked_rally(entry.rally_id)
    require_driver_or_organiser(by, entry, rally)
    if rally.for_everybody:
        raise Refused(_("On an open stage every driver drives alone."))
    if driven_by not in DrivenBy.values:
        raise Refused(_("Choose the driver or the codriver."), field="driven_by")
    manner = _checked_manner(manner, rally)
    reason = checked_line(reason, longest=200, field="reason", needed=False)
    if rally.status in (Rally.Status.FINISHED, Rally.Status.CANCELLED):
        raise Refused(str(rally.words.ended))
    entry = Entry.objects.select_related("driver").get(pk=entry.pk, rally=rally)
    _refuse_at_table(rally, entry, driven_by if leaves_cards else "")
    own = entry.driver_id == by.pk
    author_details = _author_details(by, rally, entry) if rally.status == Rally.Status.RUNNING and not own else {}
    _refuse_if_changed(entry, instead_of, stand_in=stand_in)
    if (entry.driven_by, entry.manner) == (driven_by, manner := manner or entry.manner):
        return entry
    handed_over = entry.driven_by != driven_by
    entry.driven_by, entry.manner = driven_by, manner
    entry.save(update_fields=["driven_by", "manner"])
    if not handed_over and driven_by == DrivenBy.PERSON:
        return _stand_in_chosen(by, entry, rally, author_details)
    details = {"driven_by": driven_by} | {k: v for k, v in (("manner", manner), ("reason", reason)) if v}
    _log(by, "entry driven by", entry, rally, **details, **author_details)
    if not handed_over:
        return entry
    driver = _note_change_of_crew(rally, entry, by=by, reason=reason)
    for follower in rally_followers:
        follower.entry_handed_over(entry, full_time=driver is not None and not own)
    waiting = rally.stages.filter(status=SpecialStage.Status.TIME_CONTROL).first()
    if waiting and driven_by == DrivenBy.CODRIVER and not (leaves_cards and own):
        codriver_hands_in(rally, waiting, entry)
    return entry


def give_to_codriver(rally: Rally, entry: Entry, *, action: str) -> bool:
    """Let the codriver drive a car until its driver takes it back, by a rule of an evening. The rally is locked.
    Returns False when the codriver drives it already. `action`: the log's name for it.
    """
    entry = Entry.objects.select_related("driver").get(pk=entry.pk, rally=rally)
    if entry.driven_by == DrivenBy.CODRIVER:
        return False
    entry.driven_by = DrivenBy.CODRIVER
    entry.save(update_fields=["driven_by"])
    _log(None, action, entry, rally, driven_by=DrivenBy.CODRIVER)
    _note_change_of_crew(rally, entry, by=entry.driver, reason="")
    for follower in rally_followers:
        follower.entry_handed_over(entry, full_time=False)
    waiting = rally.stages.filter(status=SpecialStage.Status.TIME_CONTROL).first()
    if waiting is not None:
        codriver_hands_in(rally, waiting, entry)
    return True


@transaction.atomic
def drop_out(*, entry: Entry, dropped: str) -> None:
    """A driver has run out of time too often in a row in an evening, and the car's run is over. By the rules of the
    evening (`evening_rules.Dropped`) the codriver drives from now on, or the car starts no more until its driver joins
    as a late-comer. The app of runs calls this with the run locked.
    """
    rally = locked_rally(entry.rally_id)
    if dropped == Dropped.CODRIVER:
        give_to_codriver(rally, entry, action="driver dropped out")
    elif rally.heats is None:
        changed = Entry.objects.filter(pk=entry.pk, starts_from__isnull=False).update(starts_from=None)
        if changed:
            _log(None, "driver dropped out", entry, rally)


def _refuse_if_changed(entry: Entry, instead_of: int | None, *, stand_in: bool) -> None:
    """Raise Stale as `set_driven_by` says."""
    if instead_of not in (None, entry.driver_id):
        raise _driven_by_now(entry)
    if stand_in and entry.driven_by != DrivenBy.PERSON:
        raise Stale(_("The codriver has the wheel already."))


def _stand_in_chosen(by: User, entry: Entry, rally: Rally, author_details: Mapping[str, bool]) -> Entry:
    """Log the choice, if it was not the driver's own: that is no act of an official."""
    if entry.driver_id != by.pk:
        _log(by, "stand-in chosen", entry, rally, manner=entry.manner, **author_details)
    return entry


def _note_change_of_crew(rally: Rally, entry: Entry, *, by: User, reason: str) -> User | None:
    """Record who drives from now on, if a stage is left to drive. Return the driver, None for the codriver."""
    before, driver = (entry.driver, None) if entry.driven_by == DrivenBy.CODRIVER else (None, entry.driver)
    stage = current_or_next_stage(rally, entry)
    if stage is not None:
        change = CrewChange(before=before, driver=driver, crew_before=entry.crew, reason=reason, by=by)
        _save_change(change, entry, stage)
    return driver


def _checked_manner(manner: str, rally: Rally) -> str:
    if manner and manner not in names_of(rally.game):
        raise Refused(_("Choose one of the driving styles offered."), field="manner")
    return manner


@transaction.atomic
def choose_manner(*, entry: Entry, manner: str) -> None:
    """Set how the codriver drives the entry's car, one of `names_of(game)` or "", where its driver hands it over for
    some time. The app of runs calls this with the run locked.

    Raises: Refused for an unknown manner; it names the field.
    """
    rally = locked_rally(entry.rally_id)
    entry.manner = _checked_manner(manner, rally)
    entry.save(update_fields=["manner"])


@transaction.atomic
def require_may_hand_over(*, by: User, entry: Entry, reason: str) -> tuple[str, dict[str, bool]]:
    """Check that an organiser may hand somebody else's car over for some time, or back, while the rally is under way.
    Returns the reason as it is kept, and log details that mark an organiser who drives in the rally. The app of runs
    calls this with the run locked.

    Raises: Forbidden when `by` is no organiser, or not impartial.
    Raises: Http404 when `by` is not a member.
    Raises: Refused when the reason is not valid; it names the field.
    """
    rally = locked_rally_for_organiser(by, entry.rally_id)
    author_details = _author_details(by, rally, entry)
    return checked_line(reason, longest=200, field="reason", needed=False), author_details


@transaction.atomic
def record_stage_handed_over(
    *,
    by: User,
    entry: Entry,
    special_stage: SpecialStage,
    back: bool = False,
    reason: str = "",
    author_details: Mapping[str, bool] | None = None,
) -> None:
    """Record that the driver, or an organiser, has handed the car over until this stage is over, or has taken it back:
    `back`. `reason`, `author_details`: an organiser's, see `require_may_hand_over`.
    """
    rally = locked_rally(entry.rally_id)
    before, driver = (None, entry.driver) if back else (entry.driver, None)
    change = CrewChange(before=before, driver=driver, crew_before=entry.crew, reason=reason, by=by)
    _save_change(change, entry, special_stage)
    details: dict[str, object] = {"driven_by": DrivenBy.PERSON if back else DrivenBy.CODRIVER}
    details |= {"stage": special_stage.number, **({"reason": reason} if reason else {}), **(author_details or {})}
    _log(by, "entry driven by", entry, rally, **details)


@transaction.atomic
def record_back_after_stage(*, entry: Entry, special_stage: SpecialStage) -> None:
    """Record that a car that was handed over until this stage is over belongs to its driver from the next one on."""
    rally = locked_rally(entry.rally_id)
    following = rally.stages.filter(number__gt=special_stage.number).order_by("number").first()
    if following is not None and entry.driven_by == DrivenBy.PERSON:
        change = CrewChange(before=None, driver=entry.driver, crew_before=entry.crew, by=entry.driver)
        _save_change(change, entry, following)


@transaction.atomic
def replace_driver(
    *, by: User, entry: Entry, driver: User, instead_of: int, crew: str, reason: str
) -> CrewChange | None:
    """Let another member drive the entry's car from now on. Returns None when that member drives it already.

    Only for impartial organisers, while the rally is under way. `instead_of`: the id of the driver whom the organiser
    saw. The app of runs calls this with the entry's runs locked: the lock order is runs, then rallies.

    Raises: Stale when a third person drives the car by now.
    Raises: Refused when the new driver is not a driver of the club or is in this rally already, when the crew or the
    reason is not valid (it names the field), or when the car has driven all its stages.
    """
    rally = locked_rally_for_organiser(by, entry.rally_id)
    if rally.status != Rally.Status.RUNNING:
        raise Refused(str(rally.words.not_under_way))
    entry = Entry.objects.select_related("driver").get(pk=entry.pk, rally=rally)
    if entry.driver_id == driver.pk and entry.driver_id != instead_of:
        return None
    author_details = _author_details(by, rally, entry)
    crew, reason = checked_line(crew, longest=80, field="crew"), checked_line(reason, longest=200, field="reason")
    if entry.driver_id != instead_of:
        raise _driven_by_now(entry)
    stage = _first_stage_of(rally, entry, driver)
    before = entry.driver
    change = CrewChange(before=before, driver=driver, crew_before=entry.crew, reason=reason, by=by)
    entry.driver, entry.crew, entry.driven_by, entry.manner = driver, crew, DrivenBy.PERSON, ""
    entry.save(update_fields=["driver", "crew", "driven_by", "manner"])
    _save_change(change, entry, stage)
    said = {"driver": str(driver), "before": str(before), "stage": stage.number, "reason": reason}
    _log(by, "driver replaced", entry, rally, **said, **author_details)
    _notify_both_drivers(rally, change, before, author_details)
    change_driver_at_control(rally, entry, before)
    return change


def _refuse_at_table(rally: Rally, entry: Entry, driven_by: str) -> None:
    """Check that the computer can drive the car: not with the printed game. Somebody who closes their account asks
    nothing: the codriver hands in their cards only.
    """
    if driven_by == DrivenBy.CODRIVER and not may_drive(entry, rally.stages.select_related("rally")):
        raise Refused(_("At the table a person drives. Choose another driver."), field="driven_by")


def _author_details(by: User, rally: Rally, entry: Entry) -> dict[str, bool]:
    """The log details that mark an organiser who drives in the rally; empty for an organiser who does not.

    Raises: Forbidden when the club has a more impartial organiser.
    """
    drives = require_impartial(by, rally, TIMEKEEPERS, parties=[entry])
    return {"author_drives": True} if drives else {}


def _driven_by_now(entry: Entry) -> Stale:
    return Stale(_("%(driver)s drives this car now. Look again.") % {"driver": entry.driver})


def _first_stage_of(rally: Rally, entry: Entry, driver: User) -> SpecialStage:
    """The first stage of the new driver.

    Raises: Refused when the driver cannot take over.
    """
    if entry.status != Entry.Status.CONFIRMED:
        raise Refused(_("This entry does not take part."))
    if not rally.club.memberships.filter(user=driver, roles__contains=[Role.DRIVER]).exists():
        raise Refused(_("%(name)s is not a driver of this club.") % {"name": driver}, field="driver")
    if rally.entries.filter(driver=driver, status__in=Entry.Status.entered()).exists():
        raise Refused(_("%(name)s is entered already.") % {"name": driver}, field="driver")
    stage = current_or_next_stage(rally, entry)
    if stage is None:
        raise Refused(_("This car has nothing left to drive."))
    return stage


def current_or_next_stage(rally: Rally, entry: Entry) -> SpecialStage | None:
    """The stage that the entry drives now or next; None before the start, and when it has driven all stages."""
    if rally.status != Rally.Status.RUNNING or entry.status != Entry.Status.CONFIRMED:
        return None
    driven = entry.times.values("special_stage")
    left = rally.stages.exclude(status=SpecialStage.Status.DONE).exclude(pk__in=driven)
    return left.order_by("number").first()


def _save_change(change: CrewChange, entry: Entry, stage: SpecialStage) -> None:
    change.entry, change.special_stage, change.crew, change.at = entry, stage, entry.crew, clock.now()
    change.save(force_insert=True)


def _log(by: User | None, action: str, entry: Entry, rally: Rally, **details: object) -> None:
    audit.record(
        actor=by,
        action=action,
        subject=entry,
        club_id=rally.club_id,
        details={"rally": rally.name, "crew": entry.crew, "start_number": entry.start_number, **details},
    )


def _notify_both_drivers(rally: Rally, change: CrewChange, before: User, author_details: dict[str, bool]) -> None:
    """Notify the new driver and the old one."""
    entry = change.entry
    context = {
        "rally": rally.name,
        "game": rally.game,
        "stage": change.special_stage.number,
        "start_number": entry.start_number,
        "reason": change.reason,
        "promises": promises_of(rally),
        **({"author_drives": "yes"} if author_details else {}),
    }
    enqueue_many(
        [
            Letter(
                recipient=person,
                kind=kind,
                subject_key=f"crew change {change.pk}",
                context=context,
                link=rally.get_absolute_url(),
                thread=f"rally {rally.key}",
            )
            for person, kind in ((entry.driver, "car taken over"), (before, "car given away"))
        ]
    )

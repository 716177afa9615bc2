"""Every write of an evening: organisers ask for another pace, drivers agree or do not, ask for a pause, and are ready.

An act that needs an agreement is carried out in the transaction of the last one who agrees.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.clubs.services import refuse_if_closed
from championship.evenings.models import Agreement, DriverPause, Question, Subject, Unseen
from championship.evenings.selectors import (
    asked_entries,
    drivers_paused,
    pauses_begun,
    present_entries,
    standing_agreements,
)
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies import services as rallies
from championship.rallies.clock.services.evenings import refuse_if_over
from championship.rallies.locks import locked_rally, locked_rally_for_organiser
from championship.rallies.models import Entry, Rally, SpecialStage

PACES = (Subject.MINUTES, Subject.HOURS)


@transaction.atomic
def ask(*, by: User, rally: Rally, subject: str) -> bool:
    """Ask the drivers of a rally whether it goes on in minutes, or in hours. Only for organisers. Before the start no
    driver has any time yet, so the rally moves at once. An organiser who drives agrees by asking.

    Returns whether the rally has moved.

    Raises: Stale when it is at that pace already, or over.
    """
    rally = locked_rally_for_organiser(by, rally.pk)
    refuse_if_over(rally)
    if subject not in PACES:
        raise Refused(_("Choose minutes or hours."), field="subject")
    if rally.keeps_seconds == (subject == Subject.MINUTES):
        raise Stale(_("It is driven at that pace already."))
    _forget(rally, PACES)
    if rally.status == Rally.Status.ENTRIES:
        _carry_out(rally, subject, by)
        return True
    Question.objects.create(rally=rally, subject=subject, by=by, at=clock.now())
    details = {"rally": rally.name}
    audit.record(actor=by, action=f"asked for {subject}", subject=rally, club_id=rally.club_id, details=details)
    own = asked_entries(rally).filter(driver=by).first()
    if own is not None:
        Agreement.objects.create(entry=own, subject=subject, at=clock.now())
    return _act_if_agreed(rally, subject, by)


@transaction.atomic
def agree(*, by: User, rally: Rally, subject: str) -> bool:
    """Agree to what was asked, to a pause, to its end, or say that one is ready. Twice is once.

    Returns whether what was agreed on has been done now.

    Raises: Forbidden when the person does not drive in the rally, or the codriver drives the car.
    Raises: Refused for the end of a pause that organisers began, or that followed a restored backup; and for a pause
    that nobody has asked for yet, when the driver has begun as many as the rules of the evening allow.
    Raises: Stale when that is not asked any more.
    """
    rally, entry = _of_driver(by, rally)
    _refuse_if_not_asked(rally, subject)
    if subject == Subject.PAUSE and not standing_agreements(rally).filter(subject=Subject.PAUSE).exists():
        _refuse_if_no_pause_is_left(rally, entry)
    if not standing_agreements(rally).filter(entry=entry, subject=subject).exists():
        Agreement.objects.update_or_create(entry=entry, subject=subject, defaults={"at": clock.now()})
    return _act_if_agreed(rally, subject, by)


@transaction.atomic
def take_back(*, by: User, rally: Rally, subject: str) -> None:
    """Take an agreement back. Where there is none, nothing happens.

    Raises: Forbidden when the person does not drive in the rally.
    """
    _rally, entry = _of_driver(by, rally)
    Agreement.objects.filter(entry=entry, subject=subject).delete()


@transaction.atomic
def refuse_pace(*, by: User, rally: Rally) -> None:
    """Say no to the question about the pace. The rally stays as it is, and the question is closed.

    Raises: Forbidden when the person does not drive in the rally.
    Raises: Stale when nothing is asked.
    """
    rally, _entry = _of_driver(by, rally)
    if not Question.objects.filter(rally=rally).exists():
        raise Stale(_("Nothing is asked any more."))
    _forget(rally, PACES)
    details = {"rally": rally.name}
    audit.record(actor=by, action="pace refused", subject=rally, club_id=rally.club_id, details=details)


def _of_driver(by: User, rally: Rally) -> tuple[Rally, Entry]:
    rally = locked_rally(rally.pk)
    refuse_if_closed(rally.club)
    entry = asked_entries(rally).filter(driver=by).first()
    if entry is None:
        raise Forbidden(_("This is for the drivers of the rally who have the wheel themselves."))
    return rally, entry


def _refuse_if_not_asked(rally: Rally, subject: str) -> None:
    refuse_if_over(rally)
    if subject in PACES:
        asked = Question.objects.filter(rally=rally, subject=subject).exists()
    elif subject == Subject.PAUSE:
        asked = rally.keeps_seconds and rally.paused_at is None
    elif subject == Subject.RESUME:
        asked = rally.keeps_seconds and rally.paused_at is not None
    else:
        asked = subject == Subject.READY and rally.keeps_seconds
    if not asked:
        raise Stale(_("That is not asked any more. This page shows how things are now."))
    if subject == Subject.RESUME and not drivers_paused(rally):
        raise Refused(_("Organisers have paused the rally, and they end the pause."))


def _refuse_if_no_pause_is_left(rally: Rally, entry: Entry) -> None:
    most = rally.rules_of_evening.pauses
    if pauses_begun(rally).filter(entry=entry).count() >= most:
        if not most:
            raise Refused(_("The rules of this evening leave pauses to the organisers."))
        says = _("You have begun %(n)d pauses this evening, as many as its rules allow. Agree when others ask for one.")
        raise Refused(says % {"n": most})


class PauseEnds:
    """The scheduled action that ends pauses of drivers. Its ids are such pauses."""

    name = "ends of pauses"

    def due(self, now: datetime) -> Sequence[int]:
        """Return the pauses whose time is over."""
        open_now = DriverPause.objects.filter(done_at=None, until__lte=now, entry__rally__club__closed_at=None)
        return list(open_now.order_by("until").values_list("pk", flat=True))

    def act(self, row_id: int, now: datetime) -> bool:
        """End one pause."""
        return end_pause(pause=row_id, now=now)


@transaction.atomic
def end_pause(*, pause: int, now: datetime) -> bool:
    """End a pause of drivers when its time is over, unless somebody has ended it before. Returns whether it was ended
    now. The second who comes finds it done.
    """
    found = DriverPause.objects.select_related("entry").filter(pk=pause, done_at=None, until__lte=now).first()
    if found is None:
        return False
    rally = locked_rally(found.entry.rally_id)
    if not DriverPause.objects.filter(pk=pause, done_at=None).update(done_at=now):
        return False
    if rally.status != Rally.Status.RUNNING or rally.paused_at != found.at:
        return False
    _forget(rally, [Subject.RESUME])
    rallies.resume_as_agreed(by=None, rally=rally)
    return True


@transaction.atomic
def show_presence(*, by: User, shown: bool, rally: Rally | None = None) -> None:
    """Choose whether the person is shown as here: in a rally, or everywhere where `rally` is None. What they chose for
    one rally stays when they choose for all. Twice is once.
    """
    if shown:
        Unseen.objects.filter(person=by, rally=rally).delete()
    else:
        Unseen.objects.get_or_create(person=by, rally=rally)


class WishesOfPeople:
    """What people have chosen for evenings; follows accounts (`accounts.followers`)."""

    def account_ended(self, person: User) -> None:
        """The person has left: nobody asks whether they are here."""
        Unseen.objects.filter(person=person).delete()


class ReadyDrivers:
    """What drivers of an evening have said about the next stage; follows rallies (`rallies.followers`)."""

    def rally_made(self, rally: Rally) -> None:
        """Nothing is said yet."""

    def stage_ready(self, special_stage: SpecialStage) -> None:
        """Nobody is ready any more: they were for the stage that opens now."""
        Agreement.objects.filter(entry__rally=special_stage.rally_id, subject=Subject.READY).delete()

    def entry_handed_over(self, entry: Entry, *, full_time: bool) -> None:
        """Who has given the wheel away is not ready."""
        if entry.driven_by != Entry.DrivenBy.PERSON:
            Agreement.objects.filter(entry=entry, subject=Subject.READY).delete()

    def rally_timed(self, rally: Rally) -> None:
        """Says nothing about who is ready."""


def _act_if_agreed(rally: Rally, subject: str, by: User) -> bool:
    in_order = list(standing_agreements(rally).filter(subject=subject).values_list("entry", flat=True))
    agreed = set(in_order)
    everybody = set(asked_entries(rally).values_list("pk", flat=True))
    agreed &= everybody
    if subject == Subject.READY:
        return False
    if subject == Subject.MINUTES:
        enough = agreed == everybody
    else:
        here = (present_entries(rally) & everybody) | agreed
        enough = 2 * len(agreed) > len(here)
    if enough:
        _forget(rally, [subject, *(PACES if subject in PACES else ())])
        _carry_out(rally, subject, by, next((entry for entry in in_order if entry in agreed), None))
    return enough


def _carry_out(rally: Rally, subject: str, by: User, first: int | None = None) -> None:
    """Do what was agreed on. `first`: the entry whose driver agreed first."""
    if subject == Subject.MINUTES:
        rallies.move_to_seconds(rally_id=rally.pk, by=by)
    elif subject == Subject.HOURS:
        rallies.move_to_hours(rally_id=rally.pk, by=by)
        _forget(rally, list(Subject))
    elif subject == Subject.PAUSE:
        paused = rallies.pause_as_agreed(by=by, rally=rally)
        if first is not None and paused.paused_at is not None:
            until = paused.paused_at + timedelta(minutes=rally.rules_of_evening.pause_minutes)
            DriverPause.objects.create(entry_id=first, at=paused.paused_at, until=until)
    elif subject == Subject.RESUME:
        rallies.resume_as_agreed(by=by, rally=rally)


def _forget(rally: Rally, subjects: Collection[str]) -> None:
    """Delete what was asked and agreed about these subjects."""
    Agreement.objects.filter(entry__rally=rally, subject__in=subjects).delete()
    Question.objects.filter(rally=rally, subject__in=subjects).delete()

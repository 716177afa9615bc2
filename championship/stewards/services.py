"""Every write of the stewards' room: protests and appeals filed and withdrawn, decisions taken."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.http import Http404
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship import clock
from championship.accounts.models import User
from championship.audit import services as audit
from championship.clubs.models import Membership, Role
from championship.clubs.services import require_role
from championship.notices.many import Letter, enqueue_many
from championship.rallies.models import Entry, Exclusion, Penalty, Rally, SpecialStage, StageTime, TimeByHand
from championship.rallies.services.locks import locked_rally
from championship.rallies.services.penalties import require_no_own_cause
from championship.refusals import Forbidden, Refused, Stale
from championship.stewards.models import Decision, Protest, Terms

LONGEST_TEXT = 4000
MOST_SECONDS = 3600
LONGEST_STAGE = 100_000
"""Seconds: no stage takes longer, by hand either."""
HEARD = (Rally.Status.RUNNING, Rally.Status.FINISHED)
Kind = Decision.Kind


@transaction.atomic
def set_terms(*, by: User, rally: Rally, protest_hours: int, appeal_hours: int) -> Terms:
    """How long drivers may protest and appeal. Only organisers, at any time; what is filed already stands."""
    rally = locked_rally(rally.pk)
    require_role(by, rally.club, Role.ORGANISER)
    for field, hours in (("protest_hours", protest_hours), ("appeal_hours", appeal_hours)):
        if not 0 <= hours <= 720:
            raise Refused(_("Give between 0 and 720 hours."), field=field)
    terms, _made = Terms.objects.update_or_create(
        rally=rally, defaults={"protest_hours": protest_hours, "appeal_hours": appeal_hours}
    )
    _record(by, "terms set", rally, rally, protest_hours=protest_hours, appeal_hours=appeal_hours)
    return terms


@transaction.atomic
def file_protest(
    *, by: User, rally: Rally, text: str, against: Entry | None = None, special_stage: SpecialStage | None = None
) -> Protest:
    """A driver of the rally asks the stewards to look at something.

    Refused outside the window (Terms): before the rally has started, or longer than that after the stage, or the rally
    where no stage is named, was over. 404 for who does not drive in the rally.
    """
    rally = locked_rally(rally.pk)
    entry = _entry_of(by, rally)
    if rally.status not in HEARD:
        raise Refused(_("Protests are heard once the rally has started."))
    if against is not None and (against.rally_id != rally.pk or against.pk == entry.pk):
        raise Refused(_("Choose another entry of this rally."), field="against")
    if special_stage is not None and special_stage.rally_id != rally.pk:
        raise Refused(_("Choose a stage of this rally."), field="special_stage")
    over_at = special_stage.closed_at if special_stage else rally.finished_at
    hours = terms_of(rally).protest_hours
    if over_at is not None and clock.now() > over_at + timedelta(hours=hours):
        message = ngettext(
            "Protests about this were heard for %(hours)d hour after its end; that time is over.",
            "Protests about this were heard for %(hours)d hours after its end; that time is over.",
            hours,
        )
        raise Refused(message % {"hours": hours})
    protest = Protest.objects.create(
        rally=rally, by=entry, against=against, special_stage=special_stage, text=_checked(text)
    )
    _tell_of_protest(protest)
    _record(by, "protest filed", protest, rally, entry=str(entry), against=str(against) if against else None)
    return protest


@transaction.atomic
def appeal(*, by: User, decision: Decision, text: str) -> Protest:
    """A driver whom a decision concerns, or whose protest it was, does not accept it: once, within the window.

    Another steward than who decided judges it.
    """
    rally = locked_rally(decision.rally_id)
    entry = _entry_of(by, rally)
    concerned = {decision.entry_id, decision.protest.by_id if decision.protest else None}
    if entry.pk not in concerned:
        raise Forbidden(_("Only those whom a decision concerns may appeal against it."))
    if Protest.objects.filter(appealed=decision).exists():
        raise Stale(_("There is an appeal against this decision already."))
    hours = terms_of(rally).appeal_hours
    if clock.now() > decision.at + timedelta(hours=hours):
        message = ngettext(
            "One may appeal for %(hours)d hour; that time is over.",
            "One may appeal for %(hours)d hours; that time is over.",
            hours,
        )
        raise Refused(message % {"hours": hours})
    protest = Protest.objects.create(
        rally=rally, by=entry, special_stage=decision.special_stage, text=_checked(text), appealed=decision
    )
    _tell_of_protest(protest)
    _record(by, "protest filed", protest, rally, entry=str(entry), decision=decision.number)
    return protest


@transaction.atomic
def withdraw_protest(*, by: User, protest: Protest) -> Protest:
    """The driver takes an open protest back; it stays to be read. Stale once it is decided."""
    rally = locked_rally(protest.rally_id)
    protest = Protest.objects.select_related("by").get(pk=protest.pk)
    if protest.by.driver_id != by.pk:
        require_role(by, rally.club)
        raise Forbidden(_("Only who filed a protest may withdraw it."))
    if protest.status != Protest.Status.OPEN:
        raise Stale(_("This protest is closed."))
    protest.status = Protest.Status.WITHDRAWN
    protest.save(update_fields=["status"])
    _record(by, "protest withdrawn", protest, rally, entry=str(protest.by))
    return protest


@transaction.atomic
def decide(
    *,
    by: User,
    rally: Rally,
    kind: str,
    text: str,
    protest: Protest | None = None,
    entry: Entry | None = None,
    special_stage: SpecialStage | None = None,
    seconds: int | None = None,
    undoes: Decision | None = None,
) -> Decision:
    """A decision with its reasons, in force at once: on a protest, or on the stewards' own motion.

    Only stewards of the club, and not in their own cause: not on a protest they filed or that is against them, nor on
    their own entry, nor on an appeal against what they decided themselves. Refused names the field; Stale when the
    protest is closed or the earlier decision was undone already.
    """
    rally = locked_rally(rally.pk)
    require_role(by, rally.club, Role.STEWARD)
    if rally.status not in HEARD:
        raise Refused(_("Stewards decide once the rally has started."))
    if kind not in Kind.values:
        raise Refused(_("Choose what is decided."), field="kind")
    if protest is not None:
        protest = Protest.objects.select_for_update().get(pk=protest.pk, rally=rally)
        if protest.status != Protest.Status.OPEN:
            raise Stale(_("This protest is closed."))
    if undoes is not None:
        undoes = Decision.objects.filter(pk=undoes.pk, rally=rally).select_related("entry").first()
    _require_impartial(by, protest, entry, undoes)
    decision = Decision(
        rally=rally,
        number=(rally.decisions.aggregate(last=Max("number"))["last"] or 0) + 1,
        protest=protest,
        kind=kind,
        entry=entry,
        special_stage=special_stage,
        text=_checked(text),
        by=by,
    )
    _take_effect(decision, seconds, undoes)
    decision.save(force_insert=True)
    if protest is not None:
        Protest.objects.filter(pk=protest.pk).update(status=Protest.Status.DECIDED)
    _tell_of_decision(decision)
    _record(
        by, "decision taken", decision, rally, kind=kind, number=decision.number, entry=str(entry) if entry else None,
        seconds=decision.seconds,
    )  # fmt: skip
    return decision


# What a decision does ------------------------------------------------------------------------------


def _take_effect(decision: Decision, seconds: int | None, undoes: Decision | None) -> None:
    """Write what counts in the classification, and point to it. Refused names the field that is wrong."""
    kind, entry = decision.kind, decision.entry
    if kind == Kind.REVERSAL:
        decision.undoes = _undone(undoes)
        return
    if kind == Kind.NO_ACTION:
        return
    if entry is None or entry.rally_id != decision.rally_id or entry.status != Entry.Status.CONFIRMED:
        raise Refused(_("Choose an entry of this rally."), field="entry")
    stage = decision.special_stage
    if stage is not None and stage.rally_id != decision.rally_id:
        raise Refused(_("Choose a stage of this rally."), field="special_stage")
    reason = " ".join(decision.text.split())[:200]
    if kind == Kind.PENALTY:
        if not seconds or abs(seconds) > MOST_SECONDS:
            raise Refused(_("Give between 1 and 3600 seconds; below zero for a bonus."), field="seconds")
        decision.seconds = seconds
        decision.penalty = Penalty.objects.create(
            rally=decision.rally, entry=entry, special_stage=stage, seconds=seconds, reason=reason, given_by=decision.by
        )
    elif kind == Kind.EXCLUSION:
        if entry.exclusions.filter(lifted_at=None).exists():
            raise Refused(_("This entry is excluded already."), field="entry")
        decision.exclusion = Exclusion.objects.create(entry=entry, reason=reason, given_by=decision.by)
    elif kind == Kind.STAGE_TIME:
        decision.seconds, decision.time_by_hand = seconds, _set_by_hand(decision, entry, seconds, reason)


def _set_by_hand(decision: Decision, entry: Entry, seconds: int | None, reason: str) -> TimeByHand:
    stage = decision.special_stage
    if stage is None:
        raise Refused(_("Choose the stage whose time is set."), field="special_stage")
    if seconds is None or not 0 <= seconds <= LONGEST_STAGE:
        raise Refused(_("Give the stage time in seconds."), field="seconds")
    if not StageTime.objects.filter(special_stage=stage, entry=entry).exists():
        raise Refused(_("This entry has no time on that stage yet."), field="special_stage")
    if TimeByHand.objects.filter(special_stage=stage, entry=entry, lifted_at=None).exists():
        raise Refused(_("This time was set by hand already: undo that decision first."), field="special_stage")
    return TimeByHand.objects.create(
        special_stage=stage, entry=entry, seconds=seconds, reason=reason, given_by=decision.by
    )


def _undone(undoes: Decision | None) -> Decision:
    """The decision that no longer holds, its effect lifted."""
    if undoes is None:
        raise Refused(_("Choose the decision that no longer holds."), field="undoes")
    if undoes.kind == Kind.REVERSAL:
        raise Refused(_("Take the decision anew instead of undoing its undoing."), field="undoes")
    if Decision.objects.filter(undoes=undoes).exists():
        raise Stale(_("That decision was undone already."), field="undoes")
    for effect in (undoes.penalty, undoes.exclusion, undoes.time_by_hand):
        if effect is not None:
            effect.lifted_at = clock.now()
            effect.save(update_fields=["lifted_at"])
    return undoes


def _require_impartial(by: User, protest: Protest | None, entry: Entry | None, undoes: Decision | None) -> None:
    """Nobody judges in their own cause."""
    if protest is not None and protest.appealed is not None and protest.appealed.by_id == by.pk:
        raise Forbidden(_("An appeal is judged by another steward than who took the decision."))
    concerned = [entry, *_parties(protest), *_of_decision(undoes)]
    require_no_own_cause(by, [each for each in concerned if each is not None])


def _parties(protest: Protest | None) -> list[Entry | None]:
    """Who protests, against whom; of an appeal also whom the decision concerns, and its parties."""
    return [] if protest is None else [protest.by, protest.against, *_of_decision(protest.appealed)]


def _of_decision(decision: Decision | None) -> list[Entry | None]:
    return [] if decision is None else [decision.entry, *_of_decision(decision.undoes), *_parties(decision.protest)]


# Who hears of it -----------------------------------------------------------------------------------


def _tell_of_protest(protest: Protest) -> None:
    stewards = Membership.objects.filter(club=protest.rally.club_id, roles__contains=[Role.STEWARD])
    people = {each.user for each in stewards.select_related("user")}
    if protest.against is not None:
        people.add(protest.against.driver)
    _tell(people - {protest.by.driver}, "protest filed", protest.rally, f"protest {protest.pk}", protest, by=protest.by)


def _tell_of_decision(decision: Decision) -> None:
    protest = decision.protest
    undone = decision.undoes.entry if decision.undoes else None
    entries = [decision.entry, undone, *((protest.by, protest.against) if protest else ())]
    people = {entry.driver for entry in entries if entry is not None}
    _tell(people, "decision taken", decision.rally, f"decision {decision.pk}", decision, number=decision.number)


def _tell(people: set[User], kind: str, rally: Rally, subject: str, about: Protest | Decision, **context: Any) -> None:
    enqueue_many(
        [
            Letter(
                recipient=person,
                kind=kind,
                subject_key=subject,
                context={"rally": rally.name} | {name: str(value) for name, value in context.items()},
                link=about.get_absolute_url(),
                thread=f"rally {rally.key}",
            )
            for person in people
        ]
    )


def terms_of(rally: Rally) -> Terms:
    """The rally's terms, the usual ones where nobody set others: one query."""
    return Terms.objects.filter(rally=rally).first() or Terms(rally=rally)


def _entry_of(by: User, rally: Rally) -> Entry:
    entry = Entry.objects.filter(rally=rally, driver=by, status=Entry.Status.CONFIRMED).select_related("driver").first()
    if entry is None:
        raise Http404
    return entry


def _checked(text: str) -> str:
    text = text.replace("\x00", "").strip()
    if not text:
        raise Refused(_("Say what it is about."), field="text")
    if len(text) > LONGEST_TEXT:
        raise Refused(_("At most %(n)d characters, please.") % {"n": LONGEST_TEXT}, field="text")
    return text


def _record(by: User, action: str, subject: Any, rally: Rally, **details: object) -> None:
    audit.record(
        actor=by, action=action, subject=subject, club_id=rally.club_id, details={"rally": rally.name, **details}
    )

"""Every service that writes in the stewards' room: protests and appeals are filed and withdrawn, decisions are taken,
and people are notified of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.http import Http404
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.accounts.models import User
from championship.accounts.text import shortened
from championship.audit import services as audit
from championship.clubs.models import Role
from championship.clubs.services import require_role
from championship.notices.services import Letter, enqueue_many
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies.desk import organiser_notices
from championship.rallies.locks import locked_rally_in_open_club
from championship.rallies.models import (
    Entry,
    Exclusion,
    Penalty,
    PenaltyWithdrawal,
    Rally,
    SpecialStage,
    StageTime,
    TimeByHand,
)
from championship.rallies.results.measures import is_time, may_be_given, plain, unit_name
from championship.rallies.results.selectors import COMPLETE, is_sealed
from championship.rallies.results.services.penalties import required_amount
from championship.runs.models import Run, Turn
from championship.seasons.models import Round
from championship.stewards.models import (
    MOST_POINTS,
    Decision,
    Protest,
    Statement,
)
from championship.stewards.selectors import officials_on, require_impartial_on
from championship.stewards.services.shortening import lock_runs, shorten, strike, undo_shortening
from championship.stewards.services.terms import set_points_rule as set_points_rule
from championship.stewards.services.terms import set_terms as set_terms
from championship.stewards.services.terms import terms_of as terms_of

LONGEST_TEXT = 4000
DOUBLE_PRESS_WINDOW = timedelta(minutes=1)
"""The same decision by the same steward within this time counts as a double press."""
STATUSES_FOR_PROTESTS = (Rally.Status.RUNNING, Rally.Status.FINISHED)
Kind = Decision.Kind
SHOWN_REASONS = 1500
"""How many characters of a decision's reasons a notice contains; the page has all of them."""


@transaction.atomic
def file_protest(
    *,
    by: User,
    rally: Rally,
    text: str,
    against: Entry | None = None,
    special_stage: SpecialStage | None = None,
    turn: int | None = None,
) -> Protest:
    """File a protest: a driver of the rally asks the stewards to judge something. `turn`: the number of a turn on that
    stage, in the run of the entry that it is against, else in the driver's own.

    Protests are heard from the start of the rally until the window (Terms) after the end of the stage, or of the rally
    where no stage is named. After an official who drives has given or withdrawn a penalty, protests are heard for as
    long as appeals.

    Raises: Http404 when the person does not drive in the rally.
    Raises: Forbidden when the person is a bot.
    Raises: Refused outside that time, or with the field that is wrong.
    """
    rally = locked_rally_in_open_club(rally.pk)
    entry = _entry_of(by, rally)
    if rally.for_everybody:
        raise Refused(_("An open stage has no stewards. Write to the operator of this service."))
    if rally.status not in STATUSES_FOR_PROTESTS:
        raise Refused(_("You can protest only after the start."))
    if against is not None and (against.rally_id != rally.pk or against.pk == entry.pk):
        raise Refused(_("Choose another entry."), field="against")
    if special_stage is not None and special_stage.rally_id != rally.pk:
        raise Refused(str(rally.words.no_part), field="special_stage")
    about = None if turn is None else _turn_numbered(turn, special_stage, against or entry)
    over_at = special_stage.closed_at if special_stage else rally.finished_at
    hours = terms_of(rally).protest_hours
    if over_at is not None and not _protests_open(rally, over_at + timedelta(hours=hours)):
        message = ngettext(
            "You could protest about this for %(hours)d hour after its end; that time is over.",
            "You could protest about this for %(hours)d hours after its end; that time is over.",
            hours,
        )
        raise Refused(message % {"hours": hours})
    protest = Protest.objects.create(
        rally=rally, by=entry, against=against, special_stage=special_stage, turn=about, text=_checked(text)
    )
    notify_of_protest(protest)
    _record(by, "protest filed", protest, rally, entry=str(entry), against=str(against) if against else None)
    return protest


@transaction.atomic
def appeal(*, by: User, decision: Decision, text: str) -> Protest:
    """File an appeal: a driver whom a decision concerns, or whose protest it was, does not accept it. This is possible
    once, within the window. A decision whose author drives in the rally concerns everybody else in it.

    A steward other than the author judges the appeal, where there is one (impartiality.py).

    Raises: Forbidden when the decision does not concern the person, or the person is a bot.
    Raises: Stale when there is an appeal already.
    Raises: Refused after the window.
    """
    rally = locked_rally_in_open_club(decision.rally_id)
    entry = _entry_of(by, rally)
    concerned = {decision.entry_id, decision.protest.by_id if decision.protest else None}
    if entry.pk not in concerned and not (decision.author_drives and decision.by_id != by.pk):
        raise Forbidden(_("You can appeal only against a decision that concerns you."))
    if Protest.objects.filter(appealed=decision).exists():
        raise Stale(_("There is an appeal against this decision already."))
    hours = terms_of(rally).appeal_hours
    if clock.now() > decision.at + timedelta(hours=hours):
        message = ngettext(
            "You can appeal for %(hours)d hour; that time is over.",
            "You can appeal for %(hours)d hours; that time is over.",
            hours,
        )
        raise Refused(message % {"hours": hours})
    protest = Protest.objects.create(
        rally=rally, by=entry, special_stage=decision.special_stage, text=_checked(text), appealed=decision
    )
    notify_of_protest(protest)
    _record(by, "protest filed", protest, rally, entry=str(entry), decision=decision.number)
    return protest


def _turn_numbered(number: int, stage: SpecialStage | None, entry: Entry) -> Turn:
    if stage is None:
        raise Refused(_("A turn belongs to a stage: choose it too."), field="special_stage")
    turn = Turn.objects.filter(run__special_stage=stage, run__seats__entry=entry, number=number).first()
    if turn is None:
        raise Refused(_("There is no turn of that number. The log shows the numbers."), field="turn")
    return turn


@transaction.atomic
def give_statement(*, by: User, protest: Protest, text: str) -> Statement:
    """Answer a protest, as the driver whom it is against: once, while it is open. Everybody who is told of the protest
    is told of the statement.

    Raises: Forbidden when the protest is not against this person, or the person is a bot.
    Raises: Stale when there is a statement already, or the protest is closed.
    """
    rally = locked_rally_in_open_club(protest.rally_id)
    entry = _entry_of(by, rally)
    protest = Protest.objects.select_related("rally__club", "by__driver", "against__driver").get(pk=protest.pk)
    if protest.against_id != entry.pk:
        raise Forbidden(_("You can answer only a protest against you."))
    if protest.status != Protest.Status.OPEN:
        raise Stale(_("This protest is closed."))
    if Statement.objects.filter(protest=protest).exists():
        raise Stale(_("Your statement is there already."))
    statement = Statement.objects.create(protest=protest, by=entry, text=_checked(text))
    people = {protest.by.driver, *officials_on(rally, protest).eligible} - {by}
    _send_notices(people, "statement given", rally, f"statement {statement.pk}", protest, by=entry)
    _record(by, "statement given", protest, rally, entry=str(entry))
    return statement


def answer_until(protest: Protest) -> datetime | None:
    """Return until when stewards wait for the statement of the driver whom a protest is against; None when they wait
    for none: it is there, the time is over, or the protest is against nobody. Two queries at most.
    """
    if protest.against_id is None or Statement.objects.filter(protest=protest).exists():
        return None
    until: datetime = protest.filed_at + timedelta(hours=terms_of(protest.rally).answer_hours)
    return until if clock.now() < until else None


@transaction.atomic
def withdraw_protest(*, by: User, protest: Protest) -> Protest:
    """Withdraw an open protest of the driver. It stays readable.

    Raises: Forbidden when somebody else filed it.
    Raises: Stale when it is no longer open.
    """
    rally = locked_rally_in_open_club(protest.rally_id)
    protest = Protest.objects.select_related("by").get(pk=protest.pk)
    if protest.by.driver_id != by.pk:
        require_role(by, rally.club)
        raise Forbidden(_("You can withdraw only a protest that you filed."))
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
    amount: int | None = None,
    undoes: Decision | None = None,
    points: int = 0,
) -> Decision:
    """Take a decision with its reasons, in force at once: on a protest, or on the stewards' own motion.

    Only stewards of the club may, under the rule of impartiality (selectors.py), and never about their own entry where
    no protest asks for it. `points`: penalty points for the entry's driver in the season. The same decision again
    within DOUBLE_PRESS_WINDOW counts as a double press.

    Raises: Refused with the field that is wrong.
    Raises: Stale when the protest is closed, or the earlier decision was undone already.
    """
    runs = lock_runs(special_stage) if kind == Kind.SHORTENED and special_stage is not None else []
    rally = locked_rally_in_open_club(rally.pk)
    require_role(by, rally.club, Role.STEWARD)
    if rally.status not in STATUSES_FOR_PROTESTS:
        raise Refused(_("Stewards can decide only after the start."))
    if kind not in Kind.values:
        raise Refused(_("Choose what is decided."), field="kind")
    text = _checked(text)
    _require_points(points, rally, entry, kind)
    same = rally.decisions.filter(
        by=by, kind=kind, text=text, protest=protest, entry=entry, special_stage=special_stage, undoes=undoes
    )
    pressed_before = same.filter(at__gt=clock.now() - DOUBLE_PRESS_WINDOW).first()
    if pressed_before is not None and (amount is None or pressed_before.amount in (None, amount)):
        return pressed_before
    protest = None if protest is None else _open_protest(protest, rally)
    if undoes is not None:
        undoes = Decision.objects.filter(pk=undoes.pk, rally=rally).select_related("entry").first()
    decision = Decision(
        rally=rally,
        number=(rally.decisions.aggregate(last=Max("number"))["last"] or 0) + 1,
        protest=protest,
        kind=kind,
        entry=entry,
        special_stage=special_stage,
        text=text,
        points=points,
        by=by,
        author_drives=require_impartial_on(by, rally, protest, entry, undoes),
    )
    _take_effect(decision, amount, undoes, runs)
    decision.save(force_insert=True)
    if protest is not None:
        Protest.objects.filter(pk=protest.pk).update(status=Protest.Status.DECIDED)
    notify_of_decision(decision)
    _log_decision(decision)
    return decision


def _log_decision(decision: Decision) -> None:
    rally, entry = decision.rally, decision.entry
    said: dict[str, object] = {"kind": decision.kind, "number": decision.number, "entry": str(entry) if entry else None}
    said["split" if decision.kind == Kind.SHORTENED else rally.unit] = decision.amount
    openly = {"author_drives": True} if decision.author_drives else {}
    _record(decision.by, "decision taken", decision, rally, **said, **openly)


def _open_protest(protest: Protest, rally: Rally) -> Protest:
    """Return the protest of a rally, locked.

    Raises: Stale when it is closed.
    """
    locked = Protest.objects.select_for_update().get(pk=protest.pk, rally=rally)
    if locked.status != Protest.Status.OPEN:
        raise Stale(_("This protest is closed."))
    return locked


def _require_points(points: int, rally: Rally, entry: Entry | None, kind: str) -> None:
    if not 0 <= points <= MOST_POINTS:
        raise Refused(_("Give a number from 0 to %(most)d.") % {"most": MOST_POINTS}, field="points")
    if points and (entry is None or kind == Kind.REVERSAL):
        raise Refused(_("Penalty points need one of the entries."), field="points")
    if points and not Round.objects.filter(rally=rally).exists():
        raise Refused(_("Penalty points count in a season, and this is no round of one."), field="points")


# What a decision does ------------------------------------------------------------------------------


def _take_effect(decision: Decision, amount: int | None, undoes: Decision | None, runs: Sequence[Run]) -> None:
    """Write the row that changes the classification, and set the decision's reference to it. `runs`: the locked runs of
    a stage that is shortened.

    Raises: Refused with the field that is wrong.
    """
    kind, entry = decision.kind, decision.entry
    if kind == Kind.REVERSAL:
        decision.undoes = _undo(undoes)
        return
    if kind in (Kind.STRUCK, Kind.SHORTENED):
        strike(decision) if kind == Kind.STRUCK else shorten(decision, amount, runs)
        return
    if kind == Kind.NO_ACTION:
        return
    if entry is None or entry.rally_id != decision.rally_id or entry.status != Entry.Status.CONFIRMED:
        raise Refused(_("Choose one of the entries."), field="entry")
    stage = decision.special_stage
    if stage is not None and stage.rally_id != decision.rally_id:
        raise Refused(str(decision.rally.words.no_part), field="special_stage")
    done: dict[str, Any] = {
        "entry": entry,
        "reason": shortened(" ".join(decision.text.split()), 200),
        "given_by": decision.by,
        "author_drives": decision.author_drives,
    }
    if kind == Kind.PENALTY:
        decision.amount = required_amount(amount, decision.rally.measure)
        given = {"special_stage": stage, "amount": decision.amount}
        decision.penalty = Penalty.objects.create(rally=decision.rally, **given, **done)
    elif kind == Kind.EXCLUSION:
        if entry.exclusions.filter(lifted_at=None).exists():
            raise Refused(_("This entry is excluded already."), field="entry")
        decision.exclusion = Exclusion.objects.create(**done)
    elif kind == Kind.STAGE_TIME:
        decision.amount, decision.time_by_hand = amount, _set_by_hand(stage, amount, **done)


def _set_by_hand(stage: SpecialStage | None, result: int | None, *, entry: Entry, **done: Any) -> TimeByHand:
    if stage is None:
        raise Refused(_("Choose where a result is set."), field="special_stage")
    if result is None or not may_be_given(result, stage.rally.measure):
        if result == 0 and is_time(stage.rally.measure):
            raise Refused(_("0 is not a time. Give the seconds, at least 1."), field="amount")
        unit = {"unit": unit_name(stage.rally.unit)}
        raise Refused(_("Give the result in %(unit)s.") % unit, field="amount")
    if is_sealed(stage):
        says = _("All cars have the same luck: set results after all cars have finished.")
        raise Refused(says, field="special_stage")
    if not StageTime.objects.filter(special_stage=stage, entry=entry).exists():
        _require_notional(stage, entry)
    if TimeByHand.objects.filter(special_stage=stage, entry=entry, lifted_at=None).exists():
        raise Refused(_("This result was set by hand already: undo that decision first."), field="special_stage")
    return TimeByHand.objects.create(special_stage=stage, entry=entry, measure=result, **done)


def _require_notional(stage: SpecialStage, entry: Entry) -> None:
    """Check that a car without a result may get a notional one: the stage is over. In a rally with heats it must have
    been on the start list, because a result would put it into a final that it has not reached.

    Raises: Refused.
    """
    if stage.status not in COMPLETE:
        raise Refused(_("This entry has no result there yet."), field="special_stage")
    if stage.rally.heats is not None and not stage.start_places.filter(entry=entry).exists():
        raise Refused(_("This entry did not go on to it."), field="special_stage")


def _undo(undoes: Decision | None) -> Decision:
    """Lift the effect of the decision that no longer holds, and return that decision."""
    if undoes is None:
        raise Refused(_("Choose the decision that no longer holds."), field="undoes")
    if undoes.kind == Kind.REVERSAL:
        raise Refused(_("You cannot undo this one. Take the original decision again."), field="undoes")
    if Decision.objects.filter(undoes=undoes).exists():
        raise Stale(_("That decision was undone already."), field="undoes")
    if undoes.kind == Kind.SHORTENED:
        undo_shortening(undoes)
    for effect in (undoes.penalty, undoes.exclusion, undoes.time_by_hand):
        if effect is not None:
            effect.lifted_at = clock.now()
            effect.save(update_fields=["lifted_at"])
    if undoes.kind == Kind.STRUCK and undoes.special_stage_id is not None:
        SpecialStage.objects.filter(pk=undoes.special_stage_id).update(struck_at=None)
    return undoes


def _protests_open(rally: Rally, until: datetime) -> bool:
    """Return whether drivers may still protest: before `until`, or while a penalty that an official who drives has
    given or withdrawn is no older than the window for appeals.
    """
    now = clock.now()
    since = now - timedelta(hours=terms_of(rally).appeal_hours)
    given = Penalty.objects.filter(rally=rally, author_drives=True, decision=None, at__gte=since)
    withdrawn = PenaltyWithdrawal.objects.filter(penalty__rally=rally, author_drives=True, at__gte=since)
    return now <= until or given.exists() or withdrawn.exists()


def _entry_of(by: User, rally: Rally) -> Entry:
    """Return the entry that the person drives in the rally.

    Raises: Http404 when there is none.
    Raises: Forbidden when the person is a bot.
    """
    entry = Entry.objects.filter(rally=rally, driver=by, status=Entry.Status.CONFIRMED).select_related("driver").first()
    if entry is None:
        raise Http404
    if entry.driver.is_bot:
        raise Forbidden(_("A bot makes turns and decides nothing else."))
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


def notify_of_protest(protest: Protest) -> None:
    people = set(officials_on(protest.rally, protest).eligible)
    if protest.against is not None:
        people.add(protest.against.driver)
    people.discard(protest.by.driver)
    facts = {"by": protest.by, **({"appeal": "yes"} if protest.is_appeal else {})}
    _send_notices(people, "protest filed", protest.rally, f"protest {protest.pk}", protest, **facts)
    others = set(organiser_notices.organisers_of(protest.rally.club)) - people - {protest.by.driver}
    _send_notices(others, "protest to organisers", protest.rally, f"protest {protest.pk}", protest, **facts)


def notify_of_decision(decision: Decision) -> None:
    protest = decision.protest
    undone = decision.undoes.entry if decision.undoes else None
    entries = [decision.entry, undone, *((protest.by, protest.against) if protest else ())]
    people = {entry.driver for entry in entries if entry is not None}
    about = {decision.kind, decision.undoes.kind if decision.undoes else ""}
    if about & {Kind.SHORTENED, Kind.STRUCK}:
        people |= {each.driver for each in decision.rally.entries.filter(status="confirmed").select_related("driver")}
    openly = {"author_drives": "yes"} if decision.author_drives else {}
    subject, said = f"decision {decision.pk}", _what_was_decided(decision)
    _send_notices(people, "decision taken", decision.rally, subject, decision, number=decision.number, **said, **openly)


def _what_was_decided(decision: Decision) -> dict[str, object]:
    """Return the decision as values, which the notice puts into words in its reader's language."""
    entry = str(decision.entry) if decision.entry else ""
    stage = decision.special_stage.number if decision.special_stage else ""
    amount = "" if decision.amount is None else decision.amount
    return {
        "decided": decision.kind,
        "entry": entry,
        "stage": stage,
        "amount": amount,
        "measure": plain(decision.rally.measure),
        "points": decision.points or "",
        "reasons": shortened(decision.text, SHOWN_REASONS),
    }


def _send_notices(
    people: set[User], kind: str, rally: Rally, subject: str, about: Protest | Decision, **context: Any
) -> None:
    enqueue_many(
        [
            Letter(
                recipient=person,
                kind=kind,
                subject_key=subject,
                context={"rally": rally.name, "game": rally.game}
                | {name: _plain(value) for name, value in context.items()},
                link=about.get_absolute_url(),
                thread=f"rally {rally.key}",
            )
            for person in people
        ]
    )


def _plain(value: Any) -> Any:
    return value if isinstance(value, dict | int) else str(value)

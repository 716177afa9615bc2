"""Drafts of drivers, kept move by move. The engine checks each time which moves are legal."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.failures.batches import by_batches
from championship.platform import clock
from championship.platform.prepared_queries import prepared
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies.models import Entry
from championship.runs.draft_forms import empty, written
from championship.runs.models import PLAN_LENGTH, Draft, Run, Seat
from championship.runs.play.advancing_run import first_seat_in, locked_with, seat_by_driver
from championship.runs.play.writing import save_draft
from championship.runs.watch import watching
from engine import registry
from engine.contract import Changing, Drafted, Drafting, OrdersAhead, Reaching, RuleError, State, offered, required


@dataclass(frozen=True, slots=True)
class OpenDraft:
    """A draft that its driver is editing, with the run locked. `seat` is the driver's. `draft` holds the moves so far.
    `state` is the state in which they are laid. `version` is the seat's version of the run.
    """

    run: Run
    seat: Seat
    draft: Draft
    state: State
    version: int

    @property
    def drafting(self) -> Drafting:
        """The drafting capability of the game."""
        return required(registry.get(self.run.game), Drafting)

    def legal(self, laid: Any) -> Drafted:
        """Return the part of a draft that is legal now."""
        return self.drafting.legal(self.state, self.seat.name, laid)

    def keep(self, laid: Any) -> Draft:
        """Replace the draft by these moves and save it.

        Raises: Refused with the rule and the move when they are not legal.
        Raises: Stale when the turn is being played, so that no moves can be laid.
        """
        if len(written(laid)) > PLAN_LENGTH:
            raise Refused(_("That is longer than any plan."), field="plan")
        legal = self.legal(laid)
        if not legal.laying:
            raise Stale(_("This turn is being played: you cannot lay anything now."))
        if legal.error is not None:
            raise refusal_of(legal.error)
        self.draft.laid = legal.draft
        return self.save()

    def save(self) -> Draft:
        """Save the draft as it is now."""
        draft = self.draft
        draft.version, draft.updated_at = self.version, clock.now()
        if draft.pk is None:
            draft.save()
        else:
            save_draft(draft)
        return draft


def refusal_of(error: RuleError) -> Refused:
    """Return the engine's error as a refusal of the plan."""
    return Refused(error.words(_), field="plan", rule=error.rule, move=error.move)


@transaction.atomic
def keep_draft(*, by: User, run: Run, plan: Any, version: int) -> Draft:
    """Replace the whole draft by `plan`, which must be legal now. `version` is the version of the run that the driver
    saw.

    The `run` of the returned draft is as read under the lock, without its club. If two tabs send a draft, the later one
    counts. When an exception is raised, the draft is unchanged.

    Raises: Refused with rule and move when the plan is not legal.
    Raises: Stale when the turn that it was laid for has been played.
    Raises: Forbidden when the person does not drive in the run.
    """
    return open_draft(by=by, run=run, version=version).keep(plan)


@transaction.atomic
def add_move(*, by: User, run: Run, move: str, version: int, plan: Any = None) -> Draft:
    """Append one move to `plan`, as the page showed it; without `plan`, to the legal part of the draft.

    Raises: as `keep_draft`.
    """
    laying = open_draft(by=by, run=run, version=version)
    before = laying.legal(laying.draft.laid).draft if plan is None else plan
    return laying.keep(laying.drafting.extend(before, move))


@dataclass(frozen=True, slots=True)
class Changed:
    """A draft in which a move was changed. `taken_off` is why the moves from one on were removed; None where all hold.
    Its `move` is the number of the first of them.
    """

    draft: Draft
    taken_off: RuleError | None


@transaction.atomic
def change_move(*, by: User, run: Run, move: str, number: int, version: int, plan: Any = None) -> Changed:
    """Replace one move of `plan`, as the page showed it; without `plan`, of the legal part of the draft. `number`
    counts from 1. The moves behind it stay as long as they are legal.

    Raises: Refused where the draft has no such move, or the new move itself is not legal; else as `keep_draft`.
    """
    laying = open_draft(by=by, run=run, version=version)
    before = laying.legal(laying.draft.laid if plan is None else plan).draft
    try:
        changed = required(registry.get(run.game), Changing).change(before, number, move)
    except RuleError as error:
        raise refusal_of(error) from None
    legal = laying.legal(changed)
    if legal.error is None or (legal.error.move or 0) <= number:
        return Changed(laying.keep(changed), None)
    return Changed(laying.keep(legal.draft), legal.error)


@transaction.atomic
def lead_to(*, by: User, run: Run, place: str, version: int, plan: Any = None) -> Draft | None:
    """Continue `plan`, or without one the stored draft, up to a place of the course, as the engine proposes it. Returns
    None, and changes nothing, where no plan leads there this turn.

    Raises: as `keep_draft`.
    """
    laying = open_draft(by=by, run=run, version=version)
    legal = laying.legal(laying.draft.laid if plan is None else plan)
    if not legal.laying or (plan is not None and legal.error is not None):
        return laying.keep(plan)
    longer = required(registry.get(run.game), Reaching).reach(laying.state, laying.seat.name, legal.draft, place)
    return None if longer is None else laying.keep(longer)


@transaction.atomic
def take_back(*, by: User, run: Run, version: int, plan: Any = None) -> Draft:
    """Remove the last move from the plan.

    Raises: as `keep_draft`.
    """
    laying = open_draft(by=by, run=run, version=version)
    return laying.keep(laying.drafting.undo(laying.legal(laying.draft.laid if plan is None else plan).draft))


@transaction.atomic
def clear_draft(*, by: User, run: Run, version: int) -> Draft:
    """Remove all moves from the draft.

    Raises: as `keep_draft`.
    """
    laying = open_draft(by=by, run=run, version=version)
    return laying.keep(laying.drafting.empty_draft())


@transaction.atomic
def keep_orders(*, by: User, run: Run, plan: Any, orders: dict[str, Any], version: int) -> Draft:
    """Keep the plan together with the standing orders under which it is to be played.

    Raises: as `keep_draft`.
    """
    laying = open_draft(by=by, run=run, version=version)
    laying.draft.orders = orders
    return laying.keep(plan)


def open_draft(*, by: User, run: Run, version: int) -> OpenDraft:
    """Lock the run, check who edits the draft, and return the draft.

    Raises: Forbidden when the person does not drive in the run, or the codriver drives the car.
    Raises: Stale when the run is over or the driver's own car has moved since `version`. Posts of others do not matter:
    they leave the legal part of a draft intact.
    """
    run, (own, drafts) = locked_with(
        run.pk, seat_by_driver.bind(run=run.pk, driver=by.pk), _kept_draft.bind(run=run.pk, person=by.pk)
    )
    seat = first_seat_in(run, own)
    if seat is None:
        raise Forbidden(_("You do not drive in this run."), rule="O1", game=run.game)
    if run.status != Run.Status.RUNNING:
        raise Stale(str(run.special_stage.rally.words.over))
    if seat.entry.driven_by != Entry.DrivenBy.PERSON:
        raise Forbidden(_("The codriver drives your car. Ask the organiser to hand it back to you."))
    if seat.codriver_drives:
        raise Forbidden(_("The codriver has the wheel. Take it back first, on the page of the run."))
    now_at = watching.version_for(run, seat.name)
    if version > now_at or (version < now_at and watching.moved_since(run, seat.name, version)):
        raise Stale(_("Your turn has changed meanwhile. This page shows it as it is now; look again."))
    draft = next(iter(drafts), None) or Draft(person=by, laid=empty(run.game))
    draft.run = run
    return OpenDraft(run, seat, draft, state_for(run, seat.name), now_at)


@prepared
def _kept_draft(run: Any, person: Any) -> QuerySet[Draft]:
    return Draft.objects.filter(run=run, person=person)


def state_for(run: Run, driver: str) -> State:
    """Return the state in which this driver lays moves: the present state in their turn; before it, the state as if it
    were their turn.

    Raises: Forbidden when the car no longer drives, or when it is not the driver's turn and the game takes no orders
    ahead.
    """
    rules = registry.get(run.game)
    sending = offered(rules, OrdersAhead)
    if driver in rules.to_play(run.state):
        return run.state
    if sending is None:
        raise Forbidden(_("It is not your turn."), rule="O1", game=run.game)
    try:
        return sending.ahead(run.state, driver)
    except RuleError as error:
        raise Forbidden(error.words(_), rule=error.rule, game=run.game) from None


def delete_old_drafts(before: datetime) -> int:
    """Delete drafts of runs that are over, last changed before that moment. Returns their number."""
    return by_batches(Draft.objects.filter(updated_at__lt=before).exclude(run__status=Run.Status.RUNNING))

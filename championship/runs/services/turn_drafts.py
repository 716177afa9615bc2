"""Drafts: what a driver lays, kept move by move. What may be laid is asked of the engine each time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from championship import clock
from championship.accounts.models import User
from championship.prepared_queries import prepared
from championship.rallies.models import Entry
from championship.refusals import Forbidden, Refused, Stale
from championship.runs import watching
from championship.runs.draft_forms import empty, written
from championship.runs.models import PLAN_LENGTH, Draft, Run, Seat
from championship.runs.services.moving_run import in_run, locked_with, seat_by_driver
from championship.runs.services.row_writing import save_draft
from engine import registry
from engine.contract import Drafted, Drafting, OrdersAhead, RuleError, State, offered, required


@dataclass(frozen=True, slots=True)
class OpenDraft:
    """A draft that its driver works on, the run locked: the seat, what is laid so far, the state in which it is laid,
    and the seat's version of the run.
    """

    run: Run
    seat: Seat
    draft: Draft
    state: State
    version: int

    @property
    def drafting(self) -> Drafting:
        """What the game offers for it."""
        return required(registry.get(self.run.game), Drafting)

    def legal(self, laid: Any) -> Drafted:
        """What of a draft may be laid now."""
        return self.drafting.legal(self.state, self.seat.driver, laid)

    def keep(self, laid: Any) -> Draft:
        """This becomes the draft.

        Raises: Refused with the rule and the move where it is not legal.
        """
        if len(written(laid)) > PLAN_LENGTH:
            raise Refused(_("That is longer than any plan."), field="plan")
        legal = self.legal(laid)
        if not legal.laying:
            raise Stale(_("This turn is being played: there is nothing to lay now."))
        if legal.error is not None:
            raise refusal_of(legal.error)
        self.draft.laid = legal.draft
        return self.save()

    def save(self) -> Draft:
        """Write the draft down as it is now."""
        draft = self.draft
        draft.version, draft.updated_at = self.version, clock.now()
        if draft.pk is None:
            draft.save()
        else:
            save_draft(draft)
        return draft


def refusal_of(error: RuleError) -> Refused:
    """What the engine says, for the person who laid it."""
    return Refused(error.words(_), field="plan", rule=error.rule, move=error.move)


@transaction.atomic
def keep_draft(*, by: User, run: Run, plan: Any, version: int) -> Draft:
    """Replace the whole plan by a draft of the game's, as it is legal now. `version`: the one of the run that the
    driver saw.

    The draft's `run` is as it stood under the lock, without its club. Of two tabs the later one counts. Whatever is
    raised, the draft is as it was.

    Raises: Refused with rule and move, Stale when the turn it was laid for has been played, Forbidden for who does not
    drive.
    """
    return open_draft(by=by, run=run, version=version).keep(plan)


@transaction.atomic
def add_move(*, by: User, run: Run, move: str, version: int, plan: Any = None) -> Draft:
    """One move more, behind `plan` as the page showed it; behind the legal part of the draft without one.

    Raises: as `keep_draft`.
    """
    laying = open_draft(by=by, run=run, version=version)
    before = laying.legal(laying.draft.laid).draft if plan is None else plan
    return laying.keep(laying.drafting.extend(before, move))


@transaction.atomic
def take_back(*, by: User, run: Run, version: int, plan: Any = None) -> Draft:
    """The plan without its last move.

    Raises: as `keep_draft`.
    """
    laying = open_draft(by=by, run=run, version=version)
    return laying.keep(laying.drafting.undo(laying.legal(laying.draft.laid if plan is None else plan).draft))


@transaction.atomic
def clear_draft(*, by: User, run: Run, version: int) -> Draft:
    """Lay nothing any more.

    Raises: as `keep_draft`.
    """
    laying = open_draft(by=by, run=run, version=version)
    return laying.keep(laying.drafting.empty_draft())


@transaction.atomic
def keep_orders(*, by: User, run: Run, plan: Any, orders: dict[str, Any], version: int) -> Draft:
    """The plan, and the standing orders it is to be played under.

    Raises: as `keep_draft`.
    """
    laying = open_draft(by=by, run=run, version=version)
    laying.draft.orders = orders
    return laying.keep(plan)


def open_draft(*, by: User, run: Run, version: int) -> OpenDraft:
    """Lock the run and look who lays what.

    Raises: Forbidden for who does not drive, Stale when the run is over or the driver's own car has moved since
    `version`: what others did leaves the legal part of a draft standing.
    """
    run, (own, drafts) = locked_with(
        run.pk, seat_by_driver.asked(run=run.pk, driver=by.pk), _kept_draft.asked(run=run.pk, person=by.pk)
    )
    seat = in_run(run, own)
    if seat is None:
        raise Forbidden(_("You do not drive in this run."), rule="O1")
    if run.status != Run.Status.RUNNING:
        raise Stale(str(run.special_stage.rally.words.over))
    if seat.entry.driven_by != Entry.DrivenBy.PERSON:
        raise Forbidden(_("The codriver drives your car. Ask the organiser to hand it back to you."))
    if seat.played:
        raise Forbidden(_("The codriver has the wheel. Take it back first, where you drive."))
    now_at = watching.version_for(run, seat.driver)
    if version > now_at or (version < now_at and watching.moved_since(run, seat.driver, version)):
        raise Stale(_("Your turn has moved on since you saw it. Here it is as it stands now; look again."))
    draft = next(iter(drafts), None) or Draft(person=by, laid=empty(run.game))
    draft.run = run
    return OpenDraft(run, seat, draft, state_for(run, seat.driver), now_at)


@prepared
def _kept_draft(run: Any, person: Any) -> QuerySet[Draft]:
    return Draft.objects.filter(run=run, person=person)


def state_for(run: Run, driver: str) -> State:
    """The state in which this driver lays: as it is, in their turn; before it, as if it were.

    Raises: Forbidden for a car that drives no more.
    """
    rules = registry.get(run.game)
    sending = offered(rules, OrdersAhead)
    if driver in rules.to_play(run.state):
        return run.state
    if sending is None:
        raise Forbidden(_("It is not your turn."), rule="O1")
    try:
        return sending.ahead(run.state, driver)
    except RuleError as error:
        raise Forbidden(error.words(_), rule=error.rule) from None

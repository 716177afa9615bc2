"""A run that is being advanced: locked, read once, and kept in memory until `advance` writes all changes; and these
changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.lineage.services import was_set_back
from championship.platform.prepared_queries import BoundQuery, any_of, prepared, run_together
from championship.platform.refusals import Refused, TurnsSuspended
from championship.rallies.models import SpecialStage
from championship.runs.models import Event, Post, Run, Seat, SentAhead, Turn
from championship.runs.play.held_orders import log_failure, note_held
from engine import chance, registry
from engine.contract import Event as GameEvent
from engine.contract import Game, RuleError, State
from engine.verification import SALT_LENGTH


@dataclass(slots=True)
class Changes:
    """The changes of one run since it was last written. `writing.flush` writes them and puts an empty object in their
    place, so that nothing is written twice.

    `begun`, `ended`: turns.
    `changed_round_turns`: turns of a round driven together that are now played because the cars ahead have
    driven, or whose orders ahead were not played.
    `clock_turns`: turns for which the clock did something.
    `seats_with_changed_bank`: seats whose bank has changed.
    `seats_with_changed_hold`: seats that are held to orders now, or no longer.
    `returned_wheels`: seats whose driver has the wheel again, after the one turn that was handed over.
    `settled_orders`: orders ahead that no longer wait, or that wait for another turn.
    `returned_orders`: those of them that become drafts again.
    `handed_in`: seats whose draft is over, and whether its standing orders hold for the next turn.
    `letters`: notices to drivers.
    `duplicate_subjects`: subject keys about which one notice repeats what another says.
    `late`: seats that have missed a deadline; organisers are notified.
    `phase_closed`: whether a phase has closed, so that its events become readable.
    """

    posts: list[Post] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    begun: list[Turn] = field(default_factory=list)
    ended: list[Turn] = field(default_factory=list)
    clock_turns: list[Turn] = field(default_factory=list)
    changed_round_turns: list[Turn] = field(default_factory=list)
    seats_with_changed_bank: list[Seat] = field(default_factory=list)
    seats_with_changed_hold: list[Seat] = field(default_factory=list)
    returned_wheels: list[Seat] = field(default_factory=list)
    settled_orders: list[SentAhead] = field(default_factory=list)
    returned_orders: list[SentAhead] = field(default_factory=list)
    handed_in: list[tuple[Seat, bool]] = field(default_factory=list)
    letters: list[tuple[Turn, str, dict[str, Any]]] = field(default_factory=list)
    duplicate_subjects: list[str] = field(default_factory=list)
    late: list[Seat] = field(default_factory=list)
    phase_closed: bool = False


def locked_with(run_id: int, *queries: BoundQuery[Any]) -> tuple[Run, list[list[Any]]]:
    """Return what `locked_run` returns, and the rows of other queries as they are once the run is locked, in one trip
    to the database. Statements sent together are executed one after the other, and each sees what is committed when it
    begins.

    Raises: Run.DoesNotExist when there is no such run.
    """
    runs, *others = run_together(_locked_run.bind(run=run_id), *queries)
    if not runs:
        raise Run.DoesNotExist
    return runs[0], others


def locked_run(run_id: int) -> Run:
    """Return the run, its row locked until the transaction ends. Everything about a run is written under this lock.

    Raises: Run.DoesNotExist when there is no such run.
    """
    found = _locked_run.first(run=run_id)
    if found is None:
        raise Run.DoesNotExist
    return found


@prepared
def _locked_run(run: Any) -> QuerySet[Run]:
    return Run.objects.select_for_update(of=("self",)).select_related("special_stage__rally").filter(pk=run).order_by()


def is_left_over(run: Run) -> bool:
    """Return whether the run could not be ended when its open stage closed. Nobody drives in it any more, and only
    `retire_late` ends it. No query when the stage and its rally are loaded.
    """
    stage = run.special_stage
    closed = stage.rally.for_everybody and stage.status != SpecialStage.Status.RUNNING
    return closed and run.status == Run.Status.RUNNING


def seat_of(run: Run, by: User) -> Seat | None:
    """Return the seat of a driver in the run, with its entry, or None. One query."""
    return first_seat_in(run, seat_by_driver(run=run.pk, driver=by.pk))


def first_seat_in(run: Run, seats: Sequence[Seat]) -> Seat | None:
    """Return the first of these seats with its `run` set to this object, or None when there are no seats."""
    for found in seats:
        found.run = run
        return found
    return None


@prepared
def seat_by_driver(run: Any, driver: Any) -> QuerySet[Seat]:
    return Seat.objects.filter(run=run, entry__driver=driver).select_related("entry").order_by("pk")[:1]


class FailedAfterDraw(Exception):
    """The rules have asked chance for something, and then refused the orders or failed. The cause is that error.

    It is an error of the game, never a refusal: who is refused after a draw knows the draw, and draws again.
    """


@dataclass(slots=True)
class AdvancingRun:
    """A locked run that is advanced in memory, and the changes that are to be written. `writing.flush` writes them and
    leaves none, so that a run may be advanced again.

    `seats`, `turns` (the open ones) and `orders_ahead` (those that still wait) are keyed by the seat's name in the
    engine. They stay when the changes are written.
    `orders_played`: how many orders ahead were played since the run was locked. `orders_left`: whether others were left
    for a worker when it was last advanced.
    `asked`: how often chance was asked for something.
    """

    run: Run
    seats: dict[str, Seat]
    turns: dict[str, Turn]
    orders_ahead: dict[str, SentAhead]
    changes: Changes = field(default_factory=Changes)
    orders_played: int = 0
    orders_left: bool = False
    asked: int = 0

    @property
    def rules(self) -> Game:
        return registry.get(self.run.game)

    @property
    def over(self) -> bool:
        """Whether no seat is left to play."""
        return not self.rules.to_play(self.run.state)

    def begin(self, *, now: datetime) -> None:
        """Play what happens in the game before any seat plays. In most games this is nothing."""
        run, source = self.run, draw_source_for(self.run)
        state, events = self.rules.begin(run.state, source)
        if events:
            self._add_post(Post(run=run, turn=None, orders={}, at=now), state, events, source)

    def play(
        self,
        seat: str,
        orders: Mapping[str, Any],
        *,
        now: datetime,
        by: User | None = None,
        key: str = "",
        salt: str = "",
    ) -> None:
        """Have the engine carry out a seat's orders. `by` is None when the codriver or the clock gives them. `salt` is
        the sender's part of every random draw that they need. The codriver and the clock have none, except for a seat
        that is held to orders: they play it with the salt of these.

        Raises: Refused with the rule and the move that forbid them; then nothing has changed, and nothing was drawn.
        Raises: FailedAfterDraw when the rules fail or refuse after a draw; then nothing has changed either.
        """
        row = self.seats[seat]
        try:
            played = self._carried_out(seat, orders, row.held["salt"] if by is None and row.held else salt)
        except FailedAfterDraw as error:
            if by is not None or not row.held:
                raise
            log_failure(row, error)  # with this salt the game cannot go on, so the codriver plays as it always does
            played = self._carried_out(seat, orders, salt)
        state, events, source, used = played
        if row.held is not None:
            row.held = None
            self.changes.seats_with_changed_hold.append(row)
        turn = self.turns.get(seat) or Turn(run=self.run, seat=row)
        post = Post(run=self.run, turn=turn, by=by, key=key, orders=dict(orders), salt=used, at=now)
        self._add_post(post, state, events, source)

    def _carried_out(
        self, seat: str, orders: Mapping[str, Any], salt: str
    ) -> tuple[State, Sequence[GameEvent], chance.SealChance | chance.SeededChance, str]:
        """Return the state and the events after orders, the source of their draws, and the salt as the record keeps it.

        Raises: as `play`.
        """
        salt = salt_with_second_seal(self.run, salt)
        source = draw_source_for(self.run, salt)
        counted = chance.CountedChance(source)
        try:
            state, events = self.rules.play(self.run.state, seat, orders, counted)
        except Exception as error:
            if counted.asked:
                raise FailedAfterDraw(f"{type(error).__name__} after {counted.asked} draws") from error
            if isinstance(error, RuleError):
                raise Refused(
                    error.words(_), field="plan", rule=error.rule, move=error.move, game=self.run.game
                ) from None
            raise
        finally:
            self.asked += counted.asked
        return state, events, source, salt

    def hold(self, seat: str, orders: Mapping[str, Any], salt: str) -> None:
        """Hold a seat to orders that failed after a draw, while the run goes on without them."""
        note_held(self.seats[seat], orders, salt)
        self.changes.seats_with_changed_hold.append(self.seats[seat])

    def _add_post(
        self,
        post: Post,
        state: State,
        events: Sequence[dict[str, Any]],
        source: chance.SealChance | chance.SeededChance,
    ) -> None:
        """Add a post and its events to the run, as the newest."""
        run, post.number = self.run, self.run.version + 1
        if isinstance(source, chance.SealChance):
            post.draws = source.draws
        self.changes.posts.append(post)
        for number, event in enumerate(events, run.events_told + 1):
            self._add_event(post, number, event)
        run.state, run.version, run.drawn = state, run.version + 1, source.drawn
        run.events_told += len(events)

    def queue_notice(self, turn: Turn, kind: str, **said: Any) -> None:
        """Queue a notice to the driver about this turn. In practice none is sent. On an open stage everybody drives
        alone, so "turn waits" is not sent: the driver's own post has opened the next turn. In an evening everybody has
        the page open, so none is sent.
        """
        rally = self.run.special_stage.rally
        if not rally.practice and not rally.keeps_seconds and not (rally.for_everybody and kind == "turn waits"):
            self.changes.letters.append((turn, kind, said))

    def _add_event(self, post: Post, number: int, event: dict[str, Any]) -> None:
        """Add an event. If it names its readers, it is hidden from everybody else until the phase closes or the run is
        over (`until`).
        """
        if event.get("closes"):
            self.run.open_up_to, self.changes.phase_closed = number, True
        only = event.get("only")
        until = "" if only is None else event.get("until", Event.Until.PHASE)
        if until:
            self.run.hidden = True
        self.changes.events.append(
            Event(run=self.run, number=number, post=post, kind=event["kind"], data=event, only=only, until=until)
        )


def load_runs(runs: Iterable[Run]) -> list[AdvancingRun]:
    """Return locked runs ready to be advanced, in one trip to the database for any number of runs."""
    by_key = {run.pk: run for run in runs}
    return _assemble(by_key, *run_together(*load_queries(list(by_key))))


def load_queries(runs: list[int]) -> tuple[BoundQuery[Any], ...]:
    """Return the queries of `load_runs`, to be sent together with others."""
    return _seats_in.bind(runs=runs), _open_turns_in.bind(runs=runs), _orders_ahead_in.bind(runs=runs)


def assemble_run(run: Run, answers: Sequence[list[Any]]) -> AdvancingRun:
    """Return a locked run ready to be advanced, from the answers to the queries of `load_queries`. No query."""
    [found] = _assemble({run.pk: run}, *answers)
    return found


def _assemble(
    runs: dict[int, Run], at: list[Seat], open_turns: list[Turn], orders_ahead: list[SentAhead]
) -> list[AdvancingRun]:
    found = {key: AdvancingRun(run, {}, {}, {}) for key, run in runs.items()}
    seats = dict[int, Seat]()
    for seat in at:
        each = found[seat.run_id]
        seat.run = each.run
        each.seats[seat.name] = seats[seat.pk] = seat
    for turn in open_turns:
        each = found[turn.run_id]
        turn.run, turn.seat = each.run, seats[turn.seat_id]
        each.turns[turn.seat.name] = turn
    for ahead in orders_ahead:
        ahead.seat = seats[ahead.seat_id]
        found[ahead.seat.run_id].orders_ahead[ahead.seat.name] = ahead
    return list(found.values())


@prepared
def _seats_in(runs: Any) -> QuerySet[Seat]:
    seats = Seat.objects.filter(run__in=any_of(runs)).select_related("entry__driver")
    return seats.order_by("run_id", "position")


@prepared
def _open_turns_in(runs: Any) -> QuerySet[Turn]:
    return Turn.objects.filter(run__in=any_of(runs), ended_at=None).order_by("run_id", "number")


@prepared
def _orders_ahead_in(runs: Any) -> QuerySet[SentAhead]:
    return SentAhead.objects.filter(seat__run__in=any_of(runs), state=SentAhead.State.WAITING).order_by("pk")


def salt_with_second_seal(run: Run, salt: str) -> str:
    """Return the salt that the draws use and the record keeps: with the second seal in front, where the run has one.

    A salt that is too long to have the second seal in front is cut at its end.
    """
    if not run.second_seal:
        return salt
    room = SALT_LENGTH - len(run.second_seal) - 1
    return f"{run.second_seal}.{salt[:room]}"


def draw_source_for(run: Run, salt: str = "") -> chance.SealChance | chance.SeededChance:
    """Return the source of random draws of a run, continued after its last post. A run that was opened under record
    format 1 also ends under it.

    Raises: TurnsSuspended while no draws are allowed: the database was set back, and somebody may already know the next
    draws.
    """
    if was_set_back():
        raise TurnsSuspended(
            _(
                "The service was restored from a backup and accepts no turns yet: future draws must be "
                "sealed again first. Nothing has changed; try again later."
            )
        )
    secret, common = bytes(run.secret), None if run.common is None else bytes(run.common)
    if run.record_format == 1:
        return chance.SeededChance(secret, run.phrases, drawn=run.drawn, common=common)
    return chance.SealChance(secret, phrases=run.phrases_sha256, salt=salt, drawn=run.drawn, common=common)

"""A run that moves on: locked, read once, and kept in memory until `advance` writes all of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.lineage.services import was_set_back
from championship.prepared_queries import Asked, any_of, ask_together, prepared
from championship.refusals import Refused, Resting
from championship.runs.models import Event, Post, Run, Seat, SentAhead, Turn
from engine import chance, registry
from engine.contract import Game, RuleError, State
from engine.verification import SALT_LENGTH


def locked_with(run_id: int, *asked: Asked[Any]) -> tuple[Run, list[list[Any]]]:
    """The same, and what was asked besides as it stands once the run is locked, all in one trip to the database: of
    statements that are sent together each begins when the one before it has ended, and sees what is committed then.
    """
    runs, *others = ask_together(_locked_run.asked(run=run_id), *asked)
    if not runs:
        raise Run.DoesNotExist
    return runs[0], others


def locked_run(run_id: int) -> Run:
    """The run row, locked until the transaction ends; everything about a run is written under this lock."""
    found = _locked_run.first(run=run_id)
    if found is None:
        raise Run.DoesNotExist
    return found


@prepared
def _locked_run(run: Any) -> QuerySet[Run]:
    return Run.objects.select_for_update(of=("self",)).select_related("special_stage__rally").filter(pk=run).order_by()


def seat_of(run: Run, by: User) -> Seat | None:
    """The seat of a driver in the run, with its entry: one query."""
    return in_run(run, seat_by_driver(run=run.pk, driver=by.pk))


def in_run(run: Run, seats: Sequence[Seat]) -> Seat | None:
    """The first of these seats, in the run as it was read."""
    for found in seats:
        found.run = run
        return found
    return None


@prepared
def seat_by_driver(run: Any, driver: Any) -> QuerySet[Seat]:
    return Seat.objects.filter(run=run, entry__driver=driver).select_related("entry").order_by("pk")[:1]


@dataclass(slots=True)
class Moving:
    """A locked run that moves on in memory, and what `advance` has to write of it.

    `seats`, `turns` (the open ones) and `plans` (sent ahead, still waiting) stand by the seat's name in the engine.
    `begun` and `ended`: turns.
    `come`: turns of a round driven together that a car ahead has made way for, or whose orders were not carried out.
    `acted`: turns for which the clock did something. `banks`: seats whose bank has changed. `settled`: plans that wait
    no more. `undriven`: those of them that become drafts again. `handed_in`: seats whose draft is over, and whether
    its standing orders hold for the next turn. `letters`: what drivers are told. `said_twice`: subjects of which one
    letter says what another does. `late`: seats that have missed a deadline, which organisers hear of.
    `driven`: how many plans were driven; `goes_on`: others are left for a worker.
    `opens`: whether a phase has closed.
    """

    run: Run
    seats: dict[str, Seat]
    turns: dict[str, Turn]
    plans: dict[str, SentAhead]
    posts: list[Post] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    begun: list[Turn] = field(default_factory=list)
    ended: list[Turn] = field(default_factory=list)
    acted: list[Turn] = field(default_factory=list)
    come: list[Turn] = field(default_factory=list)
    banks: list[Seat] = field(default_factory=list)
    settled: list[SentAhead] = field(default_factory=list)
    undriven: list[SentAhead] = field(default_factory=list)
    handed_in: list[tuple[Seat, bool]] = field(default_factory=list)
    letters: list[tuple[Turn, str, dict[str, Any]]] = field(default_factory=list)
    late: list[Seat] = field(default_factory=list)
    driven: int = 0
    goes_on: bool = False
    said_twice: list[str] = field(default_factory=list)
    opens: bool = False

    @property
    def rules(self) -> Game:
        return registry.get(self.run.game)

    @property
    def over(self) -> bool:
        """Whether nobody is left to play."""
        return not self.rules.to_play(self.run.state)

    def begin(self, *, now: datetime) -> None:
        """Let happen what the game has before anybody plays. Often that is nothing."""
        run, luck = self.run, luck_for(self.run)
        state, told = self.rules.begin(run.state, luck)
        if told:
            self._take(Post(run=run, turn=None, orders={}, at=now), state, told, luck)

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
        """Let the engine carry out a seat's orders. `by` is None where the codriver or the clock gives them; `salt` is
        what the sender brought to every draw of them.

        Raises: Refused with the rule and the move that forbid it; nothing has moved then.
        """
        run, salt = self.run, mixed(self.run, salt)
        luck = luck_for(run, salt)
        try:
            state, told = self.rules.play(run.state, seat, orders, luck)
        except RuleError as error:
            raise Refused(error.words(_), field="plan", rule=error.rule, move=error.move) from None
        turn = self.turns.get(seat) or Turn(run=run, seat=self.seats[seat])
        post = Post(run=run, turn=turn, by=by, key=key, orders=dict(orders), salt=salt, at=now)
        self._take(post, state, told, luck)

    def _take(
        self, post: Post, state: State, told: Sequence[dict[str, Any]], luck: chance.Sealed | chance.Seeded
    ) -> None:
        """Let a post and its events be the newest of the run."""
        run, post.number = self.run, self.run.version + 1
        if isinstance(luck, chance.Sealed):
            post.draws = luck.draws
        self.posts.append(post)
        for number, event in enumerate(told, run.events_told + 1):
            self._happens(post, number, event)
        run.state, run.version, run.drawn = state, run.version + 1, luck.drawn
        run.events_told += len(told)

    def tell(self, turn: Turn, kind: str, **said: Any) -> None:
        """The driver is to be told about this turn. Practice is not written about; on an open stage, where everybody
        drives alone, nobody is told that their own turn has made room for the next.
        """
        rally = self.run.special_stage.rally
        if not rally.practice and not (rally.for_everybody and kind == "turn waits"):
            self.letters.append((turn, kind, said))

    def _happens(self, post: Post, number: int, event: dict[str, Any]) -> None:
        """An event that names its readers is hidden from all others until what it says has come."""
        if event.get("closes"):
            self.run.open_up_to, self.opens = number, True
        only = event.get("only")
        until = "" if only is None else event.get("until", Event.Until.PHASE)
        if until:
            self.run.hidden = True
        self.events.append(
            Event(run=self.run, number=number, post=post, kind=event["kind"], data=event, only=only, until=until)
        )


def moving(runs: Iterable[Run]) -> list[Moving]:
    """Locked runs, ready to move on: one trip to the database, however many they are."""
    by_key = {run.pk: run for run in runs}
    return _moving(by_key, *ask_together(*asked_of_moving(list(by_key))))


def asked_of_moving(runs: list[int]) -> tuple[Asked[Any], ...]:
    """What `moving` asks, to be asked with others."""
    return _seats_in.asked(runs=runs), _open_turns_in.asked(runs=runs), _plans_waiting_in.asked(runs=runs)


def moving_one(run: Run, answers: Sequence[list[Any]]) -> Moving:
    """A locked run, ready to move on: from the answers to what `asked_of_moving` asks, without a query."""
    [found] = _moving({run.pk: run}, *answers)
    return found


def _moving(runs: dict[int, Run], at: list[Seat], open_turns: list[Turn], plans: list[SentAhead]) -> list[Moving]:
    found = {key: Moving(run, {}, {}, {}) for key, run in runs.items()}
    seats = dict[int, Seat]()
    for seat in at:
        each = found[seat.run_id]
        seat.run = each.run
        each.seats[seat.driver] = seats[seat.pk] = seat
    for turn in open_turns:
        each = found[turn.run_id]
        turn.run, turn.seat = each.run, seats[turn.seat_id]
        each.turns[turn.seat.driver] = turn
    for plan in plans:
        plan.seat = seats[plan.seat_id]
        found[plan.seat.run_id].plans[plan.seat.driver] = plan
    return list(found.values())


@prepared
def _seats_in(runs: Any) -> QuerySet[Seat]:
    seats = Seat.objects.filter(run__in=any_of(runs)).select_related("entry__driver")
    return seats.order_by("run_id", "position")


@prepared
def _open_turns_in(runs: Any) -> QuerySet[Turn]:
    return Turn.objects.filter(run__in=any_of(runs), ended_at=None).order_by("run_id", "number")


@prepared
def _plans_waiting_in(runs: Any) -> QuerySet[SentAhead]:
    return SentAhead.objects.filter(seat__run__in=any_of(runs), state=SentAhead.State.WAITING).order_by("pk")


def mixed(run: Run, salt: str) -> str:
    """The salt of an order as it is drawn by and recorded: with the second seal in front where the run has one.

    Of a salt that leaves no room for it the beginning is taken.
    """
    if not run.second_seal:
        return salt
    room = SALT_LENGTH - len(run.second_seal) - 1
    return f"{run.second_seal}.{salt[:room]}"


def luck_for(run: Run, salt: str = "") -> chance.Sealed | chance.Seeded:
    """The chance of a run, from where its last post left it. A run that opened under format 1 ends under it.

    Raises: Resting while nothing may be drawn: what comes may be known from before the database was set back.
    """
    if was_set_back():
        raise Resting(
            _(
                "The service was restored from a backup and takes no turns yet: first the draws to come are sealed "
                "anew. Nothing has changed; try again later."
            )
        )
    secret, common = bytes(run.secret), None if run.common is None else bytes(run.common)
    if run.record_format == 1:
        return chance.Seeded(secret, run.phrases, drawn=run.drawn, common=common)
    return chance.Sealed(secret, phrases=run.phrases_sha256, salt=salt, drawn=run.drawn, common=common)

"""Formula D as a game of the contract: the interface for the rest of the project."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from engine import ladder
from engine.contract import (
    Chance,
    Event,
    Json,
    Length,
    Measure,
    Option,
    Orders,
    Question,
    RuleError,
    RunLedger,
    SeatResult,
    Seats,
    StageResult,
    State,
    Survey,
    Ways,
    Weighed,
)
from engine.formula_d import ending, ledger, orders_ahead, phases, puzzles, start, track, track_files
from engine.formula_d.choices import choices, table_of
from engine.formula_d.codriver import decisions as codriver
from engine.formula_d.codriver.manner import manners
from engine.formula_d.facts import AREAS, facts
from engine.formula_d.fold import copied, fold
from engine.formula_d.ideal import ideal_drive
from engine.formula_d.odds import odds
from engine.formula_d.race import FINISHED, GARAGE, NEVER, OVER, RACING, Car, entered, next_to_play, teams
from engine.formula_d.race import team as team_of
from engine.formula_d.setup import OPTIONS, TITLE, options_of, setup, team_boxes
from engine.formula_d.table import Drawn, Table


class FormulaD:
    """The game. Its course is a track. Turns are not drafted in steps, and cars have no luggage."""

    name = "formula_d"
    feats = ("pole",)
    title = TITLE
    version = "1"
    options: tuple[Option, ...] = OPTIONS
    seats = Seats(1, facts().most_cars)
    measure = Measure("points", "most")
    highlight_kinds = ("turn", "lap", "box", "grid")
    manners = manners()
    ledger_version = ledger.VERSION
    puzzle_version = puzzles.VERSION
    puzzle_themes = puzzles.THEMES
    puzzle_scale = puzzles.SCALE
    rungs = ladder.rungs_of("engine.formula_d")

    def clean_options(self, given: Mapping[str, Json]) -> dict[str, Json]:
        """Return every option with a value (Y1).

        Raises: OptionError when the game has no such option or value, or when the options do not go together.
        """
        return options_of(given)

    def heats(self, entries: int, options: Mapping[str, Json]) -> list[int]:
        """Return the sizes of the heats, as equal as possible. With teams and an even number of entries, teams are not
        split (Y7).
        """
        unit = 2 if options.get("teams") and entries % 2 == 0 else 1
        units, most = entries // unit, self.seats.most // unit
        count = -(-units // most)
        return [unit * (units // count + (number < units % count)) for number in range(count)]

    def library(self) -> Mapping[str, Json]:
        """Return the eight tracks by name."""
        return {name: {"track": name} for name in track.names()}

    def read_course(self, spec: Json) -> Json:
        """Return a track in normal form: {"track": name}, or {"csv": text} for one that a club brings.

        Raises: StageError when there is no such track, or with the first fault of a club's own track (`piece` is its
        line).
        """
        return track_files.read(spec)

    def write_course(self, course: Json) -> str:
        """Return a track as a text that `tomllib` and then `read_course` read back."""
        return track_files.written(course)

    course_columns = track_files.LIST_COLUMNS

    def course_of(self, values: Mapping[str, Sequence[str]]) -> Json:
        """Return a ready-made track by its name or title.

        Raises: StageError when the cells name none, or more than one.
        """
        return track_files.course_of(values)

    def survey(self, draft: Json) -> Survey:
        """Return the survey of a club's own track. `wrong` has all faults, each with its line as `piece`."""
        return track_files.survey(draft)

    def setup(self, course: Json, entrants: Sequence[Mapping[str, Json]], options: Mapping[str, Json]) -> State:
        """Return a race in its initial state. An entrant may have `box`, `build`, `repair`, `tyres`, `tyres_q` and
        `seconds` (Y, T1, Q6). The driver decides a missing build or missing tyres in the garage.

        Raises: OptionError when the options do not go together.
        Raises: StageError when there is no such track.
        Raises: RuleError when the entrants do not fit the rules (Y1, Y2, Y5 to Y7, T1, Q6).
        """
        named = [{**box, **entrant} for box, entrant in zip(team_boxes(len(entrants), options), entrants, strict=True)]
        checked = self.read_course(course)
        return setup(checked.get("track") or checked["csv"], named, options, grid="roll", asks=True)

    def teamed(self, entrants: Sequence[Mapping[str, Json]], options: Mapping[str, Json]) -> list[dict[str, Json]]:
        """Return the entrants, with their boxes when the race has teams (Y6, Y7). Boxes follow the start numbers, not
        the order of entry, which changes from race to race of an event.
        """
        if not options.get("teams"):
            return [dict(entrant) for entrant in entrants]
        numbered = sorted(entrants, key=lambda entrant: (len(str(entrant["id"])), str(entrant["id"])))
        boxes = {one["id"]: box for one, box in zip(numbered, team_boxes(len(entrants), options), strict=True)}
        return [{**boxes[entrant["id"]], **entrant} for entrant in entrants]

    def begin(self, state: State, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        """Carry out what happens before the first turn (A2)."""
        table = Table(state, next(iter(state["cars"])), Drawn(chance))
        start.begin(table)
        return table.race, tuple(table.events)

    def to_play(self, state: State) -> tuple[str, ...]:
        """Return the one car whose turn it is (O1); in the garage, all cars that still have to decide."""
        if state["stage"] == GARAGE:
            return tuple(state["left"])
        seat = next_to_play(state)
        return () if seat is None else (seat,)

    def this_round(self, state: State) -> tuple[str, ...]:
        """Return the cars that have yet to play in this round (O1 to O3)."""
        return tuple(
            seat for seat in state["left"] if seat in self.to_play(state) or state["cars"][seat]["status"] == RACING
        )

    def length(self, course: Json, options: Mapping[str, Json], seats: int) -> Length:
        """Return an estimate of the turns and rounds of a race on a track."""
        checked = self.read_course(course)
        return track.length(checked.get("track") or checked["csv"], options)

    def turns_made(self, state: State, seat: str) -> int:
        """Return how many turns this car has completed: in the garage, in qualifying, in the race."""
        return int(state["cars"][seat]["turns"])

    def phase(self, state: State, seat: str) -> str:
        """Return the phase of this car: "garage", "gear", "move", "slip", "pit" or "out"; "" when it waits."""
        return phases.phase_of(state) if seat in self.to_play(state) else ""

    def choices(self, state: State, seat: str, draft: Json = None) -> Ways:
        """Return every legal way to go on. The draft of a path is the list of its spaces so far.

        Raises: RuleError when the draft is illegal or it is not this car's turn.
        """
        return choices(state, seat, draft)

    def play(self, state: State, seat: str, orders: Orders, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        """Carry out one phase ({"do": "move", "path": [...]}).

        Raises: RuleError when the orders are illegal, always before the first draw. The state is unchanged.
        """
        if seat not in state["cars"]:
            raise RuleError("O1", "there is no such car")
        table = Table(state, seat, Drawn(chance))
        do = orders.get("do")
        if do == phases.RESIGN:
            phases.resign(table)
        elif state["stage"] == GARAGE:
            phases.prepare(table, orders)
        elif do == orders_ahead.ORDERS_AHEAD:
            orders_ahead.drive(table, orders)
        else:
            phases.step(table, do, orders)
        return table.race, tuple(table.events)

    def is_old(self, state: State, seat: str, orders: Orders) -> bool:
        """Return whether orders are for a whole turn, or name a gear that a car at the start cannot choose."""
        return seat in state["cars"] and phases.was_checked_late(table_of(state, seat), orders)

    def with_old_meaning(self, orders: Orders, events: Sequence[Event]) -> Orders:
        """Return the orders as they are: none has had another meaning."""
        return orders

    def play_recorded(self, state: State, seat: str, orders: Orders, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        """Carry out orders of a record: one phase, or a whole turn. These may be refused after a roll.

        Raises: RuleError when the orders are illegal. The state is unchanged.
        """
        if not self.is_old(state, seat, orders):
            return self.play(state, seat, orders, chance)
        table, do = Table(state, seat, Drawn(chance)), orders.get("do")
        if do is None:
            phases.whole_turn(table, orders)
        else:
            phases.step(table, do, orders, recorded=True)
        return table.race, tuple(table.events)

    def apply(self, state: State, event: Event) -> State:
        """Return the race after an event."""
        new = copied(state, event)
        fold(new, event)
        return new

    def view(self, state: State, viewer: str | None) -> dict[str, Json]:
        """Return the view, which is the same for every viewer: nothing in the state is hidden."""
        seen = dict(state)
        seen["to_play"] = list(self.to_play(state))
        seen["teams"] = teams(state) if state["options"]["teams"] else {}
        return seen

    def duel(self, number: int) -> tuple[Json, Mapping[str, Json]]:
        """Return one of the eight tracks, in turn, for a race of one lap."""
        return ladder.in_turn(list(self.library().values()), number), {"laps": 1}

    def autopilot(self, state: State, seat: str, manner: str = "") -> dict[str, Json]:
        """Return the next orders of a car that a codriver of this manner drives ("": club)."""
        return codriver.orders(state, seat, manner)

    def odds(
        self, state: State, seat: str, orders: Orders, draft: Json = None, events: Sequence[Event] = ()
    ) -> dict[str, Json]:
        """Return the possible outcomes of a car's turn, the best first: for each gear before the roll, for each end
        after it.

        Raises: RuleError when it is not this car's turn or it has nothing left to roll.
        """
        return odds(state, seat)

    def ahead(self, state: State, seat: str) -> State:
        """Return the race as if it were this car's turn.

        Raises: RuleError when it is this car's turn already or it is not driving.
        """
        return orders_ahead.ahead(state, seat)

    def begins(self, state: State, seat: str) -> bool:
        """Return whether this car is to play and its turn has not begun."""
        return orders_ahead.begins(state, seat)

    def joined(self, draft: Json, orders: Orders) -> dict[str, Json]:
        """Return orders ahead in the form that `play` takes. There is no draft to join them with."""
        return {**orders, "do": orders_ahead.ORDERS_AHEAD}

    def outlook(self, state: State, seat: str, orders: Orders) -> dict[str, Json]:
        """Return the conditions in which orders ahead would be carried out now.

        Raises: RuleError when the orders cannot be carried out.
        """
        return orders_ahead.outlook(state, seat, orders)

    def changed(self, kept: Mapping[str, Json], now: Mapping[str, Json]) -> RuleError | None:
        """Return why orders ahead should not be carried out now; None when they should be."""
        return orders_ahead.changed(kept, now)

    def lasts(self, orders: Orders) -> bool:
        """Return whether orders ahead hold until the driver withdraws them."""
        return orders.get("until") == orders_ahead.UNTIL[1]

    def resign(self, state: State, seat: str) -> dict[str, Json]:
        """Return the orders by which a car leaves the race for good."""
        return {"do": phases.RESIGN}

    def result(self, state: State) -> StageResult | None:
        """Return ranks and points (R3 to R5), or None while the race is still running.

        Cars of different heats with equal points are compared (R6): by the number of rounds that they needed, by the
        place in their heat, by the wear points that they have left, by their last gear, then area by area. Cars that
        are out rank last among equals.
        """
        if state["stage"] != OVER:
            return None
        scores = teams(state) if state["options"]["teams"] else {}
        return StageResult(
            tuple(_result_of(seat, car, scores.get(team_of(car), car["points"])) for seat, car in entered(state))
        )

    def highlights(self, events: Iterable[Event]) -> dict[str, dict[str, Json]]:
        """Return the stops in the box of each car, the turns of its fastest lap, and whether no other was faster."""
        return ending.highlights(events)

    def feats_of(self, state: State) -> dict[str, tuple[str, ...]]:
        """Return who had the pole: the fastest car of qualifying (Q6), with the grid it gave. Nobody without it."""
        timed = {
            seat: (car["qualifying"], car["seconds"]) for seat, car in entered(state) if car["qualifying"] is not None
        }
        best = min(timed.values(), default=None)
        pole = tuple(seat for seat in timed if timed[seat] == best)[:1]
        return {"pole": pole} if pole else {}

    def ledger(self, setup: State, events: Sequence[Event]) -> RunLedger:
        """Return the ledger of a race that is over, in turns to the flag."""
        return ledger.ledger(setup, events)

    def ideal_drive(self, setup: State) -> tuple[str, ...]:
        """Return the spaces of a car alone that the ledger's driver drives with dice that show their middle."""
        return ideal_drive(setup)

    def question(self, state: State, seat: str) -> Question | None:
        """Return what can be asked of the car: its gear, its movement, a slipstream, its stop in the box."""
        return puzzles.question(state, seat)

    def prepared(self, state: State, seat: str) -> Json:
        """Return the values of all ways of the car."""
        return puzzles.prepared(state, seat)

    def weighed(self, state: State, seat: str, orders: Orders, prepared: Json = None) -> Weighed:
        """Return the turns to the flag to expect after orders.

        Raises: RuleError when they are illegal, or when they are not about what is asked.
        """
        return puzzles.weighed(state, seat, orders, prepared)

    def arrived(self, state: State) -> tuple[SeatResult, ...]:
        """Return ranks and points of the cars that have finished (R3). None in a race of teams, whose points are those
        of all their cars. A car that is out gets its rank at the end.
        """
        if state["options"]["teams"]:
            return ()
        return tuple(_result_of(seat, car, car["points"]) for seat, car in entered(state) if car["status"] == FINISHED)


def _result_of(seat: str, car: Car, points: int | None) -> SeatResult:
    return SeatResult(
        seat,
        points,
        (car.get("rounds", NEVER), car["rank"], *_shape_of(car)),
        "finished" if car["status"] == FINISHED else "retired",
        car["why"],
    )


def _shape_of(car: Car) -> tuple[int, ...]:
    """Return in which shape a car has finished (R6), the best first: wear points left, gear, wear points by area."""
    if car["status"] != FINISHED:
        return ()
    left = car["wp"]
    return -sum(left.values()), -int(car["gear"]), *(-int(left[area]) for area in AREAS if area in left)


@cache
def game() -> FormulaD:
    """Return the game."""
    return FormulaD()

"""Dirt & Dust as a game of `engine.contract`: a thin interface to the modules that hold the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, cast

from engine import contract, ladder
from engine.contract import (
    Chance,
    Drafted,
    Event,
    GameError,
    Json,
    Measure,
    Option,
    Orders,
    RuleError,
    SeatResult,
    Seats,
    StageResult,
    State,
    Way,
    Ways,
)
from engine.dust import choices, codriver, draft_text, final_score, ledger, odds, puzzles, run_events, setup, viewing
from engine.dust.cards import card_set_reading
from engine.dust.cards.card_set import ADVANCED, BASIC, CardSet
from engine.dust.facts import facts
from engine.dust.state import OUT, PREPARE, Table
from engine.dust.turn import stepping
from engine.dust.turn.step_context import Turn, refuse

STEPS, RESIGN = "steps", "resign"
MOST_STEPS = 300
"""The most steps in one post. No turn needs more."""

MIXED, PILE = "mixed", "pile_{number}"
"""The racing team whose piles are chosen one by one, and the option for a pile (O1)."""
NO_GHOST = "none"
DEALT, CHOSEN = "dealt", "chosen"
"""How drivers get their characters: dealt in starting order, or chosen by the drivers in starting order (U1)."""

WHY_SENT = {
    draft_text.ROLL: "Choose what follows a roll after the roll.",
    draft_text.END: "The turn ends here. Nothing can follow.",
}

WHY_WAITS = "The others choose their characters first."


def _pile_option(number: int) -> Option:
    """Return the option for one pile of a mixed racing team (O1)."""
    titles = [
        next(card.title for card in card_set_reading.own().cards.values() if (card.set, card.number) == (kind, number))
        for kind in (BASIC, ADVANCED)
    ]
    return Option(
        PILE.format(number=number),
        "choice",
        BASIC,
        f"Pile {number}",
        " / ".join(titles),
        (BASIC, ADVANCED),
        scope="piles",
    )


def _piles(chosen: Mapping[str, Json], cards: CardSet) -> Any:
    """Return the racing team that options choose: the name of a pool, or for a mix the card of each pile (O1)."""
    if chosen["pool"] != MIXED:
        return chosen["pool"]
    numbers = range(1, facts().piles + 1)
    kinds = {number: chosen[PILE.format(number=number)] for number in numbers}
    return [
        card.name
        for number in numbers
        for card in cards.cards.values()
        if (card.set, card.number) == (kinds[number], number)
    ]


class _ServiceDraws:
    """Draws from the chance of the service, by the names of S7. Each driver has its own counters."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance

    def draw_index(self, who: str, round_: int, kind: str, number: int, faces: Sequence[str]) -> int:
        return self._chance.number(f"{who} {round_} {kind} {number}", len(faces), by="seat")


class Dust:
    """The Game of Dirt & Dust."""

    def __init__(self) -> None:
        known = facts()
        self.name = known.name
        self.title = known.title
        self.version = known.version
        self.seats = Seats(known.seats_least, known.seats_most)
        self.measure = Measure("points", "most")
        self.manners: tuple[str, ...] = codriver.MANNERS
        self.ledger_version = ledger.VERSION
        self.puzzle_version, self.puzzle_themes, self.puzzle_scale = puzzles.VERSION, puzzles.THEMES, puzzles.SCALE
        self.rungs = ladder.rungs_of("engine.dust")
        self.seals = True
        stage_cards = (str(known.stage_cards), str(known.short_cards))
        self.sheet_columns: tuple[contract.Column, ...] = ()
        self.options: tuple[Option, ...] = (
            Option("pool", "choice", BASIC, "Racing team", choices=(BASIC, ADVANCED, MIXED)),
            Option("cards", "choice", stage_cards[0], "Stage cards", "Fewer make a short stage", stage_cards),
            Option("damaged", "int", 0, "Damage tokens flipped at the start", most=known.most_damaged),
            Option("ghost", "choice", NO_GHOST, "Ghost driver", "For one driver", (NO_GHOST, *known.levels)),
            Option("damage_carries", "bool", False, "Flipped tokens stay until service"),
            Option("characters", "choice", DEALT, "Characters", "Drivers who have one keep it", (DEALT, CHOSEN)),
            *(_pile_option(number) for number in range(1, known.piles + 1)),
        )

    def clean_options(self, given: Mapping[str, Json]) -> dict[str, Json]:
        return contract.clean_options(self.options, given, title=self.title)

    def library(self) -> Mapping[str, Json]:
        newest = card_set_reading.own_document(card_set_reading.NEWEST)
        return {name: self.read_course({"stage": name, "set": newest}) for name in newest["stages"]}

    def read_course(self, spec: Json) -> Json:
        if not isinstance(spec, Mapping):
            raise GameError("a course is a table with a stage")
        if isinstance(spec.get("text"), str):
            card_set_reading.read(spec["text"])
            document: Any = card_set_reading.document(spec["text"])
        else:
            document = spec.get("set") or card_set_reading.own_document()
        cards = card_set_reading.of_document(document)
        name = spec.get("stage")
        if not isinstance(name, str) or name not in cards.stages:
            raise GameError("there is no stage %(stage).40r", stage=name)
        course = {"stage": name, "title": cards.stages[name].title, "set": document, "digest": cards.digest}
        return {**course, "pool": list(spec["pool"])} if spec.get("pool") else course

    def is_private(self, course: Json) -> bool:
        """Return whether the course has a club's own cards. Only their owners may give these away."""
        return isinstance(course, Mapping) and not card_set_reading.is_own(str(course.get("digest")))

    def setup(self, course: Json, entrants: Sequence[Mapping[str, Json]], options: Mapping[str, Json]) -> State:
        chosen = self.clean_options(options)
        read = self.read_course(course)
        cards = card_set_reading.of_document(read["set"], read["digest"])
        training = cards.stages[read["stage"]].training
        pool = read.get("pool") or (None if training and chosen["pool"] == BASIC else _piles(chosen, cards))
        count = int(chosen["cards"])
        setup_options = setup.SetupOptions(
            pool=pool,
            cards=None if training and count == facts().stage_cards else count,
            damaged=chosen["damaged"],
            ghost=None if chosen["ghost"] == NO_GHOST else chosen["ghost"],
            carries=chosen["damage_carries"],
            choosing=chosen["characters"] == CHOSEN,
        )
        seats = _entrants(entrants, cards)
        table = setup.with_open_round(setup.lay_out(cards, read["set"], read["stage"], seats, setup_options))
        return cast(State, table)

    def begin(self, state: State, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        return state, ()

    def to_play(self, state: State) -> tuple[str, ...]:
        return tuple(stepping.to_play(_table(state)))

    def length(self, course: Json, options: Mapping[str, Json], seats: int) -> contract.Length:
        rounds = int(options["cards"])
        return contract.Length(rounds, rounds)

    def turns_made(self, state: State, seat: str) -> int:
        return _table(state)["drivers"][seat]["turns"]

    def phase(self, state: State, seat: str) -> str:
        """Return the phase of a driver: "choose", "prepare", "drive", "card" (a card is open), "risk" (a risk roll is
        pending), "done", "finished" or "out".
        """
        me = _table(state)["drivers"][seat]
        return "risk" if me["pending"] is not None else "card" if me["open"] is not None else me["phase"]

    def choices(self, state: State, seat: str, draft: Json = None) -> Ways:
        """Return the ways to go on after a draft, which is a text (see `draft_text`) or a list of steps."""
        lined = _checked_steps(draft_text.split_steps(draft) if isinstance(draft, str) else draft or [])
        if seat not in self.to_play(state):
            refuse("S2", "it is not this driver's turn")
        found = draft_text.legal_part(_table(state), seat, lined, _cards(state))
        if found.error is not None:
            raise found.error
        return self._ways(state, seat, found)

    def _ways(self, state: State, seat: str, laid: draft_text.LegalPart) -> Ways:
        """Return the ways to go on after drafted steps. The phase is that of the run, without the draft."""
        table, cards, phase = laid.table, _cards(state), self.phase(state, seat)
        if seat not in stepping.to_play(table) and not laid.sends:
            return Ways(phase, forced="U1", why=WHY_WAITS)
        if laid.sends:
            return Ways(phase, forced="S9" if laid.sends == draft_text.ROLL else "P10", why=WHY_SENT[laid.sends])
        found = choices.choices(table, seat, cards)
        if table["drivers"][seat]["phase"] == PREPARE:
            found = choices.preparations(table, seat, cards)
        return Ways(
            phase,
            tuple(Way(step, {"do": STEPS, "steps": [*laid.steps, step]}, {"step": step.split()[0]}) for step in found),
            facts={"markers": odds.markers(Turn(table, seat, cards, None))},
        )

    def empty_draft(self) -> Json:
        """Return a draft without steps."""
        return ""

    def extend(self, draft: Json, text: str) -> Json:
        """Return the draft with one more step."""
        return draft_text.join_steps([*draft_text.split_steps(draft), text])

    def undo(self, draft: Json) -> Json:
        """Return the draft without its last step."""
        return draft_text.join_steps(draft_text.split_steps(draft)[:-1])

    def legal(self, state: State, seat: str, draft: Json) -> Drafted:
        """Return the part of a draft that is legal now, the ways to go on after it, and the error in the rest."""
        if seat not in self.to_play(state):
            refuse("S2", "it is not this driver's turn")
        wrong: RuleError | None = None
        lined: list[str] = []
        try:
            lined = _checked_steps(draft_text.split_steps(draft))
        except RuleError as error:
            wrong = error
        found = draft_text.legal_part(_table(state), seat, lined, _cards(state))
        return Drafted(draft_text.join_steps(found.steps), self._ways(state, seat, found), wrong or found.error)

    def odds(
        self, state: State, seat: str, orders: Orders, draft: Json = None, events: Sequence[Event] = ()
    ) -> dict[str, Json]:
        """Return the possible results of the first step that draws, and the value of the markers before it.

        The steps are those of the draft, then those of the orders. `step` is the number of the step that draws, from 1;
        0 when none does. Every other key is explained in `engine.dust.odds`. `events` is not used, because the state
        holds everything that a driver has seen.
        """
        table, cards = _table(state), _cards(state)
        lined = [*draft_text.split_steps(draft or ""), *_checked_steps(orders.get("steps", []))]
        laid = draft_text.legal_part(table, seat, lined, cards)
        if laid.error is not None:
            raise laid.error
        now = Turn(laid.table, seat, cards, None)
        rolls = laid.sends == draft_text.ROLL
        found = odds.of_step(now, lined[laid.sent - 1]) if rolls else {"draws": []}
        return {"step": laid.sent if rolls else 0, **found, "markers": odds.markers(now)}

    def play(self, state: State, seat: str, orders: Orders, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        table, cards = _table(state), _cards(state)
        if orders.get("do") == RESIGN:
            outcome = stepping.resign(table, seat, cards)
            told = run_events.events(table, outcome, None)
            return cast(State, outcome.table), tuple(told)
        if orders.get("do") != STEPS:
            refuse("S8", "orders are steps")
        steps = _checked_steps(orders.get("steps"))
        if not steps:
            refuse("S8", "there is no step")
        chance_draws = _ServiceDraws(chance)
        found: list[Event] = []
        left: list[str] = []
        for move, step in enumerate(steps, 1):
            outcome = _carried_out(table, seat, step, cards, chance_draws, move)
            found += run_events.events(table, outcome, step)
            table = outcome.table
            if outcome.turn.draw_log:
                left = steps[move:] if table["drivers"][seat]["phase"] != OUT else []
                break
        if table["drivers"][seat]["draft"] != left:
            back = run_events.draft(seat, left)
            table = run_events.apply(table, back)
            found.append(back)
        return cast(State, table), tuple(found)

    def apply(self, state: State, event: Event) -> State:
        return cast(State, run_events.apply(_table(state), event))

    def view(self, state: State, viewer: str | None) -> dict[str, Json]:
        return viewing.view(_table(state), viewer, _cards(state))

    def duel(self, number: int) -> tuple[Json, Mapping[str, Json]]:
        """Return a stage with the newest edition of our own cards, in turn, with the basic or the advanced piles."""
        own = card_set_reading.own(card_set_reading.NEWEST)
        stages = [course for name, course in self.library().items() if not own.stages[name].training]
        return ladder.in_turn(stages, number // 2), {"pool": (BASIC, ADVANCED)[number % 2]}

    def autopilot(self, state: State, seat: str, manner: str = "") -> dict[str, Json]:
        table, cards = _table(state), _cards(state)
        if seat not in stepping.to_play(table):
            refuse("S2", "it is not this driver's turn")
        return {"do": STEPS, "steps": codriver.next_steps(table, seat, cards, manner)}

    # Luggage from stage to stage (F6)

    def new_luggage(self, options: Mapping[str, Json]) -> contract.Luggage:
        return setup.new_luggage()

    def in_rally(self, course: Json, *, last: bool) -> Json:
        return course

    def has_service(self, course: Json) -> bool:
        return False

    def after_stage(
        self, luggage: contract.Luggage, *, service: bool, retired: bool, options: Mapping[str, Json]
    ) -> contract.Luggage:
        return setup.luggage_after_stage(luggage, service=service)

    def decisions(
        self, luggage: contract.Luggage, *, service: bool, options: Mapping[str, Json], last_stage: bool
    ) -> tuple[contract.Decision, ...]:
        return ()

    def decide(
        self,
        luggage: contract.Luggage,
        decision: Mapping[str, Json],
        *,
        service: bool,
        options: Mapping[str, Json],
        last_stage: bool,
    ) -> tuple[contract.Luggage, int]:
        if decision:
            refuse("F6", "there is nothing to decide between stages")
        return luggage, 0

    def starting_order(self, totals: Mapping[str, int], last: Mapping[str, int], lots: Sequence[str]) -> list[str]:
        return setup.starting_order(totals, last, lots)

    def sheet_row(self, luggage: contract.Luggage) -> dict[str, Json]:
        return setup.sheet_row(luggage)

    def resign(self, state: State, seat: str) -> dict[str, Json]:
        return {"do": RESIGN}

    def ledger(self, setup: State, events: Sequence[Event]) -> contract.RunLedger:
        """Return the ledger of a stage that is over, in points."""
        return ledger.ledger(setup, events)

    def question(self, state: State, seat: str) -> contract.Question | None:
        return puzzles.question(state, seat)

    def prepared(self, state: State, seat: str) -> Json:
        return puzzles.prepared(state, seat)

    def weighed(self, state: State, seat: str, orders: Orders, prepared: Json = None) -> contract.Weighed:
        return puzzles.weighed(state, seat, orders, prepared)

    def result(self, state: State) -> StageResult | None:
        table = _table(state)
        if not table["over"]:
            return None
        standings = final_score.standings(table, _cards(state))
        return StageResult(tuple(_result(table, name, standings[name]) for name in table["order"]))


def _table(state: State) -> Table:
    return cast(Table, state)


def _cards(state: State) -> CardSet:
    return card_set_reading.of_document(state["set"], state["digest"])


def _entrants(entrants: Sequence[Mapping[str, Json]], cards: CardSet) -> list[setup.Entrant]:
    """Return the drivers, each with the character that they have chosen or that is in their luggage (F6).

    When drivers come from different runs, several can have the same character. Then the first in starting order keeps
    it (U1). A character that is not in the card set of this stage is not kept.
    """
    found: list[setup.Entrant] = []
    kept: set[str] = set()
    for one in entrants:
        luggage = one.get("luggage") or {}
        character = one.get("character") or luggage.get("character") or None
        if not one.get("character") and (character in kept or character not in cards.characters):
            character = None
        if character:
            kept.add(character)
        found.append(setup.Entrant(one["id"], character, luggage.get("flipped", 0)))
    return found


def _checked_steps(steps: Json) -> list[str]:
    if not isinstance(steps, list | tuple) or not all(isinstance(one, str) for one in steps):
        refuse("S8", "steps are a list of texts")
    if len(steps) > MOST_STEPS:
        refuse("S8", "there are too many steps in one post")
    return list(steps)


def _carried_out(
    table: Table, seat: str, step: str, cards: CardSet, chance_draws: _ServiceDraws | None, move: int
) -> stepping.Outcome:
    """Carry out one step of a post. An error has the number of the step as `move`."""
    try:
        return stepping.carry_out(table, seat, step, cards, chance_draws)
    except RuleError as error:
        raise RuleError(error.rule, error.template, move=move, **error.values) from None


def _result(table: Table, name: str, standing: final_score.Standing) -> SeatResult:
    driver = table["drivers"][name]
    luggage = {"character": driver["driver"], "flipped": driver["flipped"] if table["carries"] else 0}
    if standing.points is None:
        reason = "resigned" if driver["resigned"] else "wrecked"
        return SeatResult(name, None, (1,), "retired", reason, luggage)
    return SeatResult(
        name, standing.points, (0, *final_score.rank(table, name, standing.points)), "finished", "", luggage
    )


@cache
def game() -> Dust:
    """Return the only instance. It has no state."""
    return Dust()

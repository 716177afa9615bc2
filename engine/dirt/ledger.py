"""The ledger of a run (engine/contract/ledger.py): what each decision gave up and what each draw gave, in seconds.

The value of a situation is the stage time to expect when the datum goes on: a driver who weighs only the mean, alone on
the road (codriver/value.py, codrivers.toml). Within a turn the values are those of codriver/search.py, so a decision
and a draw are compared by the same numbers: the mean of a draw over its exact chances is the value before it.

A token that is drawn during a turn counts from the next turn on (E5), so it is booked when the turn ends. What a loss
of control costs besides the card, and what a car does not know of others, is in the account `traffic`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.contract import Event, Json, RunLedger, State
from engine.dirt.codriver.decisions import best_end, seat_of, value_here
from engine.dirt.codriver.relay import best_relay
from engine.dirt.codriver.search import (
    Crossroads,
    Seat,
    best_plan,
    crossroads,
    flat_out,
    one_by_one,
    rolled_flat_out,
)
from engine.dirt.codriver.value import DATUM, NEVER, Worth
from engine.dirt.facts import CRASH_COLOURS, facts
from engine.dirt.fold import copied, damage_of, fold
from engine.dirt.moves import read_plan, write_plan
from engine.dirt.plan import Step, lay_out, start
from engine.dirt.rally import wheel_seconds
from engine.dirt.table import road_for
from engine.dirt.turn import FLAT_OUT, ONE_BY_ONE, early_end, rule_that_ends_turn
from engine.ledger import Books

VERSION = "2"
PER_MILLE = 1000


def ledger(setup: State, events: Sequence[Event]) -> RunLedger:
    """Return the ledger of a run that is over, from its set-up and all its events."""
    state = _as_last(setup)
    readers = {name: _Reader(state, name) for name in state["starters"]}
    for number, event in enumerate(events):
        before = state
        state = copied(state, event.get("driver"))
        fold(state, event)
        reader = readers.get(event.get("driver", ""))
        if reader is not None:
            reader.read(before, event, state, number)
    times = {name: state["drivers"][name]["stage_time"] for name in state["starters"]}
    return RunLedger({name: reader.closed(times[name] or 0) for name, reader in readers.items()})


def _as_last(setup: State) -> State:
    """Return the set-up as if no stage followed: a ledger counts the time of this stage only."""
    return {**setup, "stage": {**setup["stage"], "last": True}}


class _Reader:
    """Reads the events of one driver and keeps the books. `seat` and `plan` belong to the turn that is being read;
    `ended` says that a roll has ended the turn; `drawn` holds the tokens of the turn, each with its bag and its side,
    how many more tokens the same card brought, and its event.
    """

    def __init__(self, state: State, driver: str) -> None:
        self.driver = driver
        self.books = Books(driver, 0.0, better="fewest")
        start_value = self._at_rest(state)
        self.books = Books(driver, start_value, better="fewest")
        self.seat: Seat | None = None
        self.plan: tuple[Step, ...] = ()
        self.ended = self.gave_up = False
        self.drawn: list[tuple[State, str, int, int, int]] = []
        self.due = 0
        self.toll = 0.0

    def closed(self, seconds: int) -> Any:
        """Return the ledger of a driver whose stage time is known. Giving up is a decision (E8)."""
        if self.gave_up:
            self.books.decision(self.books.value / 100, float(seconds), "retire")
        return self.books.closed(seconds)

    def read(self, before: State, event: Event, after: State, number: int) -> None:
        """Book what an event of this driver has changed."""
        self.books.at(before["drivers"][self.driver]["turns"] + 1, number)
        handler = self._HANDLERS.get(event["kind"])
        if handler is not None:
            handler(self, before, event, after)

    # Values --------------------------------------------------------------------------------------

    def _paid(self, state: State) -> float:
        return float(sum(state["drivers"][self.driver]["cards"]))

    def _at_rest(self, state: State, kept: Sequence[Json] | None = None) -> float:
        """Return the value between two turns; with these markers and tokens on the dashboard instead of the present
        ones.
        """
        me = state["drivers"][self.driver]
        if kept is not None:
            me = {**me, "kept": list(kept)}
            state = {**state, "drivers": {**state["drivers"], self.driver: me}}
        if damage_of(me)["gear"] >= facts().gear_dice:
            return self.books.value / 100
        idle = {**state, "turn": None}
        road = road_for(idle, self.driver).empty()
        value = value_here(idle, self.driver, DATUM, road)
        space = road.track.index[me["space"]]
        worth = value.start(space, me["gear"], has_sisu=me["sisu"]) * value.token_worth(me["tokens"], space)
        return self._paid(state) + value.seconds(worth)

    def _sure(self, worth: Worth, paid: float) -> float:
        """Return a worth of the present turn as stage time."""
        assert self.seat is not None
        return paid + self.toll + self.seat.value.seconds(worth) if worth != NEVER else float(10**6)

    def _tolls(self, plan: Sequence[Step]) -> float:
        """M5: return the seconds that the tokens of a plan's shortcuts are expected to cost."""
        assert self.seat is not None
        value, spaces = self.seat.value, self.seat.road.track.spaces
        ends = (step.after.space for step in plan)
        return sum(value.token_seconds(1, end) for end in ends if spaces[end].kind == "shortcut")

    # The plan ------------------------------------------------------------------------------------

    def _turn(self, before: State, event: Event, after: State) -> None:
        """A plan is laid (D3): against the best plan that the search finds, the chosen one included."""
        road = road_for(before, self.driver)
        me, paid = before["drivers"][self.driver], self._paid(before)
        self.seat = seat = seat_of({**before, "turn": None}, self.driver, DATUM, road)
        at = start(road, road.track.index[me["space"]], me["gear"], damage_of(me))
        self.plan = lay_out(road, at, read_plan(event["plan"]))
        self.ended = False
        best = best_plan(seat, at)
        chosen = flat_out(seat, self.plan)[0] if event["roll"] == FLAT_OUT else one_by_one(seat, self.plan).worth
        facts_: dict[str, Json] = {
            "chosen": event["plan"],
            "roll": event["roll"],
            "best": write_plan([step.move for step in best.plan]),
            "short": _short(best.plan),
            "best roll": best.roll,
        }
        self.toll = self._tolls(best.plan)
        least = self._sure(best.worth, paid)
        self.toll = self._tolls(self.plan)
        self.books.decision(least, self._sure(chosen, paid), "plan", facts_)

    # Rolling one by one --------------------------------------------------------------------------

    def _here(self, before: State) -> Crossroads:
        assert self.seat is not None
        half = before["turn"]
        return crossroads(self.seat, self.plan, made=half["made"], warnings=half["warnings"], secured=half["secured"])

    def _chosen(self, before: State, do: str, facts_: Mapping[str, Json] | None = None) -> Crossroads:
        """Book the decision to roll, to secure or to stop, where there was another one."""
        here, paid = self._here(before), self._paid(before)
        if sum(worth != NEVER for worth in (here.stop, here.roll, here.secure)) > 1:
            told = {"best": here.best.do, **(facts_ or {})}
            chosen = self._sure(getattr(here, do), paid)
            self.books.decision(self._sure(here.best.worth, paid), chosen, do, told)
        return here

    def _roll(self, before: State, event: Event, after: State) -> None:
        """R1: the next dice are rolled."""
        half = before["turn"]
        assert self.seat is not None
        if half["sisu"]:
            return
        step, shown = self.plan[half["made"]], sum(event["faces"])
        odds = self.seat.chances(step)[0]
        told: dict[str, Json] = {"dice": event["dice"], "warnings": shown, "chances": _per_mille(odds)}
        here = self._chosen(before, "roll", told)
        paid = self._paid(before)
        self.books.draw(self._sure(here.roll, paid), self._sure(here.rolled[min(shown, 2)], paid), "roll", told)
        total = half["warnings"] + shown
        self.ended = rule_that_ends_turn(step, shown, total, sisu=False) is not None

    def _secure(self, before: State, event: Event, after: State) -> None:
        if not before["turn"]["sisu"]:
            self._chosen(before, "secure", {"dice": event["dice"], "seconds": event["seconds"]})
            self.ended = self.plan[before["turn"]["made"]].after.loss is not None

    # Flat out ------------------------------------------------------------------------------------

    def _roll_all(self, before: State, event: Event, after: State) -> None:
        """R4, R5: all dice are rolled at once."""
        assert self.seat is not None
        if before["turn"]["sisu"]:
            return
        made, rule = early_end(self.plan, event["faces"], sisu=False)
        worth, chance = flat_out(self.seat, self.plan)
        rolled = rolled_flat_out(self.seat, self.plan, made, ends=rule is not None)
        told: dict[str, Json] = {
            "warnings": sum(sum(faces) for faces in event["faces"]),
            "chance of a loss": round(chance * PER_MILLE),
        }
        paid = self._paid(before)
        self.books.draw(self._sure(worth, paid), self._sure(rolled, paid), "roll all", told)
        self.ended = rule is not None

    def _relay(self, before: State, event: Event, after: State) -> None:
        """R6: the dice are laid again: against the best re-lay found, and against a SISU token that saves the turn."""
        assert self.seat is not None
        half, paid = before["turn"], self._paid(before)
        tokens = before["drivers"][self.driver]["tokens"]
        road = road_for(before, self.driver)
        at = start(road, road.track.index[half["space"]], half["gear"], half["damage"])
        again = lay_out(road, at, read_plan(event["plan"]))
        best = best_relay(replace(self.seat, tokens=tokens), self.plan, half)
        chosen, least = (
            self.seat.lost(steps[-1].after, tokens, has_sisu=self.seat.has_sisu) for steps in (again, best)
        )
        least = min(least, self._saved_flat_out(before))
        told: dict[str, Json] = {
            "chosen": event["plan"],
            "best": write_plan([step.move for step in best]),
            "short": _short(best),
        }
        self.books.decision(self._sure(least, paid), self._sure(chosen, paid), "relay", told)
        self.plan = again

    def _saved_flat_out(self, before: State) -> Worth:
        """Return the worth of using the SISU token after a roll flat out; NEVER where it saves nothing (R7)."""
        assert self.seat is not None
        half, me = before["turn"], before["drivers"][self.driver]
        if not me["sisu"] or early_end(self.plan, half["faces"], sisu=True)[1] is not None:
            return NEVER
        return self.seat.rest(self.plan[-1].after, me["tokens"], has_sisu=False)

    # The SISU token ------------------------------------------------------------------------------

    def _sisu_ways(self, before: State) -> tuple[Worth, Worth]:
        """Return the worth of using the SISU token now, and of keeping it (R7)."""
        assert self.seat is not None
        half, tokens = before["turn"], before["drivers"][self.driver]["tokens"]
        if half["phase"] == "relay":
            kept = self.seat.lost(
                best_relay(replace(self.seat, tokens=tokens), self.plan, half)[-1].after, tokens, has_sisu=True
            )
            return self._saved_flat_out(before), kept
        flat = half["roll"] == FLAT_OUT
        if half["phase"] == "lost":
            end = len(self.plan) if flat else best_end(replace(self.seat, tokens=tokens), self.plan, half["made"])
            here = self.plan[0].after if flat else self.plan[half["made"] - 1].after
            ends = self.seat.rest if half["rule"] == "D7" else self.seat.lost
            kept = ends(here, tokens, has_sisu=True)
        else:
            end = best_end(replace(self.seat, tokens=tokens), self.plan, half["made"])
            kept = flat_out(self.seat, self.plan)[0] if flat else self._here(before).best.worth
        last = self.plan[end - 1].after
        used = NEVER if last.loss else self.seat.rest(last, tokens, has_sisu=False)
        return used, kept

    def _sisu(self, before: State, event: Event, after: State) -> None:
        used, kept = self._sisu_ways(before)
        paid = self._paid(before)
        if used != NEVER:
            self.books.decision(self._sure(min(used, kept), paid), self._sure(used, paid), "sisu")
        assert self.seat is not None
        self.seat = replace(self.seat, has_sisu=False)
        self.ended = False

    def _kept_sisu(self, before: State) -> None:
        """Book that the SISU token was kept, where a roll could have been saved with it."""
        if before["turn"] and before["turn"]["phase"] == "lost" and before["drivers"][self.driver]["sisu"]:
            used, kept = self._sisu_ways(before)
            paid = self._paid(before)
            self.books.decision(self._sure(min(used, kept), paid), self._sure(kept, paid), "keep sisu")

    # The end of a turn ---------------------------------------------------------------------------

    def _loss(self, before: State, event: Event, after: State) -> None:
        self._kept_sisu(before)
        self.ended = True

    def _card(self, before: State, event: Event, after: State) -> None:
        half = before["turn"]
        if half is None or self.seat is None:
            return
        if event["side"] == "front":
            self._ends_in_control(before, half)
        else:
            self._turned_over(before, event, after)

    def _ends_in_control(self, before: State, half: Mapping[str, Any]) -> None:
        """A turn ends in control: where dice were left, the driver has stopped (R1)."""
        self._kept_sisu(before)
        if half["phase"] == "spare":
            self._wheel(before, take=False)
        else:
            self._stopped(before, half)

    def _stopped(self, before: State, half: Mapping[str, Any]) -> None:
        left = half["made"] < len(self.plan)
        if half["roll"] == ONE_BY_ONE and half["phase"] == "rolling" and left and not (self.ended or half["sisu"]):
            self._chosen(before, "stop")

    def _turned_over(self, before: State, event: Event, after: State) -> None:
        """E2, E3: the card of a loss of control is drawn from the deck as it is."""
        deck = before["decks"][str(event["gear"])]
        left = deck if any(deck.values()) else facts().decks[event["gear"]]
        values = {back: self._after_card(before, event, back) for back, cards in left.items() if cards}
        total = sum(left.values())
        expected = sum(left[back] * value for back, value in values.items()) / total
        told: dict[str, Json] = {"back": event["back"], "left": dict(left)}
        self.books.draw(expected, values[event["back"]], "card", told)
        self.due = self._crash_tokens(before, event["back"])

    def _crash_tokens(self, state: State, back: str) -> int:
        if not back.startswith("crash"):
            return 0
        road = road_for(state, self.driver)
        space = road.track.spaces[road.track.index[state["drivers"][self.driver]["space"]]]
        return int(back.removeprefix("crash ").split("/")[CRASH_COLOURS.index(space.hazard)])

    def _after_card(self, before: State, event: Event, back: str) -> float:
        """Return the value after a card with this back, with what its damage tokens are expected to cost."""
        seconds = before["options"]["sisu_seconds" if back == "sisu" else "loss_seconds"]
        folded = copied(before, self.driver)
        fold(folded, {**event, "back": back, "seconds": seconds})
        crash = self._crash_tokens(before, back) * self._token_cost(before)
        return self._at_rest(folded, before["drivers"][self.driver]["kept"]) + self.toll + crash

    def _token_cost(self, state: State) -> float:
        """Return the seconds that a damage token from a full bag is expected to cost on the road left."""
        assert self.seat is not None
        space = self.seat.road.track.index[state["drivers"][self.driver]["space"]]
        return self.seat.value.token_seconds(0, space)

    def _token(self, before: State, event: Event, after: State) -> None:
        crash = self.due > 0
        self.due -= crash
        self.drawn.append((before, event["token"], 0 if crash else 1, self.due, self.books.event))

    def _phase(self, before: State, event: Event, after: State) -> None:
        if event["phase"] == "spare":
            self._kept_sisu(before)
            self._stopped(before, before["turn"])

    def _spare(self, before: State, event: Event, after: State) -> None:
        self._wheel(before, take=True)

    def _wheel(self, before: State, *, take: bool) -> None:
        """E4: the spare wheel is taken or not. With it the marker is gone, and the car stands."""
        repairs, me = before["options"]["spare_repairs"], before["drivers"][self.driver]
        token = next(token for kind, token in me["kept"] if kind == repairs)
        with_wheel, without = copied(before, self.driver), copied(before, self.driver)
        seconds = wheel_seconds(before["options"])
        fold(with_wheel, {"kind": "spare", "driver": self.driver, "repairs": repairs, "token": token,
                          "seconds": seconds})  # fmt: skip
        card = before["options"][f"time_card_{me['gear']}"]
        fold(without, {"kind": "card", "driver": self.driver, "gear": me["gear"], "side": "front", "back": None,
                       "seconds": card})  # fmt: skip
        ways = self._at_rest(with_wheel), self._at_rest(without)
        self.books.decision(min(ways), ways[0 if take else 1], "spare wheel", {"taken": take})

    def _finish(self, before: State, event: Event, after: State) -> None:
        self.drawn.clear()
        self.books.other(float(event["seconds"]), "finish")

    def _retire(self, before: State, event: Event, after: State) -> None:
        self.gave_up = event["rule"] == "E8"

    def _end_of_turn(self, before: State, event: Event, after: State) -> None:
        """Book the tokens of the turn, each against the bag it was drawn from, and the value between two turns."""
        me = after["drivers"][self.driver]
        self.seat = None
        self.due = 0
        if me["finished"] or me["retired"]:
            return
        here = self.books.event
        for kept, token, side, bag, left, at in self._tokens(after):
            more = left * self._mean_token(after)
            values = {
                other: self._at_rest(after, [*kept, *_marker(other, side)]) + more
                for other, count in bag.items()
                if count
            }
            expected = sum(bag[other] * value for other, value in values.items()) / sum(bag.values())
            self.books.at(me["turns"], at)
            self.books.draw(expected, values[token], "token", {"shows": token.split("/")[side]})
        self.drawn.clear()
        self.books.at(me["turns"], here)
        self.books.other(self._at_rest(after), "values")

    def _mean_token(self, state: State) -> float:
        idle = {**state, "turn": None}
        road = road_for(idle, self.driver).empty()
        value = value_here(idle, self.driver, DATUM, road)
        return value.token_seconds(0, road.track.index[state["drivers"][self.driver]["space"]])

    def _tokens(self, after: State) -> Iterator[tuple[list[Json], str, int, Mapping[str, int], int, int]]:
        """Yield for each token of the turn what was on the dashboard before it, the token, its side, the bag it came
        from, how many tokens of the same card follow, and its event.
        """
        for before, token, side, left, at in self.drawn:
            bag = {name: count for name, count in before["bag"].items() if count}
            if token in bag:
                yield before["drivers"][self.driver]["kept"], token, side, bag, left, at

    _HANDLERS: Mapping[str, Callable[[_Reader, State, Event, State], None]] = {
        "turn": _turn,
        "roll": _roll,
        "secure": _secure,
        "roll all": _roll_all,
        "relay": _relay,
        "sisu": _sisu,
        "phase": _phase,
        "loss": _loss,
        "card": _card,
        "token": _token,
        "spare": _spare,
        "finish": _finish,
        "retire": _retire,
        "end of turn": _end_of_turn,
    }


def _short(plan: Sequence[Step]) -> str:
    """Return the dice of a plan without its spaces."""
    return " ".join(str(step.move).partition(":")[0] for step in plan)


def _marker(token: str, side: int) -> list[Json]:
    """Return what a token with that side up puts on the dashboard: mud lies on the road instead (M5)."""
    shows = token.split("/")[side]
    return [] if shows == "mud" else [[shows, token]]


def _per_mille(chances: Sequence[float]) -> list[Json]:
    return [round(chance * PER_MILLE) for chance in chances]

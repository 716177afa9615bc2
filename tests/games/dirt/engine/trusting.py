"""How often a driver who trusts the shown chances loses control behind a turn that was shown as safe.

    python -m tests.games.dirt.engine.trusting [--stages 300]

The driver lays move by move, always the move with the least expected seconds a section that the page shows for the
plan so far, and stops laying where no move makes them fewer. It rolls one by one, to the end. `before` reads the odds
of the turn alone; `now` those that count the wall behind the plan. A loss is forced when the turn before it was shown
with at least 99 % and kept control, and now no first move is shown with more than 1 %.
"""

from __future__ import annotations

import argparse
from hashlib import sha256

from engine.chance import SeededChance
from engine.contract import Event, RuleError, State
from engine.dirt.game import game
from engine.dirt.legal_moves import choices
from engine.dirt.odds import Odds

SAFE = 0.99
SEEN = {"before": False, "now": True}
LONGEST = 9


def seconds(odds: Odds, *, ahead: bool) -> float:
    """Return the expected seconds that the page shows, for each section of road."""
    whole = odds.seconds + (odds.cards_ahead if ahead else 0.0)
    return whole / max(odds.progress, 0.5)


def laid(state: State, *, ahead: bool) -> tuple[str, float, float]:
    """Return the plan that the driver lays, the chance to keep control that was shown for it, and the best chance that
    was shown for a first move.
    """
    turn_odds = game().turn_odds(state, "ana")
    plan, least, shown, best = "", float("inf"), 1.0, 1.0
    for _move in range(LONGEST):
        tried = []
        for move in choices(state, "ana", plan).moves:
            longer = f"{plan} {move.text}".strip()
            odds = turn_odds.odds(longer, {"roll": "one by one"})
            tried.append((seconds(odds, ahead=ahead), longer, odds.kept[-1]))
        if not tried or min(tried)[0] >= least:
            break
        best = best if plan else max(kept for _seconds, _plan, kept in tried)
        least, plan, shown = min(tried)
    return plan, shown, best


def drive(name: str, seed: int, *, ahead: bool) -> tuple[int, int, int, int]:
    """Drive one stage alone. Returns its seconds (0 when it retired), turns, losses of control, and those that
    were forced behind a safe turn.
    """
    rules = game()
    course = {**rules.read_course(rules.library()[name]), "last": True}
    options = rules.clean_options({})
    state = rules.setup(course, [{"id": "ana", "luggage": rules.new_luggage(options)}], options)
    chance = SeededChance(sha256(f"{name} {seed}".encode()).digest())
    turns = losses = behind = 0
    safe, best = False, 1.0
    while (result := rules.result(state)) is None:
        events: tuple[Event, ...] = ()
        try:
            plan, shown, best = laid(state, ahead=ahead)
            orders = {"do": "standing", "plan": plan, "roll": "one by one"}
            state, events = rules.play(state, "ana", orders, chance)
        except RuleError:
            pass
        while rules.phase(state, "ana") != "plan" and rules.result(state) is None:
            state, more = rules.play(state, "ana", rules.autopilot(state, "ana", "club"), chance)
            events = (*events, *more)
        lost = any(event["kind"] == "loss" for event in events)
        turns, losses, behind = turns + 1, losses + lost, behind + (lost and safe and best <= 1 - SAFE)
        safe = shown >= SAFE and not lost
    return result.seats[0].measure or 0, turns, losses, behind


def main() -> None:
    """Print both drivers side by side."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stages", type=int, default=300)
    count = parser.parse_args().stages
    names = sorted(game().library())
    for label, ahead in SEEN.items():
        driven = [drive(names[number % len(names)], number, ahead=ahead) for number in range(count)]
        time, turns, losses, behind = (sum(column) for column in zip(*driven, strict=True))
        print(
            f"{label}: {count} stages, {turns} turns, {losses} losses of control, {behind} of them forced behind a "
            f"turn shown as safe ({behind / turns:.2%} of turns); mean stage {time / count:.1f} s"
        )


if __name__ == "__main__":
    main()

"""Plans and draws of a ledger in words (runs.booking_words). Cards have the names of the run's own set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from championship.games.dust.event_sentences import EventSentences
from championship.games.dust.pages import cards_of
from championship.runs.models import Run
from championship.runs.watch.luck.ledgers import Booked
from engine.dust import run_events
from engine.dust.turn import steps

MOST = 4
"""How many steps of a plan are told."""
BETWEEN = "; "
"""What stands between two steps in the facts of a booking."""


def told(run: Run, booked: Booked, event: Mapping[str, Any], drivers: Mapping[str, str]) -> str:
    """Return the steps that were chosen, from the first one on that is not in the best plan, or what was drawn."""
    if booked.kind == "plan":
        chosen, best = _plans(booked)
        return _in_words(run, chosen, _in_both(chosen, best))
    return EventSentences(drivers, cards_of(run.state), run.state["stage"]).sentence(event).text


def better(run: Run, booked: Booked) -> str:
    """Return the steps of the best plan, from the first one on that was not chosen."""
    if not booked.amount or not isinstance(booked.facts.get("best"), str):
        return ""
    chosen, best = _plans(booked)
    return _in_words(run, best, _in_both(chosen, best))


def _plans(booked: Booked) -> tuple[list[str], list[str]]:
    """Return the steps of the chosen plan and of the best one."""
    chosen, best = (str(booked.facts.get(name, "")).split(BETWEEN) for name in ("chosen", "best"))
    return chosen, best


def _in_both(chosen: Sequence[str], best: Sequence[str]) -> int:
    """Return with how many steps both plans begin. The last step of a plan is not one of them."""
    same = 0
    while same < min(len(chosen), len(best)) - 1 and chosen[same] == best[same]:
        same += 1
    return same


def _in_words(run: Run, plan: Sequence[str], first: int) -> str:
    """Return the steps of a plan from this one on in words. A card that the plan itself lays is named. What the driver
    held before is not known here, so another card is named by its slot.
    """
    sentences = EventSentences({}, cards_of(run.state), run.state["stage"])
    board: dict[str, Any] = {}
    said: list[str] = []
    for step in plan:
        event = {"kind": run_events.STEP, "seat": "", "step": step, "set": _changes(step, board), "drawn": ()}
        said.append(sentences.sentence(event).text)
    shown = said[first : first + MOST]
    return " ".join(shown) + (" …" if len(said) > first + MOST else "")


def _changes(step: str, board: dict[str, Any]) -> dict[str, Any]:
    """Return which cards lie and which one is open after a step of a plan. `board`: the cards that the plan has laid,
    by slot; the step adds its own.
    """
    match step.split():
        case [steps.PLAY, card, slot]:
            board[slot] = {"card": card}
            return {"board": dict(board)}
        case [steps.USE, slot, _kind]:
            return {"open": board.get(slot)}
        case [steps.PLACE, number]:
            return {"open": {"card": int(number)}}
        case [steps.DONE]:
            return {"open": None}
    return {}

"""Plans and draws of a ledger in words (runs.booking_words). Cards have the names of the run's own set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from championship.games.dust.event_sentences import EventSentences
from championship.games.dust.pages import cards_of
from championship.runs.models import Run
from championship.runs.watch.luck.ledgers import Booked
from engine.dust import run_events

MOST = 4
"""How many steps of a plan are told."""
BETWEEN = "; "
"""What stands between two steps in the facts of a booking."""


def told(run: Run, booked: Booked, event: Mapping[str, Any], drivers: Mapping[str, str]) -> str:
    """Return the steps that were chosen, from the first one on that is not in the best plan, or what was drawn."""
    sentences = EventSentences(drivers, cards_of(run.state), run.state["stage"])
    if booked.kind == "plan":
        return _in_words(sentences, _apart(booked)[0])
    return sentences.sentence(event).text


def better(run: Run, booked: Booked) -> str:
    """Return the steps of the best plan, from the first one on that was not chosen."""
    if not booked.amount or not isinstance(booked.facts.get("best"), str):
        return ""
    return _in_words(EventSentences({}, cards_of(run.state), run.state["stage"]), _apart(booked)[1])


def _apart(booked: Booked) -> tuple[list[str], list[str]]:
    """Return the steps of both plans without those with which both begin. A plan that is then empty stays whole."""
    chosen, best = (str(booked.facts.get(name, "")).split(BETWEEN) for name in ("chosen", "best"))
    same = 0
    while same < min(len(chosen), len(best)) - 1 and chosen[same] == best[same]:
        same += 1
    return chosen[same:], best[same:]


def _in_words(sentences: EventSentences, steps: Sequence[str]) -> str:
    """Return steps in words. What the driver held before is not known here, so a card is named by its slot."""
    said = [
        sentences.sentence({"kind": run_events.STEP, "seat": "", "step": step, "set": {}, "drawn": ()}).text
        for step in steps[:MOST]
    ]
    return " ".join(said) + (" …" if len(steps) > MOST else "")

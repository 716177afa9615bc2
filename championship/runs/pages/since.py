"""What the others did since the viewer's last turn: the first thing that a driver wants to know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from championship.rallies.models import Entry
from championship.runs.run_pages import TurnLog
from championship.runs.watch.selectors import RunPage

MOST = 4
"""Turns that are told. Earlier ones are in the replay and in the log."""


@dataclass(frozen=True, slots=True)
class TurnTold:
    """A turn of another driver: the entry, and its lines."""

    entry: Entry
    text: str


@dataclass(frozen=True, slots=True)
class Since:
    """What happened since the viewer's last turn: the newest turns, how many more there are, and the numbers of the
    event after which the replay begins and of the newest one.
    """

    turns: list[TurnTold]
    more: int
    after: int
    last: int


def since_last_turn(page: RunPage, log: Sequence[TurnLog]) -> Since | None:
    """Return what the others did since the viewer's last turn; None for a spectator, a driver who is not to play, and
    when nothing happened. `log` has the newest turn first.
    """
    if page.my_turn is None or page.mine is None:
        return None
    own = next((place for place, turn in enumerate(log) if turn.entry and turn.entry.pk == page.mine.entry_id), None)
    others = [turn for turn in log[:own] if turn.entry is not None]
    if not others:
        return None
    told = [TurnTold(turn.entry, " ".join(line.text for line in turn.lines)) for turn in others[:MOST] if turn.entry]
    begun = log[own].lines[-1].moment if own is not None else max(0, others[-1].lines[0].moment - 1)
    last = max((line.moment for turn in others for line in turn.lines), default=begun)
    return Since(told, len(others) - len(told), begun, last)

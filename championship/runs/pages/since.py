"""What the others did since the viewer's last turn: the first thing that a driver wants to know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.cache import cache
from django.utils.translation import get_language

from championship.rallies.models import Entry
from championship.runs.models import Seat
from championship.runs.run_pages import TurnLog
from championship.runs.watch import story
from championship.runs.watch.selectors import RunPage

MOST = 4
"""Turns that are told. Earlier ones are in the replay and in the log."""
SENTENCES = 3
"""Sentences of the story that are told instead, where it has any."""
KEPT_SECONDS = 300
"""For how many seconds these sentences are cached: the page of a turn is shown again with every change of the plan."""


@dataclass(frozen=True, slots=True)
class TurnTold:
    """A turn of another driver: the entry, and its lines."""

    entry: Entry
    text: str


@dataclass(frozen=True, slots=True)
class Since:
    """What happened since the viewer's last turn: sentences of the `story` or, where it has none, the newest turns,
    and how many more turns there are; the viewer's gap in words; the numbers of the event after which the replay begins
    and of the newest one.
    """

    turns: list[TurnTold]
    more: int
    after: int
    last: int
    gap: str = ""
    story: bool = False


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
    begun = log[own].lines[-1].moment if own is not None else max(0, others[-1].lines[0].moment - 1)
    last = max((line.moment for turn in others for line in turn.lines), default=begun)
    sentences, gap = _of_story(page, page.mine)
    if sentences:
        return Since(sentences, 0, begun, last, gap, story=True)
    told = [TurnTold(turn.entry, " ".join(line.text for line in turn.lines)) for turn in others[:MOST] if turn.entry]
    return Since(told, len(others) - len(told), begun, last, gap)


def _of_story(page: RunPage, mine: Seat) -> tuple[list[TurnTold], str]:
    """Return the sentences about others since the viewer's last turn, the newest first, and the gap. Five queries at
    most when the run has moved, else none.
    """
    name = f"since-{mine.pk}-{page.run.version}-{get_language()}"
    kept: tuple[list[TurnTold], str] | None = cache.get(name)
    if kept is None:
        found = story.since([mine], mine.entry.driver, SENTENCES)[mine.pk]
        kept = [TurnTold(one.entry, one.text) for one in found.told if one.entry], found.gap
        cache.set(name, kept, KEPT_SECONDS)
    return kept

"""What the others did since a driver's last turn, in at most a few lines for each of several runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.text import Truncator

from championship.platform.prepared_queries import run_together
from championship.rallies.selectors import Viewer
from championship.runs import run_pages
from championship.runs.models import Seat
from championship.runs.watch import watching
from championship.runs.watch.selectors import LOG_POSTS, RunPage

LONGEST = 160


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence about another car."""

    text: str


@dataclass(frozen=True, slots=True)
class Since:
    """What happened since the last own turn, the newest first."""

    told: list[Told]


def since(seats: Sequence[Seat], viewer: Viewer, most: int = 2) -> dict[int, Since]:
    """Return by the primary keys of these seats what happened since their last own turn. One trip to the database.
    Nothing is told of a run in which something is hidden.
    """
    asked = [seat for seat in seats if not seat.run.hidden]
    bound = [
        query
        for seat in asked
        for query in (
            watching.posts_after.bind(run=seat.run_id, version=seat.run.version, before=seat.run.version - LOG_POSTS),
            watching.events_after.bind(
                run=seat.run_id, before=seat.run.version - LOG_POSTS, up_to_event=seat.run.events_told
            ),
        )
    ]
    rows = run_together(*bound) if bound else []
    return {
        seat.pk: Since(_told(seat, posts, events, most))
        for seat, posts, events in zip(asked, rows[::2], rows[1::2], strict=True)
    }


def _told(seat: Seat, posts, events, most: int) -> list[Told]:  # type: ignore[no-untyped-def]
    watching.put_events(posts, events)
    seats = list(seat.run.seats.all())
    page = RunPage(run=seat.run, seats=seats, mine=seat, turns=[], posts=posts)
    log = run_pages.get(seat.run.game).log(page)
    own = next((at for at, turn in enumerate(log) if turn.entry and turn.entry.pk == seat.entry_id), None)
    others = [turn for turn in log[:own] if turn.entry is not None][:most]
    said = (f"{turn.entry.crew}: {' '.join(line.text for line in turn.lines)}" for turn in others if turn.entry)
    return [Told(Truncator(text).chars(LONGEST)) for text in said]

"""The situations of a finished run, and which of its turns can be asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from django.core.cache import cache
from django.http import Http404

from championship.puzzles.models import Puzzle
from championship.runs.models import Event, KeptAccounts, Run
from engine import registry
from engine.contract import Event as GameEvent
from engine.contract import Json, Ledgers, Puzzles, Question, State, UnknownGame, Weighed, offered
from engine.contract.ledger import DRIVING

MOST_EVENTS = 4000
"""A run with more events is not read: it would take too long."""
AGAIN = 3
"""How many turns of a run are driven again."""
KEPT_SECONDS = 24 * 3600


class Position(NamedTuple):
    """A situation of a run: how many events come before it, the state, and the seat that is to play."""

    event: int
    state: State
    seat: str


def puzzles_of(game: str) -> Puzzles | None:
    """Return the game as one with questions; None where it has none, or is not installed."""
    try:
        return offered(registry.get(game), Puzzles)
    except UnknownGame:
        return None


def required_puzzles(game: str) -> Puzzles:
    """Return the game as one with questions.

    Raises: Http404 where it has none.
    """
    found = puzzles_of(game)
    if found is None:
        raise Http404
    return found


def events_of(run: Run) -> list[dict[str, Any]]:
    """Return all events of a run that is over. One query.

    Raises: Http404 when there are more than MOST_EVENTS.
    """
    events = list(Event.objects.filter(run=run).order_by("number").values_list("data", flat=True)[: MOST_EVENTS + 1])
    if len(events) > MOST_EVENTS:
        raise Http404
    return events


def state_after(run: Run, events: list[dict[str, Any]]) -> State:
    """Return the state of a run after these events."""
    rules = registry.get(run.game)
    state = rules.setup(run.stage, run.entrants, run.options)
    for event in events:
        state = rules.apply(state, event)
    return state


def positions(run: Run) -> Iterator[Position]:
    """Yield the situations of a run between two posts, with the first seat that is to play. Two queries."""
    rules = registry.get(run.game)
    state = rules.setup(run.stage, run.entrants, run.options)
    rows = list(Event.objects.filter(run=run).order_by("number").values_list("post", "data")[: MOST_EVENTS + 1])
    if len(rows) > MOST_EVENTS:
        return
    before: int | None = None
    for number, (post, data) in enumerate(rows):
        if post != before and (playing := rules.to_play(state)):
            yield Position(number, state, playing[0])
        before = post
        state = rules.apply(state, data)


def spread(found: Sequence[Position], most: int) -> list[Position]:
    """Return at most so many of these situations, evenly spread."""
    step = max(1, -(-len(found) // most))
    return list(found[::step])


def position_before(run: Run, event: int) -> Position:
    """Return the last situation of a run between two posts with at most so many events before it. Two queries.

    Raises: Http404 when there is none.
    """
    found = [position for position in positions(run) if position.event <= event]
    if not found:
        raise Http404
    return found[-1]


def asked_now(puzzle: Puzzle) -> tuple[Question, Json]:
    """Return the question of a puzzle, and what makes its answers fast. One that was found with another version of the
    game's questions is asked again, since its values are no longer those of answers; that is cached.

    Raises: Http404 when nothing can be asked there any more.
    """
    puzzles = required_puzzles(puzzle.run.game)
    if puzzles.puzzle_version == puzzle.version:
        best, second, obvious = (Weighed(**way) for way in (puzzle.best, puzzle.second, puzzle.obvious))
        return Question(best, second, obvious, puzzle.ways, tuple(puzzle.themes)), puzzle.prepared
    key = f"puzzle-anew-{puzzle.pk}-{puzzles.puzzle_version}"
    found: tuple[Question | None, Json] | None = cache.get(key)
    if found is None:
        found = puzzles.question(puzzle.state, puzzle.seat), puzzles.prepared(puzzle.state, puzzle.seat)
        cache.set(key, found, KEPT_SECONDS)
    question, prepared = found
    if question is None:
        raise Http404
    return question, prepared


def costly_turns(run: Run, seat: str) -> list[tuple[int, int]]:
    """Return the decisions of a seat that gave up most, in driving order: how many events come before each, and what it
    gave up, in hundredths. They can be asked. Cached; else three queries, and up to a second of a processor where the
    ledger of the run is not stored yet.
    """
    rules = registry.get(run.game)
    ledgers, puzzles = offered(rules, Ledgers), puzzles_of(run.game)
    if ledgers is None or puzzles is None:
        return []
    found: list[tuple[int, int]] | None = cache.get_or_set(
        _key(run, seat, ledgers, puzzles),
        lambda: _costly(run, seat, ledgers, puzzles),
        KEPT_SECONDS,
    )
    return found or []


def gave_nothing_up(run: Run, seat: str) -> bool:
    """Return whether no turn of a seat is to be driven again, as far as that is known without computing it: from the
    cache, else from the stored ledger. One query at most.
    """
    ledgers, puzzles = offered(registry.get(run.game), Ledgers), puzzles_of(run.game)
    if ledgers is None or puzzles is None:
        return False
    found: list[tuple[int, int]] | None = cache.get(_key(run, seat, ledgers, puzzles))
    if found is not None:
        return not found
    kept = _kept(run, seat, ledgers)
    return kept is not None and not _stored(kept)


def _key(run: Run, seat: str, ledgers: Ledgers, puzzles: Puzzles) -> str:
    return f"costly-turns-{run.pk}-{seat}-{ledgers.ledger_version}-{puzzles.puzzle_version}"


def _kept(run: Run, seat: str, ledgers: Ledgers) -> KeptAccounts | None:
    """Return the stored ledger of a seat; None where it is not stored yet, or is of an older version."""
    return KeptAccounts.objects.filter(
        ledger__run=run, ledger__version=ledgers.ledger_version, ledger__too_long=False, seat__name=seat
    ).first()


def _costly(run: Run, seat: str, ledgers: Ledgers, puzzles: Puzzles) -> list[tuple[int, int]]:
    rows = list(Event.objects.filter(run=run).order_by("number").values_list("post", "data")[: MOST_EVENTS + 1])
    if len(rows) > MOST_EVENTS:
        raise Http404
    events, posts = [data for _post, data in rows], [post for post, _data in rows]
    kept = _kept(run, seat, ledgers)
    given_up = _computed(run, seat, ledgers, events) if kept is None else _stored(kept)
    found, asked, whole = dict[int, int](), dict[int, bool](), puzzles.puzzle_scale.whole_turns
    for event, amount in sorted(given_up, key=lambda each: -each[1]):
        if len(found) == AGAIN:
            break
        places = [event, posts.index(posts[event])]  # where it was decided, else where its post begins
        if whole:
            places += _earlier_posts(events, posts, seat, places[-1])
        for begun in dict.fromkeys(places):
            if begun in found and not whole:
                continue
            if begun not in asked:
                asked[begun] = _can_be_asked(run, events[:begun], seat, puzzles)
            if asked[begun]:
                found[begun] = found.get(begun, 0) + amount
                break
    return sorted(found.items())


def _earlier_posts(events: list[dict[str, Any]], posts: Sequence[int | None], seat: str, event: int) -> list[int]:
    """Return where the posts before an event begin with which the seat made the same turn, the last one first."""
    found = list[int]()
    for place in range(event - 1, -1, -1):
        if "seat" not in events[place]:  # a round was closed
            break
        if events[place]["seat"] == seat and (not place or posts[place - 1] != posts[place]):
            found.append(place)
    return found


def _can_be_asked(run: Run, events: list[dict[str, Any]], seat: str, puzzles: Puzzles) -> bool:
    state = state_after(run, events)
    return seat in registry.get(run.game).to_play(state) and puzzles.question(state, seat) is not None


def _stored(kept: KeptAccounts) -> list[tuple[int, int]]:
    """Return the events of the decisions that gave something up, and how much, as they are stored."""
    return [
        (event, abs(amount))
        for _turn, event, account, amount, _kind, _facts in kept.bookings
        if account == DRIVING and amount
    ]


def _computed(run: Run, seat: str, ledgers: Ledgers, events: Sequence[GameEvent]) -> list[tuple[int, int]]:
    """Return the same for a run whose ledger is not stored yet."""
    books = ledgers.ledger(registry.get(run.game).setup(run.stage, run.entrants, run.options), events).seats.get(seat)
    bookings = books.bookings if books else ()
    return [(each.event, abs(each.amount)) for each in bookings if each.account == DRIVING and each.amount]


def question_at(run: Run, event: int, seat: str) -> tuple[State, Question, Json]:
    """Return the situation of a run after so many events, the question to its seat, and what makes its answers fast.
    All is cached. One query at most.

    Raises: Http404 when nothing can be asked of the seat there.
    """
    puzzles = required_puzzles(run.game)
    key = f"turn-asked-{run.pk}-{event}-{seat}-{puzzles.puzzle_version}-prepared"
    found: tuple[State, Question | None, Json] | None = cache.get(key)
    if found is None:
        events = events_of(run)
        if event > len(events):
            raise Http404
        state = state_after(run, events[:event])
        question = puzzles.question(state, seat)
        found = state, question, None if question is None else puzzles.prepared(state, seat)
        cache.set(key, found, KEPT_SECONDS)
    state, question, prepared = found
    if question is None:
        raise Http404
    return state, question, prepared

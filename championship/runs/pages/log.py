"""The log of a run, turn by turn in lines. The game puts its events into words (`LogWords`); what a turn is, and where
its lines stand, is the same for all games.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from django.utils.translation import get_language

from championship.runs.models import Event, Post, Seat
from championship.runs.run_pages import Line, Sentence, TurnLog
from championship.runs.watch.selectors import LOG_POSTS, RunPage

EventData = Mapping[str, Any]

KEPT = 4000
"""The number of lines that a process caches. The page shows the line of a post again with every later post."""
_cached: OrderedDict[Hashable, Line | None] = OrderedDict()
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class LogWords:
    """A game's words for a log. `names`: the drivers by seat.

    `for_all`: whether an event concerns everybody; its line stands alone, after the turn that caused it.
    `line`: puts one event into a line, None where nothing is said of it. It also gets the name of the driver whose turn
    it is, "" for nobody.
    `together`: puts the other events of one post into one line, None where nothing is said of them. Without it each of
    them has a line of its own.
    """

    names: Mapping[str, str]
    for_all: Callable[[EventData], bool]
    line: Callable[[EventData, str], Line | None]
    together: Callable[[Sequence[EventData]], Line | None] | None = None


def names_of(page: RunPage) -> dict[str, str]:
    """Return the names of a run's entries by seat."""
    return {seat.name: str(seat.entry) for seat in page.seats}


def joined(said: Sequence[Sentence], colours: Sequence[str]) -> Line | None:
    """Return sentences as one line, without those that pass; None when none is left. It has the first of `colours` that
    a sentence has, and all their rules.
    """
    shown = [one for one in said if not one.passing]
    if not shown:
        return None
    kinds = {one.kind for one in shown}
    return Line(
        kind=next(kind for kind in colours if kind in kinds),
        text=" ".join(one.text for one in shown),
        rules=tuple(dict.fromkeys(rule for one in shown for rule in one.rules)),
    )


def run_turns(page: RunPage, words: LogWords) -> list[TurnLog]:
    """Return the log of a page's posts, turn by turn, the newest turn first; the lines of a turn are in their order.

    The line of a whole post is cached and used again for readers of the same language, as long as the crews keep their
    names. It is not cached when the run hides something, nor for a complete log.
    """
    seats = {seat.pk: seat for seat in page.seats}
    kept = not page.run.hidden and len(page.posts) <= LOG_POSTS
    readers = (page.run.key, get_language(), tuple(words.names.items())) if kept else None
    found = list[TurnLog]()
    for _turn, posts in groupby(reversed(page.posts), lambda post: post.turn_id):
        found += _turn_logs(list(posts), seats, words, readers)
    return found[::-1]


def _turn_logs(posts: Sequence[Post], seats: Mapping[int, Seat], words: LogWords, readers: Hashable) -> list[TurnLog]:
    """Return a turn's posts in order, and the events for everybody that came with them. Posts before the first turn
    belong to no driver.
    """
    turn = posts[0].turn
    seat = seats[turn.seat_id] if turn else None
    who = words.names[seat.name] if seat else ""
    own, for_all = list[Line](), list[TurnLog]()
    for post in posts:
        concerns = [(words.for_all(event.data), event) for event in post.events.all()]
        others = [event for all_of_them, event in concerns if not all_of_them]
        by_codriver = turn is not None and post.by_id is None
        own += [replace(line, by_codriver=by_codriver) for line in _own_lines(post, others, words, who, readers)]
        shared = [event for all_of_them, event in concerns if all_of_them]
        for_all += [TurnLog("", [line]) for line in _single_lines(post, shared, words, who)]
    if not own:
        return for_all
    log = TurnLog(who, own, turn.number, seat.entry) if turn and seat else TurnLog("", own)
    return [log, *for_all]


def _own_lines(post: Post, events: Sequence[Event], words: LogWords, who: str, readers: Hashable) -> list[Line]:
    """Return the lines of a post about its driver, each with its place in the log."""
    if words.together is None:
        return _single_lines(post, events, words, who)
    line = _line_together([event.data for event in events], words.together, readers and (readers, post.number, post.at))
    if line is None:
        return []
    return [replace(line, anchor=f"p{post.number}", moment=max(event.number for event in events), at=post.at)]


def _single_lines(post: Post, events: Sequence[Event], words: LogWords, who: str) -> list[Line]:
    """Return a line for each event of a post, with its place in the log."""
    found = [(event.number, words.line(event.data, who)) for event in events]
    return [replace(line, anchor=f"e{number}", moment=number, at=post.at) for number, line in found if line]


def _line_together(
    events: Sequence[EventData], together: Callable[[Sequence[EventData]], Line | None], key: Hashable
) -> Line | None:
    """Return the line of a whole post. `key` identifies it in the cache; None without caching."""
    if key is None:
        return together(events)
    with _lock:
        if key in _cached:
            _cached.move_to_end(key)
            return _cached[key]
    found = together(events)
    with _lock:
        _cached[key] = found
        if len(_cached) > KEPT:
            _cached.popitem(last=False)
    return found


def record_turns(document: Mapping[str, Any], words: LogWords, ends: Collection[str] | None = None) -> list[TurnLog]:
    """Return the log of a record, from the beginning to the end. Records have no numbers of turns: `ends` are the kinds
    of event that end one; None when every post is a turn.
    """
    found, own, who = list[TurnLog](), list[Line](), ""
    for post in document["turns"]:
        events, who = post["events"], words.names.get(post["driver"], "")
        others = [event for event in events if not words.for_all(event)]
        lines = [words.line(event, who) for event in others] if words.together is None else [words.together(others)]
        own += [line for line in lines if line]
        if own and (ends is None or any(event["kind"] in ends for event in events)):
            found.append(TurnLog(who, own))
            own = []
        shared = [words.line(event, who) for event in events if words.for_all(event)]
        found += [TurnLog("", [line]) for line in shared if line]
    return found + ([TurnLog(who, own)] if own else [])

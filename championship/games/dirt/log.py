"""The log: the events of a run, turn by turn in sentences, with the numbers of their rules."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from django.utils.translation import get_language

from championship.games.dirt.event_sentences import COLOURS, sentence
from championship.runs.models import Event, Post, Seat
from championship.runs.run_pages import Line, Sentence, TurnLog
from championship.runs.watch.selectors import LOG_POSTS, RunPage

EventData = Mapping[str, Any]

OF_ALL = ("round", "over")
"""Kinds of event that concern everybody. They have their own lines, after the turn that caused them."""


KEPT = 4000
"""The number of lines that a process caches. The page shows the line of a post again with every later post."""
_cached: OrderedDict[Hashable, Line | None] = OrderedDict()
_lock = threading.Lock()


def turns(page: RunPage) -> list[TurnLog]:
    """Return the log of a page's posts, turn by turn, the newest turn first; the lines of a turn are in their order.

    The line of a post is cached and used again for readers of the same language, as long as the crews keep their names.
    It is not cached when the run hides something, nor for a complete log.
    """
    seats = {seat.pk: seat for seat in page.seats}
    drivers = {seat.driver: str(seat.entry) for seat in page.seats}
    kept = not page.run.hidden and len(page.posts) <= LOG_POSTS
    telling = (page.run.key, get_language(), tuple(drivers.items())) if kept else None
    found = list[TurnLog]()
    for _turn, posts in groupby(reversed(page.posts), lambda post: post.turn_id):
        found += _turn_log(list(posts), seats, drivers, telling)
    return found[::-1]


def _turn_log(
    posts: Sequence[Post], seats: Mapping[int, Seat], drivers: Mapping[str, str], telling: Hashable
) -> list[TurnLog]:
    """Return a turn's posts in order, and the round or the end of the stage that came with the last of them."""
    seat = seats[posts[0].made_in.seat_id]
    own, for_all = list[Line](), list[Line]()
    for post in posts:
        events = list(post.events.all())
        if said := _line_of(post, events, drivers, telling):
            moment = max(event.number for event in events if event.kind not in OF_ALL)
            by_codriver = post.by_id is None
            own.append(replace(said, anchor=f"p{post.number}", moment=moment, at=post.at, by_codriver=by_codriver))
        for event in events:
            if event.kind in OF_ALL:
                opened = _line([sentence(event.data, drivers)])
                for_all.append(replace(opened, anchor=f"e{event.number}", moment=event.number, at=post.at))
    logs = [TurnLog(drivers[seat.driver], own, posts[0].made_in.number, seat.entry)] if own else []
    return logs + [TurnLog("", [said]) for said in for_all]


def _line_of(post: Post, events: Sequence[Event], drivers: Mapping[str, str], telling: Hashable) -> Line | None:
    """Return a post's own line. `telling` identifies the run, the language and the names in the cache; None without
    caching.
    """
    if telling is None:
        return line([event.data for event in events], drivers)
    key = telling, post.number, post.at
    with _lock:
        if key in _cached:
            _cached.move_to_end(key)
            return _cached[key]
    found = line([event.data for event in events], drivers)
    with _lock:
        _cached[key] = found
        if len(_cached) > KEPT:
            _cached.popitem(last=False)
    return found


def record_turns(document: Mapping[str, Any], drivers: Mapping[str, str]) -> list[TurnLog]:
    """Return the log of a record, from the beginning to the end. Records have no numbers of turns."""
    found, own = list[TurnLog](), list[Line]()
    for post in document["turns"]:
        if said := line(post["events"], drivers):
            own.append(said)
        if any(event["kind"] == "end of turn" for event in post["events"]):
            found += [TurnLog(drivers[post["driver"]], own)] if own else []
            own = []
        shared = [_line([sentence(event, drivers)]) for event in post["events"] if event["kind"] in OF_ALL]
        found += [TurnLog("", [said]) for said in shared]
    return found + ([TurnLog(drivers[document["turns"][-1]["driver"]], own)] if own else [])


def line(events: Sequence[EventData], drivers: Mapping[str, str]) -> Line | None:
    """Return one post's events in sentences, None when none is about the driver. Of several moves only the last is
    included.
    """
    own = [event for event in events if event["kind"] not in OF_ALL]
    moves = [index for index, event in enumerate(own) if event["kind"] == "move"]
    on_the_way = {index for index in moves[:-1] if "^" not in own[index]["plan"]}
    said = [sentence(event, drivers) for index, event in enumerate(own) if index not in on_the_way]
    shown = [one for one in said if not one.passing]
    return _line(shown) if shown else None


def _line(said: Sequence[Sentence]) -> Line:
    kinds = {one.kind for one in said}
    return Line(
        kind=next(kind for kind in COLOURS if kind in kinds),
        text=" ".join(one.text for one in said),
        rules=tuple(dict.fromkeys(rule for one in said for rule in one.rules)),
    )

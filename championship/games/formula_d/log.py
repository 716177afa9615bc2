"""The log: the events of a run, turn by turn in sentences, with the numbers of their rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from championship.games.formula_d.event_sentences import COLOURS, OF_ALL, sentence
from championship.runs.models import Post, Seat
from championship.runs.run_pages import Line, Sentence, TurnLog
from championship.runs.watch.selectors import RunPage

EventData = Mapping[str, Any]

_WITHIN = ("lap", "slide", "marker", "phase")
"""Kinds of event that may occur between two steps of one movement."""


def turns(page: RunPage) -> list[TurnLog]:
    """Return the log of a page's posts, turn by turn, the newest turn first; the lines of a turn are in their order."""
    seats = {seat.pk: seat for seat in page.seats}
    drivers = {seat.driver: str(seat.entry) for seat in page.seats}
    found: list[TurnLog] = []
    for _turn, posts in groupby(reversed(page.posts), lambda post: post.turn_id):
        found += _turn_log(list(posts), seats, drivers)
    return found[::-1]


def _turn_log(posts: Sequence[Post], seats: Mapping[int, Seat], drivers: Mapping[str, str]) -> list[TurnLog]:
    """Return a turn's posts in order, and the events for everybody that came with them. Posts before the first turn
    belong to no driver.
    """
    own: list[Line] = []
    for_all: list[Line] = []
    for post in posts:
        events = list(post.events.all())
        if said := line([event.data for event in events], drivers):
            moment = max(event.number for event in events if event.kind not in OF_ALL)
            by_codriver = post.by_id is None and post.turn_id is not None
            own.append(replace(said, anchor=f"p{post.number}", moment=moment, at=post.at, by_codriver=by_codriver))
        for event in events:
            if event.kind in OF_ALL and (opened := _line([sentence(event.data, drivers)])):
                for_all.append(replace(opened, anchor=f"e{event.number}", moment=event.number, at=post.at))
    turn = posts[0].turn
    logs = []
    if own and turn is not None:
        seat = seats[turn.seat_id]
        logs = [TurnLog(drivers[seat.driver], own, turn.number, seat.entry)]
    elif own:
        logs = [TurnLog("", own)]
    return logs + [TurnLog("", [said]) for said in for_all]


def record_turns(document: Mapping[str, Any], drivers: Mapping[str, str]) -> list[TurnLog]:
    """Return the log of a record, from the beginning to the end. Records have no numbers of turns."""
    found: list[TurnLog] = []
    own: list[Line] = []
    for post in document["turns"]:
        if said := line(post["events"], drivers):
            own.append(said)
        if own and any(event["kind"] in ("done", "prepared", "left") for event in post["events"]):
            found.append(TurnLog(drivers.get(post["driver"], ""), own))
            own = []
        shared = [_line([sentence(event, drivers)]) for event in post["events"] if event["kind"] in OF_ALL]
        found += [TurnLog("", [one]) for one in shared if one]
    return found + ([TurnLog("", own)] if own else [])


def line(events: Sequence[EventData], drivers: Mapping[str, str]) -> Line | None:
    """Return one post's events in sentences, None when none is about the driver. Of a movement's steps only the last is
    included.
    """
    own = [event for event in events if event["kind"] not in OF_ALL]
    return _line([sentence(event, drivers) for event in _gathered(own)])


def _gathered(events: Sequence[EventData]) -> list[EventData]:
    """Return the events with the steps of each movement replaced by the last one, which has their number."""
    found: list[EventData] = []
    steps = 0
    for index, event in enumerate(events):
        if event["kind"] != "step":
            found.append(event)
            steps = steps if event["kind"] in _WITHIN else 0
            continue
        steps += 1
        following = next((one["kind"] for one in events[index + 1 :] if one["kind"] not in _WITHIN), "")
        if following != "step":
            found.append({**event, "steps": steps})
            steps = 0
    return found


def _line(said: Sequence[Sentence]) -> Line | None:
    shown = [one for one in said if not one.passing]
    if not shown:
        return None
    kinds = {one.kind for one in shown}
    return Line(
        kind=next(kind for kind in COLOURS if kind in kinds),
        text=" ".join(one.text for one in shown),
        rules=tuple(dict.fromkeys(rule for one in shown for rule in one.rules)),
    )

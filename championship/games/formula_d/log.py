"""The words of the log: the events of a post in sentences, with the numbers of their rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from championship.games.formula_d.event_sentences import COLOURS, OF_ALL, sentence
from championship.runs.pages.log import LogWords, joined
from championship.runs.run_pages import Line

EventData = Mapping[str, Any]

ENDS = ("done", "prepared", "left")
"""Kinds of event that end a turn in a record."""
_WITHIN = ("lap", "slide", "marker", "phase")
"""Kinds of event that may occur between two steps of one movement."""


def words(drivers: Mapping[str, str]) -> LogWords:
    """Return the words of a log in which the drivers have these names."""
    return LogWords(
        names=drivers,
        for_all=lambda event: event["kind"] in OF_ALL,
        line=lambda event, _who: joined([sentence(event, drivers)], COLOURS),
        together=partial(line, drivers=drivers),
    )


def line(events: Sequence[EventData], drivers: Mapping[str, str]) -> Line | None:
    """Return one post's events in sentences, None when none is about the driver. Of a movement's steps only the last is
    included.
    """
    own = [event for event in events if event["kind"] not in OF_ALL]
    return joined([sentence(event, drivers) for event in _gathered(own)], COLOURS)


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

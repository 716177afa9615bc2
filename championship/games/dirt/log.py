"""The words of the log: the events of a post in sentences, with the numbers of their rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from championship.games.dirt.event_sentences import COLOURS, sentence
from championship.runs.pages.log import LogWords, joined
from championship.runs.run_pages import Line

EventData = Mapping[str, Any]

OF_ALL = ("round", "over")
"""Kinds of event that concern everybody. They have their own lines, after the turn that caused them."""
ENDS = ("end of turn",)
"""Kinds of event that end a turn in a record."""


def words(drivers: Mapping[str, str]) -> LogWords:
    """Return the words of a log in which the drivers have these names."""
    return LogWords(
        names=drivers,
        for_all=lambda event: event["kind"] in OF_ALL,
        line=lambda event, _who: joined([sentence(event, drivers)], COLOURS),
        together=partial(line, drivers=drivers),
    )


def line(events: Sequence[EventData], drivers: Mapping[str, str]) -> Line | None:
    """Return one post's events in sentences, None when none is about the driver. Of several moves only the last is
    included.
    """
    own = [event for event in events if event["kind"] not in OF_ALL]
    moves = [index for index, event in enumerate(own) if event["kind"] == "move"]
    on_the_way = {index for index in moves[:-1] if "^" not in own[index]["plan"]}
    said = [sentence(event, drivers) for index, event in enumerate(own) if index not in on_the_way]
    return joined(said, COLOURS)

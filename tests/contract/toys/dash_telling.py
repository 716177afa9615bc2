"""What Dash tells of a stage: a pot that is lost. The part `TELLING` at its smallest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext_noop

from championship.runs.watch.story.beats import NEWS, Beat, ToldRun

tells: tuple[str, ...] = ()
phrases = {
    "lost": (
        gettext_noop("%(driver)s loses the pot in part %(section)s."),
        gettext_noop("In part %(section)s the pot of %(driver)s is gone."),
        gettext_noop("Part %(section)s: no points for %(driver)s."),
    )
}


def beats(run: ToldRun) -> Iterable[Beat]:
    """Return a beat for each 1 that is rolled, with the turn of the seat, counted from 1."""
    turns = dict.fromkeys(run.seats, 1)
    for one in run.happened:
        seat, kind = one.event.get("seat", ""), one.event["kind"]
        if kind == "rolled" and one.event["face"] == 1:
            yield Beat("lost", seat, one.number, NEWS, {"section": turns[seat]})
        if kind == "banked" or (kind == "rolled" and one.event["face"] == 1):
            turns[seat] += 1


def fact(course: Any, name: str, value: Any) -> str | None:
    """Return None: the section is shown as the beat gives it."""
    return None

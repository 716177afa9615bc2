"""What happened, in sentences: one entry of the log for each post, with the numbers of the rules behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.runs.games import Line
from championship.runs.games.dirt.wording import (
    card_words,
    dice_words,
    space_words,
    token_words,
    warnings_words,
)
from championship.runs.selectors import RunPage

Told = Mapping[str, Any]

RULES_BEHIND = {
    "roll": ("R1",),
    "roll all": ("R4",),
    "secure": ("R3",),
    "sisu": ("R7",),
    "relay": ("R6",),
    "spare": ("E4",),
    "finish": ("F1", "F2"),
    "retire": ("E7",),
}
COLOURS = ("finish", "retire", "crash", "spin", "sisu", "warning", "turn", "move")
"""Kinds of entry, the most telling first."""


def lines(page: RunPage) -> list[Line]:
    """The log of a page's posts, in their order."""
    drivers = {place.driver: str(place.entry) for place in page.places}
    names = {place.pk: drivers[place.driver] for place in page.places}
    told = (
        (post, line([event.data for event in post.events.all()], drivers, who=names[post.turn.place_id]))
        for post in page.posts
    )
    return [
        replace(said, number=post.number, at=post.at, by_codriver=post.by_id is None)
        for post, said in told
        if said is not None
    ]


def line(events: Sequence[Told], drivers: Mapping[str, str], *, who: str) -> Line | None:
    """One post's events in sentences, None when they say nothing. `drivers`: names by the engine's driver."""
    sentences, rules, kinds = [], [], set()
    for place, event in enumerate(events):
        last_move = event["kind"] == "move" and not any(later["kind"] == "move" for later in events[place + 1 :])
        if event["kind"] == "move" and not last_move:
            continue
        if words := _TOLD.get(event["kind"], _silent)(event, drivers):
            sentences.append(words)
        rules += [rule for rule in (*RULES_BEHIND.get(event["kind"], ()), event.get("rule")) if rule]
        kinds.add(_colour(event))
    if not sentences:
        return None
    return Line(
        who=who,
        kind=next(kind for kind in COLOURS if kind in kinds),
        text=" ".join(sentences),
        rules=tuple(dict.fromkeys(rules)),
    )


def _colour(event: Told) -> str:
    if event["kind"] == "card" and event["side"] == "back":
        return "crash" if event["back"].startswith("crash") else str(event["back"])
    if event["kind"] in ("roll", "roll all") and _warnings(event):
        return "warning"
    known = {"finish": "finish", "retire": "retire", "sisu": "sisu", "turn": "turn", "loss": "crash"}
    return known.get(event["kind"], "move")


def _warnings(event: Told) -> int:
    faces = event["faces"]
    return sum(faces) if event["kind"] == "roll" else sum(sum(together) for together in faces)


def _silent(event: Told, drivers: Mapping[str, str]) -> str:
    return ""


def _turn(event: Told, drivers: Mapping[str, str]) -> str:
    moves = len(event["plan"].split())
    if event["roll"] == "flat out":
        return ngettext("Flat out with %(n)d move.", "Flat out with %(n)d moves.", moves) % {"n": moves}
    return ngettext("Lays %(n)d move.", "Lays %(n)d moves.", moves) % {"n": moves}


def _wait(event: Told, drivers: Mapping[str, str]) -> str:
    return {
        "E6": _("Waits beside the track: another car stands where this one must be put back."),
        "M9": _("Blocked by the cars ahead."),
        "M10": _("There is no way on."),
    }[event["rule"]]


def _roll(event: Told, drivers: Mapping[str, str]) -> str:
    return _("Rolls %(dice)s: %(warnings)s.") % {
        "dice": dice_words(event["dice"]),
        "warnings": warnings_words(_warnings(event)),
    }


def _roll_all(event: Told, drivers: Mapping[str, str]) -> str:
    return _("All dice at once: %(warnings)s, %(seconds)d s won.") % {
        "warnings": warnings_words(_warnings(event)),
        "seconds": event["seconds"],
    }


def _secure(event: Told, drivers: Mapping[str, str]) -> str:
    return _("Secures %(dice)s for %(seconds)d s.") % {
        "dice": dice_words(event["dice"]),
        "seconds": event["seconds"],
    }


def _move(event: Told, drivers: Mapping[str, str]) -> str:
    return _("Drives to %(space)s in gear %(gear)d.") % {
        "space": space_words(event["space"]),
        "gear": event["gear"],
    }


def _loss(event: Told, drivers: Mapping[str, str]) -> str:
    return _("Loses control in gear %(gear)d!") % {"gear": event["gear"]}


def _round(event: Told, drivers: Mapping[str, str]) -> str:
    if event["leader"] is None:
        return _("Round %(round)d begins.") % {"round": event["round"]}
    return _("Round %(round)d: %(driver)s opens the road.") % {
        "round": event["round"],
        "driver": drivers[event["leader"]],
    }


_TOLD: dict[str, Callable[[Told, Mapping[str, str]], str]] = {
    "round": _round,
    "turn": _turn,
    "wait": _wait,
    "sisu": lambda event, drivers: _("Plays the SISU token: this turn's warnings are ignored."),
    "roll": _roll,
    "roll all": _roll_all,
    "secure": _secure,
    "move": _move,
    "relay": lambda event, drivers: _("Control is lost: the dice are laid again."),
    "loss": _loss,
    "card": lambda event, drivers: card_words(event),
    "token": lambda event, drivers: token_words(event["shows"]),
    "spare": lambda event, drivers: _("Takes the spare wheel: %(seconds)d s.") % {"seconds": event["seconds"]},
    "finish": lambda event, drivers: _("Over the finish line!"),
    "retire": lambda event, drivers: _("Retires from the stage."),
    "over": lambda event, drivers: _("The stage is over."),
}

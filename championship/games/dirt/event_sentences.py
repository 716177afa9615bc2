"""The engine's events as sentences, the words of the log, and the stage as it was after an event."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from championship.games.dirt import maps
from championship.games.dirt.cars import cars_on_map, cars_shown
from championship.games.dirt.marks import Step
from championship.games.dirt.words import (
    DieShown,
    card_words,
    dice_words,
    die_shown,
    space_words,
    token_words,
    warnings_words,
)
from championship.rallies.templatetags.times import stage_time
from championship.runs.pages.log import LogWords, joined
from championship.runs.run_pages import Line, ReplayFrame, Sentence
from championship.runs.watch.selectors import RunPage
from engine.dirt.game import game

EventData = Mapping[str, Any]
Drivers = Mapping[str, str]

TEMPLATE = "dirt/moment.html"

RULES_BEHIND = {
    "roll": ("R1",),
    "roll all": ("R4",),
    "secure": ("R3",),
    "sisu": ("R7",),
    "sisu ready": ("R7",),
    "sisu stays": ("R7",),
    "relay": ("R6",),
    "spare": ("E4",),
    "finish": ("F1", "F2"),
    "round": ("O1",),
}
OF_ALL = ("round", "over")
"""Kinds of event that concern everybody. They have their own lines, after the turn that caused them."""
ENDS = ("end of turn",)
"""Kinds of event that end a turn in a record."""
PASSING = ("phase", "sisu ready", "end of turn")
"""Kinds of event that only lead to the next one. The log leaves them out: it tells of a token once it is played, or
does not help."""
TROUBLE = {
    "M1": gettext_lazy("Too fast for the limit: control is lost in gear %(gear)d!"),
    "M3": gettext_lazy("A jump too far: control is lost in gear %(gear)d!"),
    "R2": gettext_lazy("One warning too many: control is lost in gear %(gear)d!"),
}
COLOURS = ("finish", "retire", "crash", "spin", "sisu", "warning", "turn", "move", "over", "round")
"""Kinds of sentence, the most important first."""


def sentence(event: EventData, drivers: Drivers) -> Sentence:
    """Return an event of any kind in words, with its rules. `drivers`: names by the engine's driver. A kind without
    words gives an empty text.
    """
    kind = event["kind"]
    text = SENTENCE_BY_KIND[kind](event, drivers) if kind in SENTENCE_BY_KIND else ""
    behind = (*RULES_BEHIND.get(kind, ()), *_rules_of(event))
    return Sentence(text, _colour(event), tuple(dict.fromkeys(behind)), passing=kind in PASSING or not text)


def most_telling(events: Sequence[EventData]) -> str:
    """Return the most important kind of sentence among these events."""
    kinds = {_colour(event) for event in events}
    return next(kind for kind in COLOURS if kind in kinds)


def round_of(state: Mapping[str, Any]) -> int:
    """Return the number of the round that a state is in (O1)."""
    number: int = state["round"]
    return number


def round_begun(event: EventData) -> int | None:
    """Return the number of the round that an event opens, None for any other event."""
    return event["round"] if event["kind"] == "round" else None


def warnings_of(event: EventData) -> int:
    """Return how many warnings a roll shows."""
    faces = event["faces"]
    return sum(faces) if event["kind"] == "roll" else sum(sum(together) for together in faces)


def _rules_of(event: EventData) -> list[str]:
    """Return the rules that the event names or that follow from it."""
    kind = event["kind"]
    found = [event["rule"]] if event.get("rule") else []
    if kind == "card" and event["side"] == "back":
        found += ["E2", "E3"]
    elif kind == "card" and event["gear"]:
        found.append("E1")
    elif kind == "move":
        found += ["M3"] if "^" in event["plan"] else []
        found += ["D8"] if event["plan"].startswith("x") else []
    elif kind == "token":
        found += {"mud": ["M5", "M2"], "ok": ["M5"]}.get(event["shows"], ["E5"])
    return found


def _colour(event: EventData) -> str:
    """Return the kind of sentence, one of COLOURS."""
    kind = event["kind"]
    if kind == "card" and event["side"] == "back":
        return "crash" if event["back"].startswith("crash") else str(event["back"])
    if kind in ("roll", "roll all") and warnings_of(event):
        return "warning"
    known = ("finish", "retire", "sisu", "turn", "round", "over")
    return "crash" if kind == "loss" else kind if kind in known else "move"


# Sentences -----------------------------------------------------------------------------------------


def _turn(event: EventData, drivers: Drivers) -> str:
    moves = len(event["plan"].split())
    if event["roll"] == "flat out":
        return ngettext("Flat out with %(n)d move.", "Flat out with %(n)d moves.", moves) % {"n": moves}
    return ngettext("Lays %(n)d move.", "Lays %(n)d moves.", moves) % {"n": moves}


def _wait(event: EventData, drivers: Drivers) -> str:
    return {
        "E6": _("Waits beside the track: another car stands where this one must be put back."),
        "M9": _("Blocked by the cars ahead."),
        "M10": _("There is no way on."),
    }[event["rule"]]


def _roll(event: EventData, drivers: Drivers) -> str:
    return _("Rolls %(dice)s: %(warnings)s.") % {
        "dice": dice_words(event["dice"]),
        "warnings": warnings_words(warnings_of(event)),
    }


def _roll_all(event: EventData, drivers: Drivers) -> str:
    return _("All dice at once: %(warnings)s, %(seconds)d s won.") % {
        "warnings": warnings_words(warnings_of(event)),
        "seconds": event["seconds"],
    }


def _secure(event: EventData, drivers: Drivers) -> str:
    return _("Secures %(dice)s for %(seconds)d s.") % {
        "dice": dice_words(event["dice"]),
        "seconds": event["seconds"],
    }


def _move(event: EventData, drivers: Drivers) -> str:
    words = {"space": space_words(event["space"]), "gear": event["gear"]}
    die, _colon, way = event["plan"].partition(":")
    bump, flies, _landing = way.partition("^")
    if flies:
        return _("Jumps from %(bump)s to %(space)s in gear %(gear)d.") % {"bump": space_words(bump), **words}
    if die == "x":
        return _("Drives to %(space)s in gear %(gear)d, the brake held over the red line.") % words
    return _("Drives to %(space)s in gear %(gear)d.") % words


def _phase(event: EventData, drivers: Drivers) -> str:
    """Return the sentence for a turn that waits for a decision."""
    if event["phase"] == "spare":
        return _("The spare wheel could be taken here.")
    if event["phase"] == "lost" and event["rule"] == "D7":
        return _("The flying start fails: only the SISU token helps.")
    if event["phase"] == "lost":
        return _("Control is as good as lost: only the SISU token helps.")
    return _("Control is lost: the dice must be laid again.")


def _relay(event: EventData, drivers: Drivers) -> str:
    moves = len(event["plan"].split())
    said = ngettext(
        "Control is lost: the dice are laid again, %(n)d move.",
        "Control is lost: the dice are laid again, %(n)d moves.",
        moves,
    )
    return said % {"n": moves}


def _loss(event: EventData, drivers: Drivers) -> str:
    said = TROUBLE.get(event["rule"], gettext_lazy("Loses control in gear %(gear)d!"))
    return str(said) % {"gear": event["gear"]}


def _token(event: EventData, drivers: Drivers) -> str:
    if event["shows"] == "mud":
        return _("Mud flies onto tile %(tile)d: its bends get slower for the others.") % {"tile": event["tile"]}
    return token_words(event["shows"])


def _spare(event: EventData, drivers: Drivers) -> str:
    words = {
        "coast": _("Takes the spare wheel: %(seconds)d s, one coast die is mended, the car waits beside the track."),
        "gear": _("Takes the spare wheel: %(seconds)d s, one gear die is mended, the car waits beside the track."),
    }
    said = words.get(event["repairs"], _("Takes the spare wheel: %(seconds)d s."))
    return said % {"seconds": event["seconds"]}


def _finish(event: EventData, drivers: Drivers) -> str:
    return _("Over the finish line! Stage time %(time)s.") % {"time": stage_time(event["seconds"])}


def _retire(event: EventData, drivers: Drivers) -> str:
    return {
        "E7": _("Retires from the stage: no gear die is left."),
        "M10": _("Retires from the stage: the car is stuck."),
        "E8": _("Gives up and retires from the stage."),
    }.get(event["rule"], _("Retires from the stage."))


def _round(event: EventData, drivers: Drivers) -> str:
    if event["leader"] is None:
        return _("Round %(round)d begins.") % {"round": event["round"]}
    return _("Round %(round)d: %(driver)s opens the road.") % {
        "round": event["round"],
        "driver": drivers[event["leader"]],
    }


SENTENCE_BY_KIND: Mapping[str, Callable[[EventData, Drivers], str]] = {
    "round": _round,
    "turn": _turn,
    "wait": _wait,
    "sisu": lambda event, drivers: _("Plays the SISU token: this turn's warnings are ignored."),
    "sisu ready": lambda event, drivers: _("Holds the SISU token ready: it is played only if it keeps control."),
    "sisu stays": lambda event, drivers: _("The SISU token would not keep control: it stays with the driver."),
    "roll": _roll,
    "roll all": _roll_all,
    "secure": _secure,
    "move": _move,
    "phase": _phase,
    "relay": _relay,
    "loss": _loss,
    "card": lambda event, drivers: card_words(event),
    "token": _token,
    "spare": _spare,
    "finish": _finish,
    "retire": _retire,
    "end of turn": lambda event, drivers: _("The turn is over."),
    "over": lambda event, drivers: _("The stage is over."),
}
"""The words for each kind of event of the engine."""


# The stage at an earlier moment ---------------------------------------------------------------------


def frame_at(
    page: RunPage, state: Mapping[str, Any], acting: str | None, turn: Sequence[EventData], *, overlay: bool
) -> ReplayFrame:
    """Return the cars and the dice on the table in an earlier state of the run, as everybody may know them."""
    rules = game()
    view = rules.view(dict(state), None)
    draw = (
        partial(maps.overlay_svg, swap=True) if overlay else partial(maps.map_svg, title=page.run.special_stage.title)
    )
    picture = draw(
        page.run.stage,
        cars=cars_on_map(page, view, acting or ""),
        path=_path(view),
        mud={int(tile): sum(thrown.values()) for tile, thrown in view["mud"].items()},
        ident="replay",
    )
    context = {
        "cars": cars_shown(page, view, rules.to_play(dict(state))),
        "dice": _dice(view, {event["move"] for event in turn if event["kind"] == "secure"}),
        "warnings": view["turn"]["warnings"] if view["turn"] else 0,
        "sisu": bool(view["turn"] and view["turn"]["sisu"]),
        "round": view["round"],
    }
    return ReplayFrame(picture, TEMPLATE, context)


def _path(view: Mapping[str, Any]) -> list[Step]:
    """Return the rest of the plan on the table, starting at the car's position."""
    half = view["turn"]
    if half is None:
        return []
    left = half["plan"].split()[half["made"] :]
    steps = [Step(space=view["drivers"][half["driver"]]["space"])] if left else []
    for move in left:
        die, _colon, way = move.partition(":")
        steps.append(Step(space=way.rpartition("^")[2], label=die.replace("c", "→").replace("x", "R")))
    return steps


def _dice(view: Mapping[str, Any], secured: Collection[int]) -> list[tuple[list[DieShown], bool]]:
    """Return the dice of the turn, move by move with the faces rolled so far, and whether each move is made. `secured`:
    the moves whose dice were paid for instead of rolled (R3).
    """
    half = view["turn"]
    if half is None:
        return []
    coast = "leader" if view["leader"] == half["driver"] and not _somebody_finished(view) else "coast"
    shown = []
    for number, move in enumerate(half["plan"].split()):
        die = move.partition(":")[0]
        gear = die.rstrip("b")
        names = [{"c": coast, "x": "brake"}.get(gear, gear), *["brake"] * die.count("b")]
        faces = half["faces"][number] if number < len(half["faces"]) else [None] * len(names)
        words = {None: "unrolled", True: "warning", False: "secured" if number + 1 in secured else "clear"}
        dice = [die_shown(name, words[face]) for name, face in zip(names, faces, strict=True)]
        shown.append((dice, number < half["made"]))
    return shown


def _somebody_finished(view: Mapping[str, Any]) -> bool:
    return any(driver["finished"] for driver in view["drivers"].values())


# The log ------------------------------------------------------------------------------------------


def log_words(drivers: Mapping[str, str]) -> LogWords:
    """Return the words of a log in which the drivers have these names."""
    return LogWords(
        names=drivers,
        for_all=lambda event: event["kind"] in OF_ALL,
        line=lambda event, _who: joined([sentence(event, drivers)], COLOURS),
        together=partial(log_line, drivers=drivers),
    )


def log_line(events: Sequence[EventData], drivers: Mapping[str, str]) -> Line | None:
    """Return one post's events in sentences, None when none is about the driver. Of several moves only the last is
    included.
    """
    own = [event for event in events if event["kind"] not in OF_ALL]
    moves = [index for index, event in enumerate(own) if event["kind"] == "move"]
    on_the_way = {index for index in moves[:-1] if "^" not in own[index]["plan"]}
    said = [sentence(event, drivers) for index, event in enumerate(own) if index not in on_the_way]
    return joined(said, COLOURS)

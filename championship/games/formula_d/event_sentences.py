"""The engine's events as sentences, with the numbers of their rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from championship.games.formula_d.words import (
    TYRES,
    WEATHER,
    area_words,
    out_words,
    space_words,
    spaces_words,
    wear_words,
)
from championship.runs.run_pages import Sentence

EventData = Mapping[str, Any]
Drivers = Mapping[str, str]

RULES_BEHIND = {
    "start": ("Y4",),
    "gear": ("G2",),
    "roll": ("G1",),
    "nitro": ("N1",),
    "bonus": ("T3",),
    "slip": ("S2",),
    "slide": ("W7",),
    "lap": ("F5",),
    "marker": ("D2", "D3"),
    "collision": ("K2", "K4"),
    "engine": ("E1", "E2"),
    "overshoot": ("C3",),
    "spin": ("C6",),
    "box": ("P2",),
    "repair": ("P6",),
    "tyres": ("T5",),
    "stop": ("C1",),
    "debris": ("D1",),
    "finish": ("R1", "R3"),
    "qualifying": ("Q1",),
    "qualified": ("Q6",),
    "prepared": ("T1",),
    "garage": ("T1",),
    "grid": ("Y3",),
    "round": ("O1",),
    "over": ("R2",),
}
WEAR_RULES = {
    "overshoot": ("C3",),
    "brake": ("B1",),
    "shift": ("G4",),
    "slipstream": ("S5",),
    "collision": ("K4",),
    "engine": ("E2",),
    "road": ("D3",),
}
WEATHER_RULES = {"qualifying": ("W2",), "race": ("W3",), "round": ("W4",)}
PIT_RULES = {"fast": ("P7",), "slow": ("P8",), "technical": ("P10",)}
RULES_BY_CASE = {"wear": ("why", WEAR_RULES), "weather": ("when", WEATHER_RULES), "pit": ("result", PIT_RULES)}
"""Kinds of event with several rules: the word that tells them apart, and the rules."""
OF_ALL = ("round", "over", "grid", "garage", "weather", "cleared")
"""Kinds of event that concern everybody. They have their own lines, after the turn that caused them."""
COLOURS = ("finish", "out", "spin", "overshoot", "hit", "pit", "slip", "turn", "move", "weather", "over", "round")
"""Kinds of sentence, the most important first."""
_COLOUR = {
    "finish": "finish",
    "out": "out",
    "spin": "spin",
    "overshoot": "overshoot",
    "box": "pit",
    "pit": "pit",
    "slip": "slip",
    "roll": "turn",
    "weather": "weather",
    "over": "over",
    "round": "round",
    "grid": "round",
    "garage": "round",
}


def sentence(event: EventData, drivers: Drivers) -> Sentence:
    """Return an event of any kind in words, with its rules. `drivers`: names by the engine's seat. A kind without words
    gives an empty text.
    """
    kind = event["kind"]
    text = SENTENCE_BY_KIND[kind](event, drivers) if kind in SENTENCE_BY_KIND else ""
    passing = kind in PASSING or not text or (kind == "stop" and not event["stops"])
    return Sentence(text, _colour(event), rules_of(event), passing=passing)


def rules_of(event: EventData) -> tuple[str, ...]:
    """Return the rules behind an event."""
    kind = event["kind"]
    if kind == "out":
        return tuple(dict.fromkeys((event["rule"], *(("X3",) if event["stays"] else ()))))
    if kind in RULES_BY_CASE:
        case, rules = RULES_BY_CASE[kind]
        return rules.get(event[case], ())
    if kind == "repair" and event["points"]:
        return ("P10",)
    return RULES_BEHIND.get(kind, ())


def most_telling(events: Sequence[EventData]) -> str:
    """Return the most important kind of sentence among these events."""
    kinds = {_colour(event) for event in events}
    return next((kind for kind in COLOURS if kind in kinds), "move")


def round_of(state: Mapping[str, Any]) -> int:
    """Return the number of the round that a state is in (O1)."""
    return int(state["round"])


def round_begun(event: EventData) -> int | None:
    """Return the number of the round that an event opens, None for any other event."""
    return int(event["round"]) if event["kind"] == "round" else None


def _colour(event: EventData) -> str:
    kind = event["kind"]
    if kind == "wear" and event["why"] in ("collision", "engine", "road"):
        return "hit"
    return _COLOUR.get(kind, "move")


# Sentences -----------------------------------------------------------------------------------------


def _who(event: EventData, drivers: Drivers) -> str:
    return drivers.get(event["seat"], event["seat"])


def _start(event: EventData, drivers: Drivers) -> str:
    said = {
        "stalled": _("Start roll %(die)d: the car stalls."),
        "great": _("Start roll %(die)d: a great start!"),
    }.get(event["result"], _("Start roll %(die)d: the car gets away."))
    return said % {"die": event["die"]}


def _roll(event: EventData, drivers: Drivers) -> str:
    values = {"gear": event["gear"], "spaces": spaces_words(event["spaces"])}
    if event["strain"]:
        return _("The die of gear %(gear)d shows %(spaces)s: the engines are under strain.") % values
    return _("The die of gear %(gear)d shows %(spaces)s.") % values


def _step(event: EventData, drivers: Drivers) -> str:
    """Return the sentence for a step, or for as many steps as `steps` says: the log tells only the last step of a
    movement.
    """
    if event.get("steps", 1) > 1:
        values = {"spaces": spaces_words(event["steps"]), "space": space_words(event["space"])}
        return _("Drives %(spaces)s to %(space)s.") % values
    return _("Drives to %(space)s.") % {"space": space_words(event["space"])}


def _wear(event: EventData, drivers: Drivers) -> str:
    values = {"driver": _who(event, drivers), "wear": wear_words({event["area"]: event["number"]})}
    said = {
        "overshoot": _("%(driver)s pays for overshooting: %(wear)s."),
        "brake": _("%(driver)s brakes: %(wear)s."),
        "shift": _("%(driver)s skips gears on the way down: %(wear)s."),
        "slipstream": _("%(driver)s goes into the corner in the slipstream: %(wear)s."),
        "collision": _("%(driver)s is hit: %(wear)s."),
        "engine": _("%(driver)s has overrevved: %(wear)s."),
        "road": _("%(driver)s skids on debris: %(wear)s."),
    }.get(event["why"], _("%(driver)s loses %(wear)s."))
    return said % values


def _collision(event: EventData, drivers: Drivers) -> str:
    return _("%(driver)s rolls %(die)d beside %(rival)s.") % {
        "driver": _who(event, drivers),
        "die": event["die"],
        "rival": drivers.get(event["rival"], event["rival"]),
    }


def _marker(event: EventData, drivers: Drivers) -> str:
    values = {"die": event["die"], "space": space_words(event["space"])}
    if event["lost"]:
        return _("Debris at %(space)s, a roll of %(die)d: the car skids.") % values
    return _("Debris at %(space)s, a roll of %(die)d: the car holds the road.") % values


def _overshoot(event: EventData, drivers: Drivers) -> str:
    spaces = ngettext(
        "Overshoots the corner by %(count)d space: %(price)d.",
        "Overshoots the corner by %(count)d spaces: %(price)d.",
        event["spaces"],
    )
    return spaces % {"count": event["spaces"], "price": event["price"]}


def _repair(event: EventData, drivers: Drivers) -> str:
    said = _("The box gives back %(number)d %(area)s.")
    return said % {"number": event["number"], "area": area_words(event["area"])}


def _pit(event: EventData, drivers: Drivers) -> str:
    if event["result"] == "technical":
        return _("A technical stop.")
    values = {"die": event["die"]}
    if event["result"] == "fast":
        spaces = spaces_words(event["spaces"])
        return _("Pit die %(die)d: a fast stop, out again by %(spaces)s.") % {**values, "spaces": spaces}
    return _("Pit die %(die)d: a slow stop.") % values


def _stop(event: EventData, drivers: Drivers) -> str:
    count = event["stops"]
    if not count:
        return _("No stop of a corner is made.")
    return ngettext("%(count)d stop made in this corner.", "%(count)d stops made in this corner.", count) % {
        "count": count
    }


def _phase(event: EventData, drivers: Drivers) -> str:
    return {
        "move": _("The path is chosen."),
        "slip": _("A slipstream is possible."),
        "pit": _("The stop is chosen."),
        "out": _("The way out of the box is open."),
        "done": _("The movement is over."),
    }.get(event["phase"], "")


def _out(event: EventData, drivers: Drivers) -> str:
    return _("%(driver)s is out of the race: %(why)s.") % {
        "driver": _who(event, drivers),
        "why": out_words(event["why"]),
    }


def _finish(event: EventData, drivers: Drivers) -> str:
    said = ngettext(
        "Over the line as number %(place)d: %(points)d point.",
        "Over the line as number %(place)d: %(points)d points.",
        event["points"],
    )
    return said % {"place": event["place"], "points": event["points"]}


def _weather(event: EventData, drivers: Drivers) -> str:
    values = {"die": event["die"], "weather": str(WEATHER[event["state"]])}
    if event["die"] is None:
        return _("The weather: %(weather)s.") % values
    return _("The weather, by a roll of %(die)d: %(weather)s.") % values


def _qualified(event: EventData, drivers: Drivers) -> str:
    if event["points"] is None:
        return _("The lap does not count: a corner was left without its stops.")
    return ngettext("A lap of %(count)d point.", "A lap of %(count)d points.", event["points"]) % {
        "count": event["points"]
    }


def _prepared(event: EventData, drivers: Drivers) -> str:
    said = [_("Goes out on %(tyres)s tyres.") % {"tyres": str(TYRES[event["tyres"]])}]
    if event["build"]:
        said.append(_("The car is built of %(wear)s.") % {"wear": wear_words(event["build"], sign="")})
    return " ".join(said)


def _garage(event: EventData, drivers: Drivers) -> str:
    if event["when"] == "qualifying":
        return _("The garage is open before qualifying: drivers choose tyres and cars.")
    return _("The garage is open before the race: drivers choose tyres and cars.")


def _grid(event: EventData, drivers: Drivers) -> str:
    order = ", ".join(drivers.get(seat, seat) for seat in event["order"])
    return _("The grid: %(order)s.") % {"order": order}


def _from_template(template: Any) -> Callable[[EventData, Drivers], str]:
    """Return a function that makes the sentence from a template, for events whose values need no conversion."""
    return lambda event, drivers: (
        str(template) % {name: value for name, value in event.items() if isinstance(value, int | str)}
    )


PASSING = ("turn", "gear", "phase", "done", "cleared", "left", "debris")
"""Kinds of event that only lead to the next one. The log leaves them out."""

SENTENCE_BY_KIND: Mapping[str, Callable[[EventData, Drivers], str]] = {
    "round": _from_template(gettext_lazy("Round %(round)d begins.")),
    "turn": _from_template(gettext_lazy("The turn begins.")),
    "start": _start,
    "gear": _from_template(gettext_lazy("Shifts into gear %(gear)d.")),
    "roll": _roll,
    "nitro": lambda event, drivers: _("Nitro: %(spaces)s more!") % {"spaces": spaces_words(event["number"])},
    "bonus": lambda event, drivers: _("Fresh soft tyres: %(spaces)s more.") % {"spaces": spaces_words(event["number"])},
    "slip": _from_template(
        gettext_lazy("Goes on in the slipstream, %(spaces)d spaces.")
    ),  # Translators: korytarz aerodynamiczny
    "slide": _from_template(gettext_lazy("The car slides in the wet.")),  # Translators: poślizg
    "step": _step,
    "lap": _from_template(gettext_lazy("Crosses the line.")),
    "marker": _marker,
    "collision": _collision,
    "engine": lambda event, drivers: (
        _("%(driver)s rolls %(die)d for the engine.") % {"driver": _who(event, drivers), "die": event["die"]}
    ),
    "wear": _wear,
    "overshoot": _overshoot,
    "spin": _from_template(gettext_lazy("The car spins, and goes on in gear 1.")),
    "box": _from_template(gettext_lazy("Stops in the box.")),
    "repair": _repair,
    "tyres": lambda event, drivers: _("New %(tyres)s tyres.") % {"tyres": str(TYRES[event["tyres"]])},
    "pit": _pit,
    "phase": _phase,
    "stop": _stop,
    "debris": lambda event, drivers: (
        _("Debris lies at %(space)s from now on.") % {"space": space_words(event["space"])}
    ),
    "out": _out,
    "cleared": lambda event, drivers: _("The car of %(driver)s is cleared away.") % {"driver": _who(event, drivers)},
    "finish": _finish,
    "done": _from_template(gettext_lazy("The turn is over.")),
    "weather": _weather,
    "qualifying": lambda event, drivers: _("%(driver)s goes out to qualify.") % {"driver": _who(event, drivers)},
    "qualified": _qualified,
    "left": _from_template(gettext_lazy("Leaves the garage.")),
    "prepared": _prepared,
    "garage": _garage,
    "grid": _grid,
    "over": _from_template(gettext_lazy("The race is over.")),
}
"""The words for each kind of event of the engine."""

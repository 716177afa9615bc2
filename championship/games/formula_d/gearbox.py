"""The gear lever before the roll: the exact chances of each gear's die, and its costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from championship.games.formula_d.drawing import Chance
from championship.games.formula_d.words import (
    means_words,
    percent,
    share,
    space_words,
    turns_words,
    wear_words,
)
from engine.formula_d.facts import facts
from engine.formula_d.race import track_of
from engine.formula_d.track import BOX

Data = Mapping[str, Any]

MOST_ENDS = 6
"""The number of the likeliest ends that are listed in words. The map shows all."""


@dataclass(frozen=True, slots=True)
class ChanceShown:
    """A chance on a page: its name, its words, its width in per cent; `bad` for an unwanted outcome."""

    name: str
    text: str
    width: int
    bad: bool = False


@dataclass(frozen=True, slots=True)
class GearShown:
    """A gear of the lever. `die` is the range of its die, `short` the most important chances for small screens, `odds`
    all of them; `chosen`: the selected gear, `best`: the one that takes the fewest turns. Where a page asks for the
    best gear, none is `best`, and `turns` is "".
    """

    gear: int
    die: str
    price: str
    wear: str
    turns: str
    short: list[ChanceShown]
    odds: list[ChanceShown]
    ends: list[tuple[str, str]]
    best: bool
    chosen: bool
    data: Data
    places: str = ""

    @property
    def stakes(self) -> str:
        """What the roll risks and what it can bring, in a few words."""
        ends = _("finish")
        counts = [f"{odd.text} {odd.name}" for odd in self.odds if odd.bad or odd.name == ends]
        return " · ".join(part for part in (*counts, self.wear, self.places) if part) or _("no risk")


def lever(
    data: Sequence[Data],
    asked: str,
    places: Callable[[Data], str] = lambda _data: "",
    *,
    keeps: int | None = None,
) -> list[GearShown]:
    """Return the gears that may be chosen, the lowest first. `data`: the engine's odds of each gear, the best first;
    `asked`: the gear that is selected in the URL; `places`: the places that a gear wins, in words. `keeps`: the gear of
    the car where the page asks for the best one; it is selected at first, or the one nearest to it.
    """
    if not data:
        return []
    best = data[0]["gear"] if keeps is None else None
    gears = {str(one["gear"]) for one in data}
    near = data[0]["gear"] if keeps is None else keeps
    first = min(map(int, gears), key=lambda gear: (abs(gear - near), gear))
    looked_at = int(asked) if asked in gears else first
    return [_gear(one, best, looked_at, places(one)) for one in sorted(data, key=lambda one: int(one["gear"]))]


def chances(gear: GearShown) -> list[Chance]:
    """Return where the turn may end in this gear at best play, for the map."""
    return [
        Chance(space=end["to"], share=share(end["chance"]), label=percent(end["chance"])) for end in gear.data["ends"]
    ]


def next_best(data: Sequence[Data], gears: Sequence[GearShown]) -> GearShown | None:
    """Return the best gear besides the chosen one; None when there is no other."""
    by_gear = {shown.gear: shown for shown in gears}
    return next((by_gear[one["gear"]] for one in data if not by_gear[one["gear"]].chosen), None)


def _gear(data: Data, best: int | None, looked_at: int, places: str) -> GearShown:
    faces = facts().gears[data["gear"]]
    odds = [
        ChanceShown(name, percent(data[key]), round(100 * share(data[key])), bad)
        for key, name, bad in (
            ("stop", _("make a stop"), False),
            ("overshoot", _("overshoot"), True),
            ("spin", _("spin"), True),
            ("out", _("go out"), True),
            ("pits", _("come into the pits"), False),
            ("finish", _("finish"), False),
            ("engine_dice", _("strain the engines"), True),
        )
        if data[key][0]
    ]
    return GearShown(
        gear=data["gear"],
        die=f"{faces[0]}–{faces[-1]}",
        price=wear_words(data["price"]),
        wear=means_words(data["wear"]),
        turns="" if best is None else turns_words(data["hundredths"]),
        short=[*[one for one in odds if not one.bad][:1], *[one for one in odds if one.bad][:2]],
        odds=odds,
        ends=[(space_words(end["to"]), percent(end["chance"])) for end in data["ends"][:MOST_ENDS]],
        best=data["gear"] == best,
        chosen=data["gear"] == looked_at,
        data=data,
        places=places,
    )


def start_words(start: Data) -> str:
    """Return the chances of the start roll (Y4), "" when it is not due."""
    if not start:
        return ""
    said = _("First the start roll: %(stalled)s to stall, %(great)s for a great start.")
    return said % {"stalled": percent(start["stalled"]), "great": percent(start["great"])}


def only_words(state: Data, seat: str) -> tuple[str, tuple[str, ...]]:
    """Return why the choice of gears is restricted, and the rule; nothing when it is not."""
    car = state["cars"][seat]
    if car["spun"]:
        return _("The car has spun: it goes on in gear 1."), ("C7",)
    if not car["gear"]:
        return _("The car starts in gear 1."), ("G2",)
    track = track_of(dict(state))
    if car["space"] and track.kind[track.index[car["space"]]] == BOX:
        return _("Out of the box: gear 1 to %(gear)d.") % {"gear": facts().pit_gear}, ("P8",)
    return "", ()

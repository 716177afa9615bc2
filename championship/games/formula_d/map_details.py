"""A space of the circuit in words: its kind, the cars on it, the spaces that follow it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.games.formula_d.drawing import outline_of
from championship.games.formula_d.words import space_words
from championship.runs.run_pages import PlaceShown
from championship.runs.watch.selectors import RunPage
from engine.formula_d.race import track_of
from engine.formula_d.track import BOX, CORNER, PIT, Track


@dataclass(frozen=True, slots=True)
class SpaceLink:
    """A linked space: its name in URLs, and its words."""

    name: str
    words: str


def place_shown(page: RunPage, name: str) -> PlaceShown | None:
    """Return the details of a space by its name; None when the track has no such space."""
    state = page.run.state
    track = track_of(state)
    if name not in track.index:
        return None
    at = track.index[name]
    standing = [seat for seat in page.seats if state["cars"][seat.name]["space"] == name]
    return PlaceShown(
        template="formula_d/place.html",
        title=space_words(name),
        outline=outline_of(page.run.stage, name),
        context={
            "facts": _facts(track, at, debris=name in state["markers"]),
            "terms": list(_terms(track, at, debris=name in state["markers"])),
            "standing": standing,
            "onward": [SpaceLink(track.spaces[to], space_words(track.spaces[to])) for to in track.nexts[at]],
        },
    )


def _terms(track: Track, at: int, *, debris: bool) -> Iterator[str]:
    """Yield the terms of the rulebook for a space."""
    if debris:
        yield "debris"
    yield {CORNER: "corner-badge", PIT: "pits", BOX: "box"}.get(track.kind[at], "straight")
    if track.kind[at] == CORNER:
        yield "overshoot"


def _facts(track: Track, at: int, *, debris: bool) -> list[str]:
    said = []
    if track.kind[at] == CORNER:
        stops = ngettext(
            "A corner that asks for %(count)d stop.", "A corner that asks for %(count)d stops.", track.stops[at]
        )
        said.append(stops % {"count": track.stops[at]})
    elif track.kind[at] == PIT:
        said.append(_("The pit lane: the way is forced."))
    elif track.kind[at] == BOX:
        said.append(_("A box: only its own car stops here."))
    else:
        said.append(_("A straight: cars take the way with the fewest spaces."))
    if track.finish[at]:
        said.append(_("The finish line lies before this space."))
    if at in track.grid:
        said.append(_("Place %(number)d of the starting grid.") % {"number": track.grid.index(at) + 1})
    if debris:
        said.append(_("Debris: every car that drives over it rolls a die."))
    return said

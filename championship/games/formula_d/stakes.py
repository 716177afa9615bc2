"""What a turn is about before it is driven: the corner ahead, and the places to be won."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from engine.contract import State
from engine.formula_d.race import RACE, RACING, position, track_of
from engine.formula_d.track import Track

Data = Mapping[str, Any]

IN_VIEW = 14
"""How far behind the end of a roll a corner may begin and still be shown, in units of the progress round the lap. A
space is about two of them.
"""


def corner_ahead(state: State, seat: str, reach: Iterable[str]) -> list[str]:
    """Return the spaces of corners in which a roll may end, and of the next corner where a roll ends just before it."""
    track, car = track_of(state), state["cars"][seat]
    if car["space"] is None or track.in_the_pits(track.index[car["space"]]):
        return []
    own = track.index[car["space"]]
    here, lap = track.along[own], max(track.along) + 1
    ends = [track.index[name] for name in reach if _on_the_road(track, name)]
    far = max(((track.along[at] - here) % lap for at in ends), default=0) + IN_VIEW
    spaces: dict[int, list[int]] = {}
    for at, corner in enumerate(track.corner):
        if corner and not track.in_the_pits(at):
            spaces.setdefault(corner, []).append(at)
    begins = {
        corner: min((track.along[at] - here) % lap for at in found)
        for corner, found in spaces.items()
        if corner != track.corner[own]
    }
    following = min(begins, key=lambda corner: begins[corner], default=0)
    near = {track.corner[at] for at in ends if track.corner[at]}
    if following and begins[following] <= far:
        near.add(following)
    return [track.spaces[at] for corner in sorted(near) for at in spaces[corner]]


def places_won(state: State, seat: str, to: str) -> int:
    """Return how many cars that are ahead now are behind when this car ends its movement on a space."""
    if state["stage"] != RACE or state["cars"][seat]["space"] is None:
        return 0
    track, car = track_of(state), state["cars"][seat]
    if not _on_the_road(track, to) or track.in_the_pits(track.index[car["space"]]):
        return 0
    now = position(state, car)
    then = [now[0] + (track.along[track.index[to]] < now[1]), track.along[track.index[to]]]
    rivals = (position(state, other) for name, other in state["cars"].items() if name != seat and _drives(other))
    return sum(now < rival < then for rival in rivals)


def places_expected(state: State, seat: str, ends: Sequence[Data]) -> Fraction:
    """Return the places that a roll wins in the mean, at best play."""
    return sum((Fraction(*end["chance"]) * places_won(state, seat, end["to"]) for end in ends), Fraction(0))


def places_words(places: Fraction | int) -> str:
    """Return places to be won in words, "" for none."""
    if isinstance(places, int) or places.denominator == 1:
        return (
            ngettext("%(number)d place won", "%(number)d places won", int(places)) % {"number": places}
            if places
            else ""
        )
    won = number_format(round(float(places), 1), decimal_pos=1)
    return _("%(places)s places won in the mean") % {"places": won} if places >= Fraction(1, 20) else ""


def _drives(car: Data) -> bool:
    return bool(car["status"] == RACING and car["space"] is not None)


def _on_the_road(track: Track, name: str) -> bool:
    return not track.in_the_pits(track.index[name])

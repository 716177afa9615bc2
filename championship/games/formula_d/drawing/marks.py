"""What a circuit can show besides its road: cars, a path, spaces to choose from, debris, weather."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Car:
    """A car on its space. `colour` 0 to 9 as on the plates; `number` its start number; `label` the text for screen
    readers. `mine` and `plays` highlight it; `out`: it has broken down and blocks its space (X3); with `href` it is a
    link.
    """

    space: str
    colour: int
    number: str
    label: str = ""
    mine: bool = False
    plays: bool = False
    out: bool = False
    href: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """A space that may be chosen: a link, so it works by keyboard and without script. `label` is its accessible name
    (the space, the price, the dice to be rolled).

    `chip` is the short text on the map (a price, a gear); `dear` marks a path that costs wear, `best` the proposed one,
    `next` a single step of a path that is laid by hand. `attributes` are added to the link by name (such as hx-get).
    """

    space: str
    href: str
    label: str
    chip: str = ""
    dear: bool = False
    best: bool = False
    next: bool = False
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Chance:
    """The chance that a turn ends on a space: `share` 0 to 1, drawn as a glow of that strength; `label` in per cent,
    shown unless the chance is tiny.
    """

    space: str
    share: float
    label: str = ""
    dear: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that is on a circuit at one moment. Spaces that the track does not have are left out.

    `path` are the spaces of a path in driving order, the car's own space first; `driven` the same of the path driven
    last. `reach` are the spaces on which a roll may end, `corner` those of the corner ahead. `debris` are spaces with
    damage markers (D1), `slipstream` those from which a slipstream is possible (S1), `looked_at` the space that the
    reader has selected. `wet`: the track is wet (W1).
    """

    cars: Sequence[Car] = ()
    path: Sequence[str] = ()
    driven: Sequence[str] = ()
    targets: Sequence[Target] = ()
    chances: Sequence[Chance] = ()
    reach: Sequence[str] = ()
    corner: Sequence[str] = ()
    debris: Sequence[str] = ()
    slipstream: Sequence[str] = ()
    looked_at: str = ""
    wet: bool = False

"""What moves on the map: cars, the plan that is being laid, spaces to choose from, mud, the tile in question.

    drawing and the values of games/__init__.py  →  one nested SVG element that a page can swap alone

Every text that comes from people is escaped here; everything else is numbers and class names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import cos, pi, sin

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from championship.stages.games import Car, Step, Target
from championship.stages.games.dirt import ink
from championship.stages.games.dirt.drawing import GRID, Drawing
from championship.stages.games.dirt.shapes import HALF, Pose
from championship.stages.games.dirt.spaces import SIDE
from championship.stages.games.dirt.svg import viewbox

COLOURS = 8
CAR_LENGTH = 0.3
CHIP = 0.155
CROWDED = 0.74


def overlay(
    drawing: Drawing,
    *,
    cars: Sequence[Car],
    path: Sequence[Step],
    targets: Sequence[Target],
    mud: Mapping[int, int],
    highlight: int | None,
    ident: str,
    swap: bool,
) -> SafeString:
    """The overlay as an element of its own. Spaces that the stage does not have are left out."""
    x, y, width, height = viewbox(drawing)
    ident = escape(ident)
    parts = (
        _highlight(drawing, highlight),
        _mud(drawing, mud, ident),
        _grounds(drawing, targets),
        _cars(drawing, cars, ident),
        _path(drawing, path),
        _targets(drawing, targets),
    )
    oob = ' hx-swap-oob="true"' if swap else ""
    return mark_safe(  # noqa: S308 - built from numbers and escaped text
        f'<svg id="{ident}-overlay" class="overlay" x="{x}" y="{y}" width="{width}" height="{height}" '
        f'viewBox="{x} {y} {width} {height}"{oob}>{"".join(parts)}</svg>'
    )


def _place(pose: Pose) -> str:
    x, y = (ink.number(value) for value in ink.at(pose))
    return f"{x} {y}"


def _highlight(drawing: Drawing, number: int | None) -> str:
    if number is None or not 0 < number <= len(drawing.tiles):
        return ""
    return f'<path class="chosen" d="{ink.polygon(drawing.tiles[number - 1].corners())}"/>'


def _mud(drawing: Drawing, mud: Mapping[int, int], ident: str) -> str:
    """A splash at the bend of each muddy tile, with what it takes from their limits (M2)."""
    found = []
    for number, count in sorted(mud.items()):
        if not count or not 0 < number <= len(drawing.tiles):
            continue
        tile = drawing.tiles[number - 1]
        bend = next((s for s in tile.stretches if s.section.kind == "bend"), tile.stretches[0])
        outside = -SIDE.get(bend.section.inside or "left", -1) * HALF
        where = _place(tile.way.at((bend.first + bend.last) / 2, outside))
        found.append(
            f'<g class="splash" transform="translate({where})"><use href="#{ident}-mud"/>'
            f'<text dy="3.4">−{int(count)}</text></g>'
        )
    return "".join(found)


def _cars(drawing: Drawing, cars: Sequence[Car], ident: str) -> str:
    waiting = [car for car in cars if car.space == GRID]
    places = _grid(drawing, len(waiting))
    found = [_car(car, pose, scale, ident) for car, (pose, scale) in zip(waiting, places, strict=True)]
    off: dict[str, int] = {}
    for car in cars:
        space = drawing.spaces.get(car.space)
        if space is None:
            continue
        pose = space.car
        if not car.on_track:
            pose = space.ditch.ahead(0.2 * off.get(car.space, 0))
            off[car.space] = off.get(car.space, 0) + 1
        found.append(_car(car, pose, 1.0, ident))
    return f'<g class="cars">{"".join(found)}</g>' if found else ""


def _grid(drawing: Drawing, count: int) -> Iterable[tuple[Pose, float]]:
    """Places behind the start line, first starter in front: two abreast when few, else three, a little smaller."""
    way, first, line = drawing.grid()
    abreast = 2 if count <= 2 else 3
    scale = 1.0 if count <= 2 else CROWDED
    lane = 0.21 if count <= 2 else 0.148
    for place in range(count):
        row, column = divmod(place, abreast)
        along = line - 0.17 - 0.22 * row
        pose = way.at(max(along, first), (column - (abreast - 1) / 2) * lane)
        yield pose.ahead(min(along - first, 0.0)), scale


def _car(car: Car, pose: Pose, scale: float, ident: str) -> str:
    """A car with its number upright; in the ditch it lies askew."""
    classes = "car" + ("" if car.on_track else " ditched") + (" mine" if car.mine else "")
    turn = pose.heading
    size = f"scale({scale})" if scale != 1.0 else ""
    back = -0.018 * scale
    x, y = ink.number(back * cos(turn) * ink.SCALE), ink.number(back * sin(turn) * ink.SCALE)
    label = escape(car.label or car.number)
    return (
        f'<g class="{classes}" data-colour="{car.colour % COLOURS}" role="img" aria-label="{label}" '
        f'transform="translate({_place(pose)})"><title>{label}</title>'
        f'<use href="#{ident}-car" transform="rotate({ink.angle(turn)}){size}"/>'
        f'<text x="{x}" y="{y}" dy="{ink.number(2.9 * scale)}" class="{_size(car.number, scale)}">'
        f"{escape(car.number)}</text></g>"
    )


def _size(number: str, scale: float) -> str:
    """The class that lets a number fit on its plate."""
    return "long" if len(number) > 2 or scale < 1 else "short"


def _path(drawing: Drawing, path: Sequence[Step]) -> str:
    """The laid plan: a line through its spaces, a die on each."""
    stops = [(step, _stop(drawing, step.space)) for step in path]
    known = [(step, pose) for step, pose in stops if pose is not None]
    if not known:
        return ""
    line = ""
    if len(known) > 1:
        pen = ink.Pen()
        pen.move(*ink.at(known[0][1]))
        for _step, pose in known[1:]:
            pen.line(*ink.at(pose))
        line = f'<path class="plan casing" d="{pen.path()}"/><path class="plan" d="{pen.path()}"/>'
    dice = "".join(
        f'<g class="die{" loses" if step.loses_control else ""}" transform="translate({_place(pose)})">'
        f"{_tag(step.label)}</g>"
        for step, pose in known
        if step.label
    )
    return f'<g class="laid" aria-hidden="true">{line}{dice}</g>'


def _tag(text: str) -> str:
    """A die or a chip: as wide as its text needs."""
    half = max(7.0, 3.0 * len(text) + 2.5)
    return (
        f'<rect x="{ink.number(-half)}" y="-7" width="{ink.number(2 * half)}" height="14" rx="3"/>'
        f'<text dy="3.6">{escape(text)}</text>'
    )


def _stop(drawing: Drawing, name: str) -> Pose | None:
    if name == GRID:
        way, _first, line = drawing.grid()
        return way.at(max(line - 0.1, 0.0))
    space = drawing.spaces.get(name)
    return space.middle if space else None


def _grounds(drawing: Drawing, targets: Sequence[Target]) -> str:
    """The spaces that may be chosen, lit up below the cars."""
    names = dict.fromkeys(target.space for target in targets if target.space in drawing.spaces)
    d = "".join(ink.polygon(drawing.spaces[name].outline) for name in names)
    return f'<path class="open" d="{d}"/>' if d else ""


def _targets(drawing: Drawing, targets: Sequence[Target]) -> str:
    """Each choice as a link. Several on one space stand in a line; the space itself belongs to the first of them."""
    by_space: dict[str, list[Target]] = {}
    for target in targets:
        if target.space in drawing.spaces:
            by_space.setdefault(target.space, []).append(target)
    found = []
    for name, here in by_space.items():
        space = drawing.spaces[name]
        for place, target in enumerate(here):
            shift = (place - (len(here) - 1) / 2) * CHIP
            # Dice on one space stand upright beside each other, whichever way the road runs.
            flat = Pose(space.middle.x, space.middle.y, 0.0 if abs(cos(space.middle.heading)) > cos(pi / 4) else pi / 2)
            found.append(_target(target, flat.ahead(shift), space.outline if not place else ()))
    return f'<g class="targets">{"".join(found)}</g>' if found else ""


def _target(target: Target, pose: Pose, outline: Sequence[tuple[float, float]]) -> str:
    label = escape(target.label)
    more = "".join(f' {escape(name)}="{escape(value)}"' for name, value in target.attributes.items())
    area = f'<path class="area" d="{ink.polygon(outline)}"/>' if outline else ""
    chip = ""
    if target.chip or not outline:
        chip = f'<g class="chip" aria-hidden="true" transform="translate({_place(pose)})">{_tag(target.chip)}</g>'
    classes = "target loses" if target.loses_control else "target"
    return (
        f'<a href="{escape(target.href)}" class="{classes}" aria-label="{label}"{more}>'
        f"<title>{label}</title>{area}{chip}</a>"
    )

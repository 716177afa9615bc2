"""The moving things on the map: cars, the plan, spaces to choose from, mud, the highlighted tile.

    drawing and the values of marks.py  →  one nested SVG element that a page can replace on its own

Every text from people is escaped here. Everything else is numbers and class names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import cos, hypot, pi, sin

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from championship.games.dirt.drawing import map_labels, paths
from championship.games.dirt.drawing.centre_lines import HALF, Pose
from championship.games.dirt.drawing.layout import GRID, Drawing
from championship.games.dirt.drawing.map_drawing import viewbox
from championship.games.dirt.drawing.map_labels import Chip
from championship.games.dirt.drawing.spaces import SIDE, Space
from championship.games.dirt.marks import Car, Step, Target
from championship.rallies.models import COLOURS

CHIP = 0.155
CROWDED = 0.74
FINGER = 11
"""The radius of the place to tap around a laid die, in drawing units."""
MUD_BEFORE, MUD_BESIDE = 0.06, 0.06
OFF_THE_CAR = 0.17
SKID = '<path class="skid" d="M-17-4.5q-8 1-13 6M-17 4.5q-9 0-14 4"/>'


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
    """Return the overlay as a separate element. Spaces that the stage does not have are left out."""
    x, y, width, height = viewbox(drawing)
    ident = escape(ident)
    parts = (
        _highlight(drawing, highlight),
        _mud(drawing, mud, ident),
        _grounds(drawing, targets, ident),
        _cars(drawing, cars, ident),
        _path(drawing, path),
        _targets(drawing, targets),
    )
    oob = ' hx-swap-oob="true"' if swap else ""
    return mark_safe(  # noqa: S308 - built from numbers and escaped text
        f'<svg id="{ident}-overlay" class="overlay" x="{x}" y="{y}" width="{width}" height="{height}" '
        f'viewBox="{x} {y} {width} {height}"{oob}>{"".join(parts)}</svg>'
    )


def _coordinates(pose: Pose) -> str:
    x, y = (paths.number(value) for value in paths.at(pose))
    return f"{x} {y}"


def _highlight(drawing: Drawing, number: int | None) -> str:
    if number is None or not 0 < number <= len(drawing.tiles):
        return ""
    return f'<path class="chosen" d="{paths.polygon(drawing.tiles[number - 1].corners())}"/>'


def _mud(drawing: Drawing, mud: Mapping[int, int], ident: str) -> str:
    """Return a splash where the bend of each muddy tile begins, with the amount by which it lowers the limits (M2)."""
    found = []
    for number, count in sorted(mud.items()):
        if not count or not 0 < number <= len(drawing.tiles):
            continue
        tile = drawing.tiles[number - 1]
        bend = next((s for s in tile.stretches if s.section.kind == "bend"), tile.stretches[0])
        outside = -SIDE.get(bend.section.inside or "left", -1) * (HALF + MUD_BESIDE)
        where = _coordinates(tile.centre_line.at(max(0.0, bend.first - MUD_BEFORE), outside))
        found.append(
            f'<g class="splash" transform="translate({where})"><use href="#{ident}-mud"/>'
            f'<text dy="3.4">−{int(count)}</text></g>'
        )
    return "".join(found)


def _cars(drawing: Drawing, cars: Sequence[Car], ident: str) -> str:
    found = [_car(car, pose, scale, ident) for car, pose, scale in car_poses(drawing, cars)]
    return f'<g class="cars">{"".join(found)}</g>' if found else ""


def car_poses(drawing: Drawing, cars: Sequence[Car]) -> Iterator[tuple[Car, Pose, float]]:
    """Yield each car that has a place on the map, with its pose and its scale: those behind the start line first."""
    waiting = [car for car in cars if car.space == GRID]
    for car, (pose, scale) in zip(waiting, _grid(drawing, len(waiting)), strict=True):
        yield car, pose, scale
    off: dict[str, int] = {}
    for car in cars:
        space = drawing.spaces.get(car.space)
        if space is None:
            continue
        pose = space.car
        if not car.on_track:
            pose = space.ditch.ahead(0.2 * off.get(car.space, 0))
            off[car.space] = off.get(car.space, 0) + 1
        yield car, pose, 1.0


def _grid(drawing: Drawing, count: int) -> Iterable[tuple[Pose, float]]:
    """Yield places behind the start line, the first starter in front: two abreast when there are few cars, else three,
    a little smaller.
    """
    centre_line, first, line = drawing.grid()
    abreast = 2 if count <= 2 else 3
    scale = 1.0 if count <= 2 else CROWDED
    lane = 0.21 if count <= 2 else 0.148
    for place in range(count):
        row, column = divmod(place, abreast)
        along = line - 0.17 - 0.22 * row
        pose = centre_line.at(max(along, first), (column - (abreast - 1) / 2) * lane)
        yield pose.ahead(min(along - first, 0.0)), scale


def _car(car: Car, pose: Pose, scale: float, ident: str) -> str:
    """Return a car with its number upright and its driver's pattern on the body. In the ditch it is rotated, with skid
    marks behind it.
    """
    states = (("ditched", not car.on_track), ("mine", car.mine), ("plays", car.plays))
    classes = " ".join(["car", *(name for name, holds in states if holds)])
    turn = pose.heading
    size = f"scale({scale})" if scale != 1.0 else ""
    colour = car.colour % COLOURS
    parts = [f"{ident}-chassis", *([f"{ident}-livery{colour}"] if colour else []), f"{ident}-cabin"]
    body = "".join(f'<use href="#{part}"/>' for part in parts)
    if not car.on_track:
        body = SKID + body
    back = -0.018 * scale
    x, y = paths.number(back * cos(turn) * paths.SCALE), paths.number(back * sin(turn) * paths.SCALE)
    label = escape(car.label or car.number)
    halo = '<circle class="halo" r="19"/>' if car.mine or car.plays else ""
    drawn = (
        f"<title>{label}</title>{halo}"
        f'<g transform="rotate({paths.angle(turn)}){size}">{body}</g>'
        f'<text x="{x}" y="{y}" dy="{paths.number(2.9 * scale)}" class="{_size(car.number, scale)}">'
        f"{escape(car.number)}</text>"
    )
    where = f'class="{classes}" data-colour="{colour}" aria-label="{label}" transform="translate({_coordinates(pose)})"'
    if car.href:
        return f'<a href="{escape(car.href)}" {where}>{drawn}</a>'
    return f'<g role="img" {where}>{drawn}</g>'


def _size(number: str, scale: float) -> str:
    """Return the class that makes a number fit on its plate."""
    return "long" if len(number) > 2 or scale < 1 else "short"


def _path(drawing: Drawing, path: Sequence[Step]) -> str:
    """Return the plan: a line through its spaces, and a die on each."""
    stops = [(step, _stop(drawing, step.space)) for step in path]
    known = [(step, pose) for step, pose in stops if pose is not None]
    if not known:
        return ""
    line = ""
    if len(known) > 1:
        pen = paths.Pen()
        pen.move(*paths.at(_towards(known[0][1], known[1][1])))
        for _step, pose in known[1:]:
            pen.line(*paths.at(pose))
        line = f'<path class="plan casing" d="{pen.path()}"/><path class="plan" d="{pen.path()}"/>'
    dice = "".join(_laid_die(step, pose) for step, pose in known if step.label)
    return f'<g class="laid" aria-hidden="true">{line}{dice}</g>'


def _laid_die(step: Step, pose: Pose) -> str:
    """Return a die of the plan. The link is for a finger: the panel has the same one for keys and screen readers."""
    where = f'class="die step{" loses" if step.loses_control else ""}" transform="translate({_coordinates(pose)})"'
    die = map_labels.tag(step.label)
    if not step.href:
        return f"<g {where}>{die}</g>"
    finger = f'<circle class="finger" r="{FINGER}"/>'
    return f'<a {where} href="{escape(step.href)}" tabindex="-1" data-change="{step.number}">{finger}{die}</a>'


def _towards(begin: Pose, end: Pose) -> tuple[float, float]:
    """Return a point a little ahead of the start of the plan, so that the line does not cover the car's number."""
    reach = hypot(end.x - begin.x, end.y - begin.y)
    part = min(OFF_THE_CAR / reach, 0.5) if reach else 0.0
    return begin.x + (end.x - begin.x) * part, begin.y + (end.y - begin.y) * part


def _stop(drawing: Drawing, name: str) -> Pose | None:
    if name == GRID:
        centre_line, _first, line = drawing.grid()
        return centre_line.at(max(line - 0.1, 0.0))
    space = drawing.spaces.get(name)
    return space.middle if space else None


def _grounds(drawing: Drawing, targets: Sequence[Target], ident: str) -> str:
    """Return the spaces that may be chosen, lit up below the cars, and hatched where every way there loses control."""
    lost: dict[str, bool] = {}
    for target in targets:
        if target.space in drawing.spaces:
            lost[target.space] = lost.get(target.space, True) and target.loses_control
    lit = "".join(paths.outlined(drawing.spaces[name].outline) for name, loses in lost.items() if not loses)
    hatched = "".join(paths.outlined(drawing.spaces[name].outline) for name, loses in lost.items() if loses)
    found = f'<path class="open" d="{lit}"/>' if lit else ""
    if hatched:
        found += (
            f'<path class="hatched" fill="url(#{ident}-hatch)" d="{hatched}"/><path class="open loses" d="{hatched}"/>'
        )
    return found


def _targets(drawing: Drawing, targets: Sequence[Target]) -> str:
    """Return each choice as a link. Several on one space are in a line; the first of them owns the area of the space.
    Slides come last, so that they lie above the lanes that they cross.
    """
    by_space: dict[str, list[Target]] = {}
    for target in targets:
        if target.space in drawing.spaces:
            by_space.setdefault(target.space, []).append(target)
    links = []
    for name, here in sorted(by_space.items(), key=lambda item: drawing.spaces[item[0]].kind == "slide"):
        space = drawing.spaces[name]
        middle = _beyond_slide(drawing, name, by_space)
        for place, target in enumerate(here):
            shift = (place - (len(here) - 1) / 2) * CHIP
            # Dice on one space are upright and side by side, whatever the direction of the road.
            flat = Pose(middle.x, middle.y, 0.0 if abs(cos(middle.heading)) > cos(pi / 4) else pi / 2)
            pose = flat.ahead(shift) if len(here) > 1 else middle
            links.append((target, pose, space.outline if not place else ()))
    wanted = [Chip(*_texts(target), pose) for target, pose, _outline in links]
    poses = map_labels.placed(wanted, [space.middle for space in drawing.spaces.values() if space.limit is not None])
    found = [_target(target, pose, outline) for (target, _p, outline), pose in zip(links, poses, strict=True)]
    limits = "".join(_limit(drawing.spaces[name]) for name in by_space)
    return f'<g class="targets">{"".join(found)}{limits}</g>' if found else ""


def _limit(space: Space) -> str:
    """Return the limit of a space again, because the highlight covers it."""
    if space.limit is None:
        return ""
    return (
        f'<g class="m-limit" aria-hidden="true" transform="translate({_coordinates(space.middle)})">'
        f'<circle r="{map_labels.DISC}"/><text dy="3.3">{space.limit}</text></g>'
    )


def _beyond_slide(drawing: Drawing, name: str, chosen: Mapping[str, object]) -> Pose:
    """Return the pose of a space's chip: its middle, or for a lane whose row offers the first half of a slide, the
    middle of the lane's second half.
    """
    space = drawing.spaces[name]
    row = name.rpartition(".")[0]
    if space.kind != "lane" or f"{row}.s1" not in chosen:
        return space.middle
    first, last = (drawing.spaces[f"{row}.{half}"].middle for half in ("s1", "s2"))
    return space.middle.ahead(hypot(last.x - first.x, last.y - first.y) / 2)


def _texts(target: Target) -> tuple[str, str]:
    """Return the texts on the chip of a target: the dice that keep control, and those that lose it for certain."""
    return ("", target.chip_lost or target.chip) if target.loses_control else (target.chip, target.chip_lost)


def _target(target: Target, pose: Pose, outline: tuple[tuple[float, float], ...]) -> str:
    label = escape(target.label)
    more = "".join(f' {escape(name)}="{escape(value)}"' for name, value in target.attributes.items())
    area = f'<path class="area" d="{paths.outlined(outline)}"/>' if outline else ""
    chip = ""
    kept, lost = _texts(target)
    if kept or lost or not outline:
        tag = map_labels.tag(kept, lost)
        chip = f'<g class="chip" aria-hidden="true" transform="translate({_coordinates(pose)})">{tag}</g>'
    classes = "target loses" if target.loses_control else "target"
    return (
        f'<a href="{escape(target.href)}" class="{classes}" data-space="{escape(target.space)}"{more} '
        f'aria-label="{label}">'
        f"<title>{label}</title>{area}{chip}</a>"
    )

"""The moving things on the map: cars, a path, spaces to choose from, debris, the weather.

    circuit and scene  →  one nested SVG element that a page can replace on its own

Every text from people is escaped here. Everything else is numbers and class names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import cos, hypot, sin

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from championship.catalogue.svg_elements import box_of
from championship.catalogue.svg_paths import number
from championship.games.formula_d.drawing import paths
from championship.games.formula_d.drawing.geometry import HALF, Circuit, Spot
from championship.games.formula_d.drawing.marks import Car, Chance, Scene, Target
from championship.games.formula_d.drawing.paths import SCALE
from championship.rallies.models import COLOURS

OFF_THE_CAR = 0.42
OFF_THE_PLATE = 19.0
"""How far above the viewer's own car the plate of a choice stands that ends on its space, in drawing units."""
PLATE_BACK = 3.6
"""The distance from the middle of a car to that of its plate, in drawing units."""
PLATE_HEIGHT = 13.0
LETTER, PADDING, NARROWEST = 5.4, 6.0, 15.0
"""The width of a plate: that of a letter, that beside the text, and the least, in drawing units."""
FAINTEST, TOLD = 0.03, 0.02
"""FAINTEST: smaller chances, relative to the largest one, glow as weakly as this. TOLD: smaller chances have no
label.
"""


def overlay(drawing: Circuit, scene: Scene, *, ident: str, swap: bool) -> SafeString:
    """Return the overlay as a separate element. Spaces that the track does not have are left out."""
    x, y, width, height = box_of(drawing.bounds, SCALE)
    ident = escape(ident)
    parts = (
        _rain(drawing, ident) if scene.wet else "",
        _debris(drawing, scene.debris, ident),
        _trail(drawing, scene.driven),
        _lit(drawing, scene.corner, "corner-ahead"),
        _lit(drawing, scene.reach, "reach"),
        _chances(drawing, scene.chances),
        _grounds(drawing, scene.targets),
        _slipstream(drawing, scene.slipstream),
        _cars(drawing, scene.cars, ident),
        _path(drawing, scene.path),
        _chance_labels(drawing, scene.chances),
        _targets(drawing, scene.targets, [car.space for car in scene.cars if car.mine]),
        _looked_at(drawing, scene.looked_at),
    )
    oob = ' hx-swap-oob="true"' if swap else ""
    wet = " wet" if scene.wet else ""
    return mark_safe(  # noqa: S308 - built from numbers and escaped text
        f'<svg id="{ident}-overlay" class="overlay{wet}" x="{x}" y="{y}" width="{width}" height="{height}" '
        f'viewBox="{x} {y} {width} {height}"{oob}>{"".join(parts)}</svg>'
    )


def _spots_of(drawing: Circuit, names: Iterable[str]) -> list[Spot]:
    return [spot for name in names if (spot := drawing.spot(name)) is not None]


def _rain(drawing: Circuit, ident: str) -> str:
    """Return the shine of the wet road, and drops over the whole map."""
    x, y, width, height = box_of(drawing.bounds, SCALE)
    road = paths.curve(drawing.at(drawing.middle), closed=True)
    return (
        f'<g class="rain" aria-hidden="true"><path class="gloss" d="{road}"/><path class="mirror" d="{road}"/>'
        f'<rect class="clouds" x="{x}" y="{y}" width="{width}" height="{height}"/>'
        f'<rect fill="url(#{ident}-drops)" x="{x}" y="{y}" width="{width}" height="{height}"/></g>'
    )


def _debris(drawing: Circuit, names: Sequence[str], ident: str) -> str:
    """Return splinters on marked spaces (D1). The angle depends on the space."""
    found = [
        f'<use href="#{ident}-debris" '
        f'transform="translate({paths.place((spot.x, spot.y))})rotate({spot.index * 67 % 360})"/>'
        for spot in _spots_of(drawing, names)
    ]
    return f'<g class="debris" aria-hidden="true">{"".join(found)}</g>' if found else ""


def _trail(drawing: Circuit, names: Sequence[str]) -> str:
    """Return the path that was driven last."""
    spots = _spots_of(drawing, names)
    if len(spots) < 2:
        return ""
    return f'<path class="trail" aria-hidden="true" d="{paths.curve([(s.x, s.y) for s in spots])}"/>'


def _lit(drawing: Circuit, names: Sequence[str], kind: str) -> str:
    """Return spaces that stand out together. The camera keeps them in view (map.js)."""
    spots = _spots_of(drawing, names)
    if not spots:
        return ""
    return f'<path class="{kind} in-view" aria-hidden="true" d="{paths.polygons(spot.outline for spot in spots)}"/>'


def _chances(drawing: Circuit, chances: Sequence[Chance]) -> str:
    """Return the spaces where a turn can end, in five steps of brightness by their chance. The camera comes so close
    that their labels can be read (map.js).
    """
    most = max((chance.share for chance in chances), default=0.0)
    by_class: dict[str, list[Spot]] = {}
    for chance in chances:
        spot = drawing.spot(chance.space)
        if spot is not None and most:
            step = 1 + min(4, int(4.999 * max(chance.share, FAINTEST * most) / most))
            by_class.setdefault(f"likely l{step}{' dear' if chance.dear else ''}", []).append(spot)
    found = [
        f'<path class="{name}" d="{paths.polygons(spot.outline for spot in spots)}"/>'
        for name, spots in sorted(by_class.items())
    ]
    return f'<g class="chances closer" aria-hidden="true">{"".join(found)}</g>' if found else ""


def _chance_labels(drawing: Circuit, chances: Sequence[Chance]) -> str:
    """Return the chances in per cent, except of the least likely ends."""
    found = [
        f'<text class="share" x="{number(spot.x * SCALE)}" y="{number(spot.y * SCALE)}" dy=".35em">'
        f"{escape(chance.label)}</text>"
        for chance in chances
        if chance.label and chance.share >= TOLD and (spot := drawing.spot(chance.space)) is not None
    ]
    return f'<g aria-hidden="true">{"".join(found)}</g>' if found else ""


def _grounds(drawing: Circuit, targets: Sequence[Target]) -> str:
    """Return the spaces that may be chosen, lit up below the cars, and striped where every path there costs wear."""
    kinds: dict[str, list[Spot]] = {}
    for name in dict.fromkeys(target.space for target in targets):
        here = [target for target in targets if target.space == name]
        spot = drawing.spot(name)
        if spot is not None:
            kind = "open dear" if all(target.dear for target in here) else "open"
            kinds.setdefault(kind, []).append(spot)
    return "".join(
        f'<path class="{kind}" d="{paths.polygons(spot.outline for spot in spots)}"/>' for kind, spots in kinds.items()
    )


def _slipstream(drawing: Circuit, names: Sequence[str]) -> str:
    """Return a glow with arrows on each space behind a rival."""
    found = [
        f'<g class="slip" transform="translate({paths.place((spot.x, spot.y))})rotate({paths.angle(spot.heading)})">'
        '<rect class="slip-glow" x="-19" y="-11.5" width="38" height="23" rx="7"/>'
        '<path class="slip-arrows" d="M-15-5l5 5-5 5M-7-5l5 5-5 5M1-5l5 5-5 5"/></g>'
        for spot in _spots_of(drawing, names)
    ]
    return f'<g aria-hidden="true">{"".join(found)}</g>' if found else ""


def _cars(drawing: Circuit, cars: Sequence[Car], ident: str) -> str:
    found = [_car(car, spot, ident) for car in cars if (spot := drawing.spot(car.space)) is not None]
    return f'<g class="cars">{"".join(found)}</g>' if found else ""


def _car(car: Car, spot: Spot, ident: str) -> str:
    """Return a car that faces along the road, its number upright on its plate, its driver's pattern on the body."""
    states = (("mine", car.mine), ("plays", car.plays), ("out", car.out))
    classes = " ".join(["car", *(name for name, holds in states if holds)])
    colour = car.colour % COLOURS
    parts = [f"{ident}-chassis", *([f"{ident}-livery{colour}"] if colour else []), f"{ident}-cabin"]
    body = "".join(f'<use href="#{part}"/>' for part in parts)
    heading = spot.heading + (0.5 if car.out else 0.0)
    x, y = number(-PLATE_BACK * cos(heading)), number(-PLATE_BACK * sin(heading) + 2.4)
    label = escape(car.label or car.number)
    halo = '<circle class="halo" r="20"/>' if car.mine or car.plays else ""
    smoke = '<path class="smoke" d="M-2-3q-6-6-1-11q-7-7 2-12q8 3 5 9q7 6-1 14z"/>' if car.out else ""
    size = "long" if len(car.number) > 2 else "short"
    drawn = (
        f'<title>{label}</title>{halo}<g transform="rotate({paths.angle(heading)})">{body}</g>'
        f'<text x="{x}" y="{y}" class="{size}">{escape(car.number)}</text>{smoke}'
    )
    where = f'class="{classes}" data-colour="{colour}" aria-label="{label}" '
    where += f'transform="translate({paths.place((spot.x, spot.y))})"'
    if car.href:
        return f'<a href="{escape(car.href)}" {where}>{drawn}</a>'
    return f'<g role="img" {where}>{drawn}</g>'


def _path(drawing: Circuit, names: Sequence[str]) -> str:
    """Return the chosen path: a line from the car through its spaces, a dot on each, an arrow at the end."""
    spots = _spots_of(drawing, names)
    if len(spots) < 2:
        return ""
    points = [(spot.x, spot.y) for spot in spots]
    reach = hypot(points[1][0] - points[0][0], points[1][1] - points[0][1])
    part = min(OFF_THE_CAR / reach, 0.5) if reach else 0.0
    begin = tuple(one + (other - one) * part for one, other in zip(points[0], points[1], strict=True))
    d = paths.curve([(begin[0], begin[1]), *points[1:]])
    dots = "".join(
        f'<circle class="step" r="2.6" transform="translate({paths.place(point)})"/>' for point in points[1:-1]
    )
    end = spots[-1]
    arrow = f'<g class="step end" transform="translate({paths.place(points[-1])})rotate({paths.angle(end.heading)})">'
    arrow += '<path d="M-9-8L10 0L-9 8L-4 0z"/></g>'
    return (
        f'<g class="laid" aria-hidden="true"><path class="way casing" d="{d}"/><path class="way" d="{d}"/>'
        f"{dots}{arrow}</g>"
    )


def _targets(drawing: Circuit, targets: Sequence[Target], own: Sequence[str]) -> str:
    """Return each choice as a link. Plates of several choices on one space are stacked; the first choice owns the area
    of the space. The proposed choice is drawn last, on top. Plates on the viewer's `own` car stand above it.
    """
    by_space: dict[str, list[Target]] = {}
    for target in targets:
        if drawing.spot(target.space) is not None:
            by_space.setdefault(target.space, []).append(target)
    links = []
    for name, here in by_space.items():
        spot = drawing.spots[drawing.track.index[name]]
        for place, target in enumerate(here):
            links.append((target, spot, place, len(here)))
    links.sort(key=lambda link: link[0].best)
    shown = [
        _target(target, spot, _plate_shift(place, count) - OFF_THE_PLATE * (spot.name in own), outlined=not place)
        for target, spot, place, count in links
    ]
    return f'<g class="targets">{"".join(shown)}</g>' if shown else ""


def _target(target: Target, spot: Spot, shift: float, *, outlined: bool) -> str:
    label = escape(target.label)
    more = "".join(f' {escape(name)}="{escape(value)}"' for name, value in target.attributes.items())
    area = f'<path class="area" d="{paths.polygon(_touched(spot))}"/>' if outlined else ""
    x, y = paths.at((spot.x, spot.y))
    chip = ""
    if target.chip or not outlined:
        chip = (
            f'<g class="chip" aria-hidden="true" transform="translate({number(x)} {number(y + shift)})">'
            f"{_plate(target.chip)}</g>"
        )
    states = (("dear", target.dear), ("best", target.best), ("next", target.next))
    classes = " ".join(["target", *(name for name, holds in states if holds)])
    return (
        f'<a href="{escape(target.href)}" class="{classes}" data-space="{escape(target.space)}"{more} '
        f'aria-label="{label}"><title>{label}</title>{area}{chip}</a>'
    )


def _touched(spot: Spot) -> list[tuple[float, float]]:
    """Return the area that reacts to touch: the space up to the edges of its lane."""
    wider = HALF / (HALF - 0.035)
    return [(spot.x + (x - spot.x) * wider, spot.y + (y - spot.y) * wider) for x, y in spot.outline]


def _looked_at(drawing: Circuit, name: str) -> str:
    spot = drawing.spot(name)
    return f'<path class="looked-at" d="{paths.polygon(spot.outline)}"/>' if spot else ""


def _plate(text: str) -> str:
    """Return a plate around its middle, as wide as its text; a dot for an empty text."""
    if not text:
        return '<circle r="5"/>'
    wide = max(NARROWEST, len(text) * LETTER + PADDING)
    return (
        f'<rect x="{-wide / 2:.1f}" y="{-PLATE_HEIGHT / 2}" width="{wide:.1f}" height="{PLATE_HEIGHT}" rx="3.5"/>'
        f'<text dy="3.4">{escape(text)}</text>'
    )


def _plate_shift(place: int, count: int) -> float:
    """Return how far below the middle of its space the plate of a choice is drawn, when `count` choices share the
    space.
    """
    return (place - (count - 1) / 2) * (PLATE_HEIGHT + 2)

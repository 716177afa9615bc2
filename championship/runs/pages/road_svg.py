"""The road around a car as a small picture for a page. It says nothing in words: the text beside it does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import degrees

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from championship.catalogue.svg_paths import number
from championship.papers.colours import DRIVERS
from championship.runs.models import Seat
from championship.runs.road_views import Box, CarSpot, Road, window_around

SHARE = 0.038
"""The radius of a car, as a part of the picture's width."""


def road_svg(road: Road, seats: Sequence[Seat], mine: Seat) -> SafeString:
    """Return the part of the road around this seat's car with the cars there; "" when it is not on the road."""
    box = window_around(road, mine.name)
    if box is None:
        return SafeString("")
    body = "".join([_ground(road, box), *_cars(road, box, seats, mine)])
    view = " ".join(map(number, box))
    head = '<svg class="road-view" preserveAspectRatio="xMidYMid slice" aria-hidden="true" focusable="false" '
    return mark_safe(f'{head}viewBox="{view}">{body}</svg>')  # noqa: S308 - numbers and escaped text


def _ground(road: Road, box: Box) -> str:
    """Return the picture of the whole map, which browsers keep, or the outlines that this part of it shows."""
    left, top, width, height = map(number, road.bounds if road.land else box)
    if road.land:
        return f'<image href="{escape(road.land)}" x="{left}" y="{top}" width="{width}" height="{height}"/>'
    found = [f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="{road.ground}"/>']
    for shape in road.shapes(box):
        points = " ".join(f"{number(x)},{number(y)}" for x, y in shape.outline)
        border = f' stroke="{shape.border}"' if shape.border else ""
        found.append(f'<polygon points="{points}" fill="{shape.fill}"{border}/>')
        if shape.label:
            x, y = map(number, shape.label_at)
            found.append(f'<text class="place" x="{x}" y="{y}">{escape(shape.label)}</text>')
    return "".join(found)


def _cars(road: Road, box: Box, seats: Sequence[Seat], mine: Seat) -> Iterator[str]:
    """Yield the cars that this part shows; the own one is last, so that it is on top."""
    entries = {seat.name: seat.entry for seat in seats}
    size = box[2] * SHARE
    for car in sorted(road.cars, key=lambda car: car.seat == mine.name):
        inside = box[0] <= car.x <= box[0] + box[2] and box[1] <= car.y <= box[1] + box[3]
        if inside and car.seat in entries:
            entry = entries[car.seat]
            own = car.seat == mine.name
            yield _car(car, DRIVERS[entry.colour], str(entry.start_number or car.seat), size, own=own)


def _car(car: CarSpot, colour: str, plate: str, size: float, *, own: bool) -> str:
    turned = "" if car.heading is None else f'<path d="M22 0 7-8v16z" transform="rotate({degrees(car.heading):.0f})"/>'
    return format_html(
        '<g class="car-spot{}" transform="translate({} {}) scale({})">{}<circle class="ring" r="13"/>'
        '<circle r="10" fill="{}"/><circle class="plate" r="7"/><text y="3.4">{}</text></g>',
        " mine" if own else "",
        number(car.x),
        number(car.y),
        f"{size / 13:.3f}",
        SafeString(turned),
        colour,
        plate,
    )

"""Chips on the map: the dice that lead to a space, separated into those that keep control and those that lose it. They
are placed beside what they must not cover: speed limits and other chips.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, pi, sin

from django.utils.html import escape

from championship.games.dirt.drawing import paths
from championship.games.dirt.drawing.centre_lines import Pose

HIGH = 7.0
LEAST, LETTER, EDGE = 7.0, 6.0, 5.0
SIGN = 10.0
DISC = 6.4
GAP = 1.2
STEP, RINGS, WAYS = 4.0, 20, 16
FAR = STEP * RINGS
"""The largest distance by which a chip may be moved."""
DANGER = (
    '<g class="danger" transform="translate({place})"><path class="m-danger" d="M0-4.9L5 3.8H-5z"/>'
    '<path class="m-danger-mark" d="M0-1.9v2.3M0 2.4h0"/></g>'
)


@dataclass(frozen=True, slots=True)
class Chip:
    """A chip: the text of the dice that keep control, the text of those that lose it for certain, and its preferred
    pose.
    """

    kept: str
    lost: str
    pose: Pose

    @property
    def half(self) -> float:
        """Half its width, in drawing units."""
        return _width(self.kept, self.lost) / 2


def _part(text: str) -> float:
    """Return the width of a part with that text."""
    return max(2 * LEAST, LETTER * len(text) + EDGE)


def _width(kept: str, lost: str) -> float:
    return (_part(kept) if kept or not lost else 0.0) + (_part(lost) + SIGN if lost else 0.0)


def tag(kept: str, lost: str = "") -> str:
    """Return a die or a chip around 0 0, as wide as its texts need. The dice that lose control come after a warning
    sign.
    """
    number = paths.number
    wide = _width(kept, lost)
    left = -wide / 2
    drawn = f'<rect x="{number(left)}" y="{number(-HIGH)}" width="{number(wide)}" height="{number(2 * HIGH)}" rx="3"/>'
    if kept or not lost:
        middle = f' x="{number(left + _part(kept) / 2)}"' if lost else ""
        drawn += f'<text{middle} dy="3.6">{escape(kept)}</text>'
    if lost:
        part = _part(lost) + SIGN
        begin = wide / 2 - part
        drawn += (
            f'<rect class="lost" x="{number(begin)}" y="{number(-HIGH)}" width="{number(part)}" '
            f'height="{number(2 * HIGH)}" rx="3"/>{DANGER.format(place=f"{number(begin + 8)} 0.6")}'
            f'<text class="lost" x="{number(begin + SIGN + _part(lost) / 2)}" dy="3.6">{escape(lost)}</text>'
        )
    return drawn


def placed(chips: Sequence[Chip], limits: Sequence[Pose]) -> list[Pose]:
    """Return the pose of each chip, as near to its preferred pose as possible without covering a limit or an earlier
    chip.
    """
    boxes = [(pose.x * paths.SCALE, pose.y * paths.SCALE, DISC, DISC) for pose in limits]
    poses: list[Pose] = []
    for chip in chips:
        wide, high = chip.half + GAP, HIGH + GAP
        x, y = chip.pose.x * paths.SCALE, chip.pose.y * paths.SCALE
        near = [
            (left, top, wide + half_wide, high + half_high)
            for left, top, half_wide, half_high in boxes
            if abs(x - left) < wide + half_wide + FAR and abs(y - top) < high + half_high + FAR
        ]
        found = next((pose for pose in _around(chip.pose) if not _covers(pose, near)), chip.pose)
        poses.append(found)
        boxes.append((found.x * paths.SCALE, found.y * paths.SCALE, chip.half, HIGH))
    return poses


def _covers(pose: Pose, near: Sequence[tuple[float, float, float, float]]) -> bool:
    """Return whether a chip at the pose covers something. `near`: middles, and the distances that a chip must keep from
    them.
    """
    x, y = pose.x * paths.SCALE, pose.y * paths.SCALE
    return any(abs(x - left) < wide and abs(y - top) < high for left, top, wide, high in near)


def _around(pose: Pose) -> Iterator[Pose]:
    """Yield the pose, then poses around it, ring by ring, in each ring first along the road."""
    yield pose
    for ring in range(1, RINGS + 1):
        reach = ring * STEP / paths.SCALE
        for way in range(WAYS):
            turn = pose.heading + (way // 2 + way % 2) * (-1 if way % 2 else 1) * 2 * pi / WAYS
            yield Pose(pose.x + reach * cos(turn), pose.y + reach * sin(turn), pose.heading)

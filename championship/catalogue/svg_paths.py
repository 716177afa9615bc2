"""Text of SVG paths: numbers with at most one decimal, relative and short. None of it comes from users."""

from __future__ import annotations


def number(value: float) -> str:
    """Return a coordinate or a length with at most one decimal."""
    text = f"{value:.1f}"
    if text.endswith(".0"):
        text = text[:-2]
    return "0" if text in ("-0", "") else text


def pair(x: float, y: float) -> str:
    """Return two coordinates, without a blank when a minus sign separates them."""
    second = number(y)
    return f"{number(x)}{second}" if second.startswith("-") else f"{number(x)} {second}"


class Pen:
    """Writes path data with relative coordinates. It tracks the rounded position, so that rounding errors do not add
    up.
    """

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.x = self.y = 0.0

    def _step(self, x: float, y: float) -> str:
        dx, dy = round(x - self.x, 1), round(y - self.y, 1)
        self.x, self.y = self.x + dx, self.y + dy
        return pair(dx, dy)

    def move(self, x: float, y: float) -> None:
        self.x = self.y = 0.0
        self.parts.append("M" + self._step(x, y))

    def line(self, x: float, y: float) -> None:
        self.parts.append("l" + self._step(x, y))

    def arc(self, radius: float, clockwise: bool, long: bool, x: float, y: float) -> None:
        size = number(radius)
        self.parts.append(f"a{size} {size} 0 {int(long)} {int(clockwise)} {self._step(x, y)}")

    def bend(self, cx: float, cy: float, x: float, y: float) -> None:
        """Add a quadratic curve with one control point."""
        control = f"{number(cx - self.x)} {number(cy - self.y)} "
        self.parts.append("q" + control + self._step(x, y))

    def glide(self, cx: float, cy: float, x: float, y: float) -> None:
        """Add a cubic curve that continues the previous curve smoothly; the control point of its end is given."""
        control = pair(cx - self.x, cy - self.y)
        end = self._step(x, y)
        self.parts.append(f"s{control}{end}" if end.startswith("-") else f"s{control} {end}")

    def close(self) -> None:
        self.parts.append("z")

    def path(self) -> str:
        return "".join(self.parts)

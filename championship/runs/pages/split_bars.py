"""The bars of a car, one for each section between two splits: up where it was better than the average, down where it
was worse. Classes of static/css/finish.css colour them.
"""

from __future__ import annotations

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from championship.runs.watch.split_sections import CarSections

STEP, HALF = 10, 20
"""The width of a section and the height of the longest bar, in units of the drawing."""
LEAST = 1.5
"""The height of a bar for a section that was as good as the average."""


def split_bars(car: CarSections, *, borders: int, most: int) -> SafeString:
    """Return the bars as an SVG that takes the width it gets; "" for a car that has no section. `most`: the distance
    from the average at which a bar is longest.
    """
    if not car.sections:
        return SafeString("")
    width = STEP * (borders + 1)
    bars = "".join(_bar(section.end, section.won, most, best=not section.behind) for section in car.sections)
    label = escape(_("Sections won and lost against the average, in driving order"))
    return mark_safe(  # noqa: S308 - numbers and escaped words
        f'<svg xmlns="http://www.w3.org/2000/svg" class="splitbars" viewBox="0 0 {width} {2 * HALF}" '
        f'preserveAspectRatio="none" role="img" aria-label="{label}"><path class="zero" d="M0 {HALF}H{width}"/>{bars}'
        f"</svg>"
    )


def _bar(end: int, won: int, most: int, *, best: bool) -> str:
    height = max(LEAST, HALF * abs(won) / most) if most else LEAST
    top = HALF - height if won >= 0 else HALF
    kind = "best" if best else "won" if won > 0 else "lost" if won < 0 else "even"
    return f'<rect class="{kind}" x="{STEP * (end - 1) + 1}" y="{top:.1f}" width="{STEP - 2}" height="{height:.1f}"/>'

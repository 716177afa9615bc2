"""The gap of a driver to the best car, in words, from the last border that the driver has passed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.utils.translation import gettext as _

from championship.rallies.results.measures import Measure, worse
from championship.runs.watch.story.beats import CarKey
from championship.runs.watch.story.run_marks import RunMarks
from championship.runs.watch.story.wording import CORE_FACTS


def gap_told(car: CarKey, runs: Iterable[RunMarks], names: Mapping[CarKey, str], measure: Measure) -> str:
    """Return "You are 12 s behind Ada." or "You lead, 12 s ahead of Ada."; "" where no other car was at that border.

    Cars that have retired do not count.
    """
    marks = [mark for run in runs for mark in run.marks]
    out = {mark.car for mark in marks if mark.kind == "out"}
    own = {mark.border: mark.measured for mark in marks if mark.kind == "border" and mark.car == car}
    last = max((border for border, measured in own.items() if measured is not None), default=None)
    mine = None if last is None else own[last]
    others = [
        (worse(measure) * mark.measured, mark.car, mark.measured)
        for mark in marks
        if mark.kind == "border" and mark.border == last and mark.measured is not None and mark.car not in {car, *out}
    ]
    if mine is None or not others or car in out:
        return ""
    _key, rival, best = min(others)
    gap = worse(measure) * (mine - best)
    words = {"driver": names.get(rival, rival[1]), "gap": CORE_FACTS["gap"](abs(gap), measure)}
    if gap > 0:
        return _("You are %(gap)s behind %(driver)s.") % words
    if gap < 0:
        return _("You lead, %(gap)s ahead of %(driver)s.") % words
    return _("You are level with %(driver)s.") % words

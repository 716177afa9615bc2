"""Finds retired cars that results place ahead of cars that finished. Exports often give the time at which a car stopped
as its result.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from championship.rallies.results.classification import Line
from championship.rallies.results.selectors import Results


def warnings_of(results: Results) -> list[str]:
    """Return one sentence for each car that retired from a stage and is ahead of a finisher there, and for each retired
    car that is ahead of a finisher in the final classification of a rally with several stages.
    """
    found = []
    for stage in results.stages:
        says = _("%(stage)s: %(crew)s retired, but is in place %(place)d, ahead of %(other)s, who finished.")
        for line, behind in _ahead(results.stage_lines(stage.number)):
            found.append(says % {"stage": results.rally.stage_called(stage.number), **_words(line, behind)})
    if len(results.stages) > 1:
        says = _("Final result: %(crew)s retired, but is in place %(place)d, ahead of %(other)s, who finished.")
        found += [says % _words(line, behind) for line, behind in _ahead(results.overall)]
    return found


def _ahead(lines: Sequence[Line]) -> list[tuple[Line, Line]]:
    """Return each retired car that is ahead of a finisher, with the best such finisher. The lines are in order."""
    placed = [line for line in lines if line.place is not None]
    found = []
    for line in placed:
        behind = next((each for each in placed if not each.retired_on and (each.place or 0) > (line.place or 0)), None)
        if line.retired_on and behind is not None:
            found.append((line, behind))
    return found


def _words(line: Line, behind: Line) -> dict[str, object]:
    return {"crew": line.entry.crew, "place": line.place or 0, "other": behind.entry.crew}

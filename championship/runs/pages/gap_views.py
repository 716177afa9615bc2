"""Pages of splits and gaps: of one run, and of all runs of a special stage."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from championship import catalogue
from championship.rallies import selectors as rallies
from championship.runs.pages.gap_chart import charted, gap_chart
from championship.runs.watch import gaps, selectors
from championship.runs.watch.gaps import Gaps

WIDE, NARROW = (1040, 420), (360, 400)
"""Width and height of the chart in CSS pixels, on a desktop and on a phone."""


@require_safe
def of_run(request: HttpRequest, key: str) -> HttpResponse:
    """Show the splits of the cars of a run and the gaps between them, so far or at the end."""
    run = selectors.run_by_key(key, request.user)
    _require_splits(run.game)
    seats = list(run.seats.select_related("entry__driver").order_by("position"))
    context = {
        "run": run,
        "stage": run.special_stage,
        "crumbs": [*selectors.crumbs(run, linked=True), (_("Gaps"), None)],
        **_shown(gaps.of_run(run, seats, request.user), run.game),
    }
    return render(request, "runs/gaps.html", context)


@require_safe
def of_stage(request: HttpRequest, key: str, number: int) -> HttpResponse:
    """Show the splits and gaps of all cars of a special stage, over all its runs."""
    stage = rallies.stage_of(rallies.rally_by_key(key, request.user), number)
    _require_splits(stage.rally.game)
    context = {
        "stage": stage,
        "crumbs": [
            (stage.rally.title, stage.rally.get_absolute_url()),
            (stage.title, stage.get_absolute_url()),
            (_("Gaps"), None),
        ],
        **_shown(gaps.of_stage(stage, request.user), stage.rally.game),
    }
    return render(request, "runs/gaps.html", context)


def _require_splits(game: str) -> None:
    """Check that the game has splits.

    Raises: Http404 when it has none.
    """
    if not gaps.has_splits(game):
        raise Http404(_("This game measures no times on the way."))


def _shown(found: Gaps, game: str) -> dict[str, Any]:
    """Return the context of both pages: the table, and the chart in two sizes when there is a time."""
    words = catalogue.get(game).words
    foot = str(words.at_border)
    return {
        "gaps": found,
        "words": words,
        "borders": [str(words.border) % {"number": number} for number in range(1, found.borders + 1)],
        "charted": len(charted(found)),
        "wide": gap_chart(found, width=WIDE[0], height=WIDE[1], ident="wide", foot=foot) if found.begun else "",
        "narrow": gap_chart(found, width=NARROW[0], height=NARROW[1], ident="narrow", foot=foot) if found.begun else "",
    }

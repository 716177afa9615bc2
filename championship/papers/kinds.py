"""The kinds of papers, and how each is rendered from a rally's results, in the active language.

The modules that draw PDF and pictures take 20 MB in each process. So a process imports them with its first paper.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import astuple, dataclass
from functools import partial

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.utils.functional import Promise
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from championship.papers import csv_export, grids, occasions
from championship.rallies import page_versions, selectors
from championship.rallies.entries import officials
from championship.rallies.models import Rally
from championship.rallies.results.selectors import Results, results_of
from championship.rallies.results.sheet import sheets_of

FORM = 5
"""The version of the layout. Increase it when papers look different for the same results."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of paper: its title, its content type and file extension, and the function that renders it."""

    title: str | Promise
    content_type: str
    ending: str
    make: Callable[[Results, int | None], bytes]


@dataclass(frozen=True, slots=True)
class PaperRequest:
    """One paper: the rally's key, the kind, the stage (for kinds that have one) and the language."""

    key: str
    kind: str
    stage: int | None
    language: str


def _sheet(results: Results, _stage: int | None) -> bytes:
    from championship.papers import pdf_papers

    return pdf_papers.sheet_pdf(results, sheets_of(results), officials.acts_of(results))


def _results(results: Results, _stage: int | None) -> bytes:
    from championship.papers import pdf_papers

    return pdf_papers.results_pdf(results, officials.acts_of(results))


def _start_list(results: Results, number: int | None) -> bytes:
    from championship.papers import pdf_papers

    stage = selectors.stage_in(results.stages, number)
    return pdf_papers.start_list_pdf(results, stage, selectors.start_list(stage, results))


def _table(results: Results, _stage: int | None, asked: str = "") -> bytes:
    grid = csv_export.results_grid(results, officials.acts_of(results))
    return grids.csv_text(grid, grids.delimiter_of(asked, get_language() or "en")).encode()


def _workbook(results: Results, _stage: int | None) -> bytes:
    return grids.workbook([csv_export.results_grid(results, officials.acts_of(results))])


def _podium(results: Results, _stage: int | None) -> bytes:
    from championship.papers import podium_picture

    return podium_picture.podium_png(results)


KINDS = {
    "sheet": Kind(_("Rally sheet"), "application/pdf", "pdf", _sheet),
    "results": Kind(_("Results"), "application/pdf", "pdf", _results),
    "start list": Kind(_("Start list"), "application/pdf", "pdf", _start_list),
    "table": Kind(_("Results"), "text/csv; charset=utf-8", "csv", _table),
    **{
        f"table, {name}": Kind(_("Results"), "text/csv; charset=utf-8", "csv", partial(_table, asked=name))
        for name in grids.DELIMITERS
    },
    "workbook": Kind(_("Results"), grids.WORKBOOK, "xlsx", _workbook),
    "podium": Kind(_("Picture to share, PNG"), "image/png", "png", _podium),
}


def tag_of(requested: PaperRequest) -> str | None:
    """A hash that identifies this state of the paper; None when there is no such rally. Two queries."""
    found = page_versions.of_rally(None, requested.key)
    if found is None:
        return None
    occasion = astuple(occasions.occasion_of(Rally(pk=found[0])))
    state = [
        FORM,
        settings.PAPER_FONTS,
        requested.kind,
        requested.stage,
        requested.language,
        found,
        occasion,
    ]
    encoded = json.dumps(state, cls=DjangoJSONEncoder, sort_keys=True)
    return hashlib.sha256(encoded.encode()).hexdigest()[:32]


def make(requested: PaperRequest) -> bytes:
    """Render the paper from the present results, in the active language.

    Raises: Http404 when there is no such rally or stage.
    """
    results = results_of(selectors.unchecked_rally_by_key(requested.key))
    return KINDS[requested.kind].make(results, requested.stage)


def paper_request(key: str, kind: str, stage: int | None = None) -> PaperRequest:
    """The description of that paper in the active language."""
    return PaperRequest(key, kind, stage, get_language() or "en")

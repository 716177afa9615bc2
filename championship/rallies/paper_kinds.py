"""What papers there are, and how each is made of a rally's results, in the active language.

What draws PDF and pictures takes 20 MB in each process that loads it. So it is loaded with the first paper.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import astuple, dataclass

from django.core.serializers.json import DjangoJSONEncoder
from django.utils.functional import Promise
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from championship.rallies import csv_export, occasions, officials, page_versions, selectors
from championship.rallies.models import Rally
from championship.rallies.results import Results, results_of
from championship.rallies.sheet import sheets_of

FORM = 4
"""Counted up when papers look different for the same results."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of paper: what it is called, its type and ending as a file, and how it is made."""

    title: str | Promise
    content_type: str
    ending: str
    make: Callable[[Results, int | None], bytes]


@dataclass(frozen=True, slots=True)
class Wanted:
    """One paper: of which rally, which kind, of which stage where that matters, in which language."""

    key: str
    kind: str
    stage: int | None
    language: str


def _sheet(results: Results, _stage: int | None) -> bytes:
    from championship.rallies import pdf_papers

    return pdf_papers.sheet_pdf(results, sheets_of(results), officials.acts_of(results))


def _results(results: Results, _stage: int | None) -> bytes:
    from championship.rallies import pdf_papers

    return pdf_papers.results_pdf(results, officials.acts_of(results))


def _start_list(results: Results, number: int | None) -> bytes:
    from championship.rallies import pdf_papers

    stage = selectors.stage_in(results, number)
    return pdf_papers.start_list_pdf(results, stage, selectors.start_list(stage, results))


def _table(results: Results, _stage: int | None) -> bytes:
    return csv_export.results_csv(results, officials.acts_of(results)).encode()


def _podium(results: Results, _stage: int | None) -> bytes:
    from championship.rallies import podium_picture

    return podium_picture.podium_png(results)


KINDS = {
    "sheet": Kind(_("Rally sheet"), "application/pdf", "pdf", _sheet),
    "results": Kind(_("Results"), "application/pdf", "pdf", _results),
    "start list": Kind(_("Start list"), "application/pdf", "pdf", _start_list),
    "table": Kind(_("Results"), "text/csv; charset=utf-8", "csv", _table),
    "podium": Kind(_("Picture to share, PNG"), "image/png", "png", _podium),
}


def tag_of(wanted: Wanted) -> str | None:
    """What tells this state of the paper from any other; None when there is no such rally. Two queries."""
    found = page_versions.of_rally(None, wanted.key)
    if found is None:
        return None
    part_of = astuple(occasions.occasion_of(Rally(pk=found[0])))
    told = [FORM, wanted.kind, wanted.stage, wanted.language, found, part_of]
    said = json.dumps(told, cls=DjangoJSONEncoder, sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()[:32]


def make(wanted: Wanted) -> bytes:
    """The paper as it is now, in the active language. Http404 for a rally or a stage that is not there."""
    results = results_of(selectors.rally_outside(wanted.key))
    return KINDS[wanted.kind].make(results, wanted.stage)


def wanted_now(key: str, kind: str, stage: int | None = None) -> Wanted:
    """That paper in the active language."""
    return Wanted(key, kind, stage, get_language() or "en")

"""The files of a season, and which of them a worker makes: those of a season with many cars, once for each state."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from championship.papers import big_files, grids
from championship.papers.big_files import FileRequest
from championship.rallies.models import Entry
from championship.seasons import selectors
from championship.seasons.away import season_grids
from championship.seasons.models import Championship
from championship.seasons.selectors import Table

FORM = 2
"""The version of the layout. Increase it when files look different for the same season."""


@dataclass(frozen=True, slots=True)
class SeasonFile:
    """A kind of file: what it is, the function that makes it, its content type and the ending of its name."""

    title: str | Promise
    make: Callable[[Table], bytes]
    content_type: str
    ending: str


def _yearbook(table: Table) -> bytes:
    from championship.seasons.away import season_pdf

    return season_pdf.yearbook_pdf(table)


def _tables(table: Table) -> bytes:
    from championship.seasons.away import season_pdf

    return season_pdf.tables_pdf(table)


def _workbook(table: Table) -> bytes:
    return grids.workbook([*season_grids.tables_of_season(table), season_grids.calendar_grid(table)])


YEARBOOK = "yearbook"
FILES = {
    YEARBOOK: SeasonFile(_("Yearbook"), _yearbook, "application/pdf", "pdf"),
    "season tables": SeasonFile(_("Standings"), _tables, "application/pdf", "pdf"),
    "season workbook": SeasonFile(_("Season, spreadsheet"), _workbook, grids.WORKBOOK, "xlsx"),
}
"""By the name under which they are kept."""


def register_all() -> None:
    """Register what makes these files in a worker."""
    for kind, each in FILES.items():
        big_files.register(kind, _maker(kind, each))


def _maker(kind: str, file: SeasonFile) -> big_files.Maker:
    def make(key: str) -> tuple[str, bytes]:
        table = selectors.table(Championship.objects.select_related("club").get(key=key))
        return tag_of(table, kind), file.make(table)

    return make


def is_big(championship: Championship) -> bool:
    """Whether the rounds have too many cars together to make these files in a request: one query, which stops at the
    bound.
    """
    most = settings.PAPER_CELLS_AT_ONCE
    cars = Entry.objects.filter(rally__round__championship=championship, status=Entry.Status.CONFIRMED)
    return cars.order_by()[: most + 1].count() > most


def request_of(championship: Championship, kind: str) -> FileRequest:
    """The description of that file in the active language."""
    return FileRequest(championship.club_id, kind, championship.key, get_language() or "en")


def tag_of(table: Table, what: str) -> str:
    """A hash of everything that the season's tables say, in the active language. `what`: the file, or its address."""
    season = table.championship
    shown: list[object] = [FORM, settings.PAPER_FONTS, get_language(), what, season.name, season.club.name]
    shown.append(season.club.logo_tag)
    shown += [(grid.name, grid.heads, grid.rows) for grid in season_grids.tables_of_season(table)]
    shown.append(season_grids.calendar_grid(table).rows)
    if what == YEARBOOK:
        over = [table.results[each.rally_id].overall for each in table.over]
        shown += [[(line.place, line.crew_in_words, line.total_in_words) for line in lines] for lines in over]
    return hashlib.sha256(repr(shown).encode()).hexdigest()[:32]

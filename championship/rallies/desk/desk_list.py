"""The desk's list of entries: search, filter by status, and CSV for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from django.utils.translation import gettext as _

from championship.accounts.name_comparison import comparable_name
from championship.catalogue import Words
from championship.platform.csv_text import BYTE_ORDER_MARK, plain
from championship.rallies.models import Entry

LONGEST_SEARCH = 80
CODRIVER = "codriver"
"""The value of the status filter for cars that the codriver drives."""


def narrowed(entries: Sequence[Entry], *, search: str = "", only: str = "") -> list[Entry]:
    """The entries that match the search and have that status, in the order given.

    A number matches start numbers exactly; other text matches a part of the crew, the driver or the class. No query:
    the drivers are loaded already.
    """
    wanted = comparable_name(search[:LONGEST_SEARCH])
    return [entry for entry in entries if _matches(entry, wanted) and _has_status(entry, only)]


def _matches(entry: Entry, wanted: str) -> bool:
    if wanted.lstrip("#").isdigit():
        return str(entry.start_number or "") == wanted.lstrip("#")
    return any(wanted in comparable_name(text) for text in (entry.crew, entry.driver.name, entry.car_class))


def _has_status(entry: Entry, only: str) -> bool:
    if only == CODRIVER:
        return entry.driven_by == Entry.DrivenBy.CODRIVER
    return only not in Entry.Status.values or entry.status == only


def choices() -> list[tuple[str, str]]:
    """The choices of the status filter."""
    statuses = [(value, str(label)) for value, label in Entry.Status.choices]
    return [("", _("All")), *statuses, (CODRIVER, _("the codriver drives"))]


def as_csv(entries: Sequence[Entry], words: Words) -> str:
    """The entries as CSV, one a line: number, crew, driver, class, status, who drives, time of the request (UTC)."""
    written = io.StringIO()
    table = csv.writer(written)
    heads = (_("Number"), words.crew, _("Driver"), _("Car class"), _("Status"), _("driven by"), _("entered"))
    table.writerow([plain(str(head)) for head in heads])
    for entry in entries:
        who = (
            entry.crew,
            entry.driver.name,
            entry.car_class,
            entry.get_status_display(),
            entry.get_driven_by_display(),
        )
        table.writerow(
            [entry.start_number or "", *(plain(str(text)) for text in who), f"{entry.asked_at:%Y-%m-%d %H:%M}"]
        )
    return BYTE_ORDER_MARK + written.getvalue()

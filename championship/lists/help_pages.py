"""How a list from elsewhere comes into a club: one page for each place it may be, with its steps in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


@dataclass(frozen=True, slots=True)
class HelpPage:
    """A place where people keep lists: its name, what comes from there, and the steps."""

    title: _StrPromise
    about: _StrPromise
    steps: tuple[_StrPromise, ...]


_THEN = _("Go on to which column is what, who is who, and the look at what it would do.")
HELP: dict[str, HelpPage] = {
    "spreadsheet": HelpPage(
        _("Excel, LibreOffice, Numbers"),
        _("A workbook comes as it is: .xlsx and .ods, with titles, blank lines and several sheets."),
        (
            _("Save the workbook. You need not make a CSV file of it; if you have one, any kind will do."),
            _("Choose the file on the page of the list. Of several sheets you choose one on the next page."),
            _THEN,
        ),
    ),
    "google-sheet": HelpPage(
        _("A Google sheet"),
        _("The table of a whole season, or the answers to a form."),
        (
            _("Open the sheet, and choose File, Download, Microsoft Excel or Comma-separated values."),
            _("Or mark the cells with their headings, copy them, and paste them into the box."),
            _THEN,
        ),
    ),
    "forum": HelpPage(
        _("A forum, a chat or a web page"),
        _("A table that somebody has posted, with lines between its columns or only with blanks."),
        (
            _("Mark the table from the first place to the last one, with its headings if it has any."),
            _("Copy it, and paste it into the box. Signs between the columns may stay."),
            _("Write the name of the rally on the next page: a post seldom has it in the table."),
            _THEN,
        ),
    ),
    "bg-stats": HelpPage(
        _("BG Stats"),
        _("Plays of board games, with points and winners."),
        (
            _("In the app choose Settings, Backup and export, and send yourself the export as a file."),
            _("Choose this file on the page of the list. Each play is a rally, and its score decides the places."),
            _("Tick on the look that points are results of the rallies, if your season has points of its own."),
            _THEN,
        ),
    ),
    "results-site": HelpPage(
        _("A site of rally results"),
        _("Final results with times, gaps and retirements, or the times of all stages."),
        (
            _("Open the results of the rally. Mark the table, copy it, and paste it into the box."),
            _("Gaps with a plus become times by themselves. Check on the next page to whom they are."),
            _("Import only results that you may use. Names and times of others belong to them."),
            _THEN,
        ),
    ),
    "sim-racing": HelpPage(
        _("A racing simulation"),
        _("The file of results that a server writes after a race, as JSON or CSV."),
        (
            _("Fetch the file from the server, or from the folder of results of the game."),
            _("Choose it on the page of the list. Times keep their thousandths of a second."),
            _THEN,
        ),
    ),
}

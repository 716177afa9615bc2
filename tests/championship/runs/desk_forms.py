"""The form of the organiser's desk that hands a car over, and what the log says of it."""

from __future__ import annotations

import re
from typing import Any

from django.urls import reverse

from championship.audit.models import Record
from championship.rallies.models import Entry
from championship.runs.models import Run, Seat
from championship.runs.play import drive_codrivers
from tests.championship.rallies.factories import organiser_of
from tests.factories import signed_in

TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="\w+"')


def codriven(run: Run) -> None:
    while drive_codrivers(run_id=run.pk):
        pass
    run.refresh_from_db()


def seat_of(entry: Entry) -> Seat:
    return Seat.objects.select_related("entry__driver", "run__special_stage__rally").get(entry=entry)


def logged() -> list[tuple[str, dict[str, Any]]]:
    """Who handed a car over or back, by the log, and what it says of that."""
    told = Record.objects.filter(action="entry driven by").order_by("pk").select_related("actor")
    left_out = ("rally", "crew", "start_number")
    return [
        (str(record.actor), {name: value for name, value in record.details.items() if name not in left_out})
        for record in told
    ]


class Desk:
    """The desk of a rally as an organiser sees it, Olga by default."""

    def __init__(self, entry: Entry, by: Any = None) -> None:
        self.entry, self.browser = entry, signed_in(by or organiser_of(entry.rally))
        self.address = f"/rallies/{entry.rally.key}/desk/"

    @property
    def shown(self) -> str:
        """The page, without its tokens."""
        return TOKEN.sub("", self.browser.get(self.address).text)

    def row(self, of: str | None = None) -> str:
        """The row of the entry, in the page `of` if that was answered already."""
        return (
            (of or self.shown).split(f'id="entry-{self.entry.pk}"')[1].split('<li id="entry-')[0].split("</section>")[0]
        )

    def hand_over(self, how_long: str, *, seen: str | None = None, follow: bool = True, **typed: str) -> Any:
        """Send the form of the entry as the page shows it, with that choice."""
        if seen is None:
            _before, found, rest = self.row().partition('name="seen" value="')
            seen = rest.split('"')[0] if found else ""
        target = reverse("runs:desk_hand_over", args=[self.entry.rally.key, self.entry.pk])
        sent = {"how_long": how_long, **({"seen": seen} if seen else {}), **typed}
        return self.browser.post(target, sent, follow=follow)

    def take_back(self) -> Any:
        target = reverse("runs:desk_take_back", args=[self.entry.rally.key, self.entry.pk])
        return self.browser.post(target, follow=True)

"""What a club has said about the columns of lists and tables, for the next ones with the same headings."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import IntegrityError, transaction

from championship.clubs.models import Club
from championship.lists.found import Choices
from championship.lists.models import Columns
from championship.lists.reading import choices_json, choices_of
from championship.platform import clock
from championship.stages.table_reader import ReadTable

MOST_REMEMBERED = 300
"""Shapes of lists that are remembered for a club; those that were not used for the longest time are forgotten."""


def remembered(club: Club, shape: str) -> dict[int, str]:
    """Return what the club has said of the columns of lists of this shape, by their places. One query."""
    found = Columns.objects.filter(club=club, shape=shape).first()
    return choices_of(found.choices).columns if found is not None else {}


def keep_columns(club: Club, shape: str, chosen: Mapping[int, str]) -> None:
    """Keep the columns that differ from their guesses; forget the shape when none does."""
    mine = Columns.objects.filter(club=club)
    if not chosen:
        mine.filter(shape=shape).delete()
        return
    kept = {"choices": choices_json(Choices(columns=dict(chosen))), "used_at": clock.now()}
    try:
        with transaction.atomic():
            Columns.objects.update_or_create(club=club, shape=shape, defaults=kept)
    except IntegrityError:
        return  # somebody else has said it at the same moment
    old = mine.order_by("-used_at", "-pk").values_list("pk", flat=True)[MOST_REMEMBERED:]
    mine.filter(pk__in=list(old)).delete()


def keep_table(club: Club, table: ReadTable) -> None:
    """Keep what was said of the columns of a table, as `championship.stages.table_reader` says."""
    keep_columns(club, table.shape, {each.index: each.role for each in table.columns if each.role != each.guess})

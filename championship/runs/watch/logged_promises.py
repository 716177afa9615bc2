"""The promises about random draws in the append-only log, and whether the seals are still the promised ones.

A person with access to the database can replace a seal and its promise together: each agrees with the other. The log,
the letters, the webhooks and the feed contain the promise as it was when it was made, so the replacement shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from django.db.models import Q
from django.urls import reverse

from championship.audit.actions import details_in_words
from championship.audit.models import Record
from championship.rallies.desk.promises import Promised
from championship.rallies.models import Rally, SpecialStage
from championship.runs.models import Seal

SEALED, SEALED_AGAIN, OPENED = "stages sealed", "stage sealed anew", "stage opened"
"""The acts in the log that name promises: seals were made, a seal was replaced after a restore, a stage opened."""


@dataclass(frozen=True, slots=True)
class Logged:
    """One promise in the log. `phrases`: the SHA-256 of the phrases, "" before the stage opened. `opened`: whether the
    row was written when the stage opened. `replaces`: the promise that it replaced after a restore, "" for none.
    """

    at: datetime
    promise: str
    phrases: str
    opened: bool
    replaces: str


@dataclass(frozen=True, slots=True)
class Witness:
    """What the log says about the seal of a stage. `rows`: all its promises, the oldest first. `promise` and `phrases`:
    those that count, "" where the log has none. `differs`: whether the seal or the phrases of today are others.
    """

    rows: tuple[Logged, ...]
    promise: str
    phrases: str
    differs: bool


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """An act in the log that names promises, for the feed of the club. `number`: the id of its row. `rally`: the name
    of the rally at that time. `details`: the promises, in the active language. `link`: the path of the rally's page.
    """

    number: int
    at: datetime
    rally: str
    details: str
    link: str


NO_WITNESS = Witness((), "", "", differs=False)
"""The log names no promise of the stage."""


def promises_of(rally: Rally) -> list[Promised]:
    """The promises of all stages of a rally that have a seal, in the order of the stages. One query."""
    seals = Seal.objects.filter(special_stage__rally=rally).select_related("special_stage")
    return [promised(rally, seal) for seal in seals.order_by("special_stage__number")]


def promised(rally: Rally, seal: Seal) -> Promised:
    """The promise of one seal, whose stage is loaded."""
    number = seal.special_stage.number
    page = reverse("runs:phrase", args=[rally.key, number])
    return Promised(stage=number, promise=seal.commitment, phrases=seal.phrases_sha256, page=page)


def feed_entries(club_id: int, most: int) -> list[FeedEntry]:
    """The newest acts of a club's log that name promises, newest first, at most `most`. Three queries.

    Each entry stays as it is: rows of the log never change. Its text names no person.
    """
    acts = (SEALED, SEALED_AGAIN, OPENED)
    records = list(Record.objects.filter(club_id=club_id, action__in=acts).order_by("-pk")[:most])
    pages = {**_pages_of(Rally, records), **_pages_of(SpecialStage, records)}
    return [
        FeedEntry(
            number=record.pk,
            at=record.at,
            rally=str(record.details.get("rally", "")),
            details=details_in_words(record.details),
            link=pages.get((record.subject_type, record.subject_id), "/"),
        )
        for record in records
    ]


def _pages_of(model: type[Rally] | type[SpecialStage], records: Sequence[Record]) -> dict[tuple[str, str], str]:
    """The paths of the pages of those subjects of the records that are rows of the model. One query."""
    label = model._meta.label_lower
    ids = [record.subject_id for record in records if record.subject_type == label and record.subject_id.isdecimal()]
    rows = SpecialStage.objects.select_related("rally") if model is SpecialStage else Rally.objects.all()
    return {(label, str(row.pk)): row.get_absolute_url() for row in rows.filter(pk__in=ids)}


def witness_of(special_stage: SpecialStage, seal: Seal | None) -> Witness:
    """What the log says about the seal of a stage. One query."""
    rally, stage = special_stage.rally, special_stage
    of_rally = Q(subject_type=rally._meta.label_lower, subject_id=str(rally.pk), action=SEALED)
    of_stage = Q(subject_type=stage._meta.label_lower, subject_id=str(stage.pk), action__in=(SEALED_AGAIN, OPENED))
    records = Record.objects.filter(of_rally | of_stage, club_id=rally.club_id).order_by("pk")
    found = [_logged(record, stage.number) for record in records]
    rows = tuple(row for row in found if row.promise)
    if not rows:
        return NO_WITNESS
    replaced = next((before for before, row in pairwise(rows) if not _follows(row, before)), None)
    counts, last = replaced or rows[-1], rows[-1]
    same = seal is not None and (seal.commitment, seal.phrases_sha256) == (counts.promise, last.phrases)
    return Witness(rows, counts.promise, last.phrases, differs=replaced is not None or not same)


def _follows(row: Logged, before: Logged) -> bool:
    """Whether a promise in the log agrees with the one before it: a stage opens with the promise that was made, and a
    restore replaces that one.
    """
    return before.promise == (row.promise if row.opened else row.replaces or before.promise)


def _logged(record: Record, number: int) -> Logged:
    details, opened = record.details, record.action == OPENED
    if record.action == SEALED:
        promises = details.get("promises")
        promise = promises.get(str(number), "") if isinstance(promises, dict) else ""
    else:
        promise = details.get("seal_sha256" if opened else "after", "")
    replaces = details.get("before", "") if record.action == SEALED_AGAIN else ""
    return Logged(record.at, str(promise), str(details.get("phrases_sha256", "")), opened, str(replaces))

"""Entering what was counted at the table. Entries of phones that were without a network come late, and in any order:
each is kept, and which of two counts is decided by one rule.

- The first entry for a car on a stage counts.
- One that says the same is a double. It changes nothing.
- One that was written by somebody who saw what counts now replaces it: a correction. Both stay to read.
- Any other is a conflict: what counts stays until the marshal of the table or an organiser decides.
- Once the result is handed in, an entry that differs is a conflict too, for an organiser.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.catalogue.pads import Pad, pad_of
from championship.platform import clock
from championship.platform.refusals import Refusal, Refused
from championship.rallies.locks import locked_rally_in_open_club
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.rallies.results import measures
from championship.rallies.text_checks import checked_line
from championship.tabletop.links import Pass, require_working
from championship.tabletop.models import Score
from championship.tabletop.services.limits import limit
from championship.tabletop.starters import starters_of
from championship.tabletop.written import LONGEST_REASON, Written, checked_numbers

MOST_AT_ONCE = 60
"""Entries in one request of a phone that was without a network."""
MOST_A_MINUTE = 120
"""Entries over one link in a minute."""
MOST_FOR_A_CAR = 60
"""Entries for one car on one stage, over one link."""
Standing = Score.Standing


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one entry: its score, or why it was refused."""

    key: str
    score: Score | None = None
    refusal: Refusal | None = None


def enter_scores(*, by: Pass, written: Sequence[Written]) -> list[Outcome]:
    """Enter what a phone has written, in its order. An entry that is refused stops no other.

    Raises: TooOften.
    """
    outcomes = []
    for each in written[:MOST_AT_ONCE]:
        limit(f"pad-{by.counted_as}", MOST_A_MINUTE)
        try:
            outcomes.append(Outcome(each.key, score=enter_score(by=by, written=each)))
        except Refusal as refusal:
            outcomes.append(Outcome(each.key, refusal=refusal))
    return outcomes


@transaction.atomic
def enter_score(*, by: Pass, written: Written, person: User | None = None) -> Score:
    """Enter one result, by the rule above. The same entry again returns the first row. `person`: an organiser who
    writes it with an account.

    Raises: Refused (field) when a value is not valid, when the stage has not begun, or when the car does not drive
    there or at another table.
    """
    rally = locked_rally_in_open_club(by.evening.rally_id)
    require_working(by)
    stage = rally.stages.filter(number=written.stage).first()
    if stage is None or stage.status in (SpecialStage.Status.PLANNED, SpecialStage.Status.CANCELLED):
        raise Refused(_("This stage is not on the road."))
    stage.rally = rally
    entry = car_of(by, stage, written.entry)
    known = stage.scores.filter(entry=entry, key=written.key).first()
    if known is not None:
        return known
    written_by = (person.name if person else by.written_by)[:90]
    if stage.scores.filter(entry=entry, written_by=written_by).count() >= MOST_FOR_A_CAR:
        raise Refused(_("There are too many entries for this car. Speak to an organiser."))
    score = _score(rally, stage, entry, written)
    score.written_by, score.person = written_by, person
    current = stage.scores.filter(entry=entry, standing=Standing.STANDS).first()
    score.seen = stage.scores.filter(entry=entry, key=written.seen).first() if written.seen else None
    score.standing = _standing(score, current, handed_in=stage.times.filter(entry=entry).exists())
    if current is not None and score.standing == Standing.STANDS:
        current.standing = Standing.REPLACED
        current.save(update_fields=["standing"])
    score.save(force_insert=True)
    return score


def _standing(score: Score, current: Score | None, *, handed_in: bool) -> Standing:
    if current is None:
        return Standing.CONFLICT if handed_in else Standing.STANDS
    if score.same_as(current):
        return Standing.DOUBLE
    corrects = score.seen == current and not handed_in
    return Standing.STANDS if corrects else Standing.CONFLICT


def car_of(by: Pass, stage: SpecialStage, entry_id: int) -> Entry:
    """The car of that id, which drives the stage at the table and belongs to the link.

    Raises: Refused otherwise.
    """
    entry = starters_of(stage).filter(pk=entry_id).first()
    if entry is None:
        raise Refused(_("This car does not drive this stage at the table."))
    entry.rally = stage.rally
    sign_on = getattr(entry, "sign_on", None)
    if by.entry is not None and by.entry.pk != entry.pk:
        raise Refused(_("This link is for another car."))
    if by.table is not None and (sign_on is None or sign_on.table_id != by.table.pk):
        raise Refused(_("This car is at another table."))
    return entry


def _score(rally: Rally, stage: SpecialStage, entry: Entry, written: Written) -> Score:
    pad, now = pad_of(rally.game, rally.all_options), clock.now()
    numbers = checked_numbers(written.numbers, pad)
    result = written.result if written.result is not None else _counted(pad, numbers, written, rally)
    if result is None and not written.retired:
        raise Refused(_("Type the result, or count it."), field="result")
    reason = checked_line(written.reason, longest=LONGEST_REASON, field="reason", needed=False)
    return Score(
        special_stage=stage,
        entry=entry,
        key=written.key,
        numbers=numbers,
        typed=written.result is not None,
        measure=result,
        retired=written.retired,
        reason=reason if written.retired else "",
        tapped_at=min(written.tapped_at or now, now),
        at=now,
    )


def _counted(pad: Pad, numbers: dict[str, int], written: Written, rally: Rally) -> int | None:
    counted = pad.result(numbers)
    if counted is None or (written.retired and not measures.may_be_given(counted, rally.measure)):
        return None
    if not measures.may_be_given(counted, rally.measure):
        raise Refused(_("No stage has such a result. Look at what was counted."), field="result")
    return counted

"""Handing in the results of a table: from then on they are results of the rally like all others. Deciding between two
entries, and correcting a result afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.catalogue.pads import Brought, pad_of
from championship.platform.refusals import Refused, Stale
from championship.rallies.locks import locked_rally_for_organiser, locked_rally_in_open_club
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.rallies.results.services.recording_results import (
    Finish,
    correct_time_at_table,
    record_stage_times,
)
from championship.tabletop.links import Pass, require_working
from championship.tabletop.models import Score, details_of
from championship.tabletop.services.names import require_sure
from championship.tabletop.starters import starters_of

Standing = Score.Standing


@transaction.atomic
def hand_in(*, by: Pass, number: int, person: User | None = None) -> int:
    """Hand in the results of the cars of a table on the stage of that number; an organiser with an account, `person`,
    hands in those of all tables. Returns how many. The last result of the stage ends it.

    Raises: Stale when the stage is not on the road, or when all these results are in.
    Raises: Refused when a car has no result yet, when somebody has to decide between two, or when nobody has confirmed
    who drives it; it names the cars.
    """
    rally = locked_rally_in_open_club(by.evening.rally_id)
    require_working(by)
    stage = rally.stages.filter(number=number, status=SpecialStage.Status.RUNNING).first()
    if stage is None:
        raise Stale(_("This stage is not on the road."))
    stage.rally = rally
    entries = _to_hand_in(by, stage)
    if not entries:
        raise Stale(_("All these results are handed in."))
    require_sure(entries)
    scores = {score.entry_id: score for score in stage.scores.filter(standing=Standing.STANDS)}
    _require_all(entries, scores, stage)
    record_stage_times(special_stage=stage, finishes=[_finish(rally, entry, scores[entry.pk]) for entry in entries])
    audit.record(
        actor=person,
        action="results handed in",
        subject=stage,
        club_id=rally.club_id,
        details={
            "rally": rally.name,
            "written_by": person.name if person else by.written_by,
            "entries": [str(entry) for entry in entries],
        },
    )
    return len(entries)


def _to_hand_in(by: Pass, stage: SpecialStage) -> list[Entry]:
    entries = starters_of(stage).exclude(times__special_stage=stage)
    if by.entry is not None:
        raise Refused(_("The marshal of the table hands in the results."))
    if by.table is not None:
        entries = entries.filter(sign_on__table=by.table)
    return list(entries)


def _require_all(entries: Sequence[Entry], scores: dict[int, Score], stage: SpecialStage) -> None:
    missing = [str(entry) for entry in entries if entry.pk not in scores]
    if missing:
        raise Refused(_("These cars have no result yet: %(cars)s.") % {"cars": ", ".join(missing)})
    open_ones = stage.scores.filter(standing=Standing.CONFLICT, entry__in=entries).values_list("entry", flat=True)
    disputed = [str(entry) for entry in entries if entry.pk in set(open_ones)]
    if disputed:
        raise Refused(_("Decide first which entry counts: %(cars)s.") % {"cars": ", ".join(disputed)})


def _finish(rally: Rally, entry: Entry, score: Score) -> Finish:
    brought = _brought(rally, entry, score)
    measure = None if score.retired and not score.typed else score.measure
    return Finish(
        entry=entry,
        measure=measure,
        retired=score.retired,
        car=brought.luggage,
        rank=brought.rank,
        reason=score.reason,
        detail=brought.detail,
        at_table=True,
    )


def _brought(rally: Rally, entry: Entry, score: Score) -> Brought:
    """What the car brings from the stage. A result that was typed alone leaves the car as it was."""
    pad = pad_of(rally.game, rally.all_options)
    return pad.brings(score.numbers, score.measure, entry.car) if score.numbers else Brought(entry.car)


@transaction.atomic
def decide(*, by: Pass, score: Score, counts: bool, person: User | None = None) -> Score:
    """Decide a conflict: the later entry counts from now on, or it is dropped. For the marshal of the table; when the
    result is handed in, only for an organiser with an account, `person`, and the result changes.

    Raises: Stale when it is decided already.
    Raises: Refused for a link that may not decide.
    """
    rally = (
        locked_rally_in_open_club(by.evening.rally_id)
        if person is None
        else locked_rally_for_organiser(person, by.evening.rally_id)
    )
    require_working(by)
    score = Score.objects.select_related("special_stage", "entry").get(pk=score.pk, special_stage__rally=rally)
    if score.standing != Standing.CONFLICT:
        raise Stale(_("This is decided already."))
    stage, entry = score.special_stage, score.entry
    stage.rally = entry.rally = rally
    handed_in = stage.times.filter(entry=entry).exists()
    if person is None and (handed_in or not _at_table(by, entry)):
        raise Refused(_("An organiser decides this."))
    before = stage.scores.filter(entry=entry, standing=Standing.STANDS).first()
    if counts:
        if before is not None:
            before.standing = Standing.REPLACED
            before.save(update_fields=["standing"])
        if handed_in:
            correct_time_at_table(special_stage=stage, finish=_finish(rally, entry, score))
    score.standing = Standing.STANDS if counts else Standing.DROPPED
    score.save(update_fields=["standing"])
    audit.record(
        actor=person,
        action="entry decided",
        subject=stage,
        club_id=rally.club_id,
        details={
            "rally": rally.name,
            "crew": entry.crew,
            "before": {} if before is None else details_of(before),
            "after": details_of(score) if counts else {},
            "by": person.name if person else by.written_by,
        },
    )
    return score


def _at_table(by: Pass, entry: Entry) -> bool:
    return by.table is not None and entry.pk in by.table.sign_ons.values_list("entry", flat=True)

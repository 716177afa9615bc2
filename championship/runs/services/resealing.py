"""New seals after the database was set back in time, so that nobody profits from draws that were seen before.

Drivers who drove after the backup know draws that would come again. If a stage ended after the backup, its seal was
shown too, and all its draws can be computed. So every stage that has not begun gets another seal. Every running run
gets a second seal: a random text in front of the salt of every later order, and so a part of every draw. It is secret
until the stage is over, but its SHA-256 is sent to all entrants at once. Records keep it as a part of their salts, so
verifying a record needs nothing new.
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Max

from championship.audit import services as audit
from championship.lineage import services as lineage
from championship.rallies.models import Rally, SpecialStage
from championship.rallies.services import close_now, pause_after_restore
from championship.runs.models import Post, Run, Seal, new_secret
from engine import chance

SECOND_SEAL_BYTES = 16


@dataclass(frozen=True, slots=True)
class Resealed:
    """What `after_restore` has done. rallies: how many were paused and notified. runs, stages: how many got new seals.
    not_sealed: running stages whose draws could not be changed; their organisers must decide.
    """

    rallies: int
    runs: int
    stages: int
    not_sealed: list[str]


@transaction.atomic
def after_restore(*, now: datetime) -> Resealed:
    """Pause every running rally, give new seals to all runs and stages that are not over, and notify entrants. Then
    accept the restored database as the valid one. A stage that is open to everybody is closed: all its cars share their
    draws, and nobody can promise that these are still unknown.

    All changes are in one transaction. Runs are locked before rallies, as everywhere
    (docs/decisions/0002-lock-order.md).
    """
    running = Run.objects.filter(status=Run.Status.RUNNING).select_for_update(of=("self",)).order_by("pk")
    by_rally: dict[int, list[Run]] = defaultdict(list)
    for run in running.select_related("special_stage__rally"):
        by_rally[run.special_stage.rally_id].append(run)
    stages = _seal_planned_stages()
    rallies = list(Rally.objects.filter(status=Rally.Status.RUNNING).order_by("pk"))
    runs, kept = 0, []
    for rally in rallies:
        own = by_rally.get(rally.pk, [])
        second = secrets.token_urlsafe(SECOND_SEAL_BYTES)
        runs += _add_second_seal(own, second)
        not_sealed = sorted({str(run.special_stage) for run in own if not _can_be_sealed(run)})
        kept += [f"{rally} / {stage}" for stage in not_sealed]
        if rally.for_everybody:  # its shared draws may be known, so nobody may continue
            close_now(rally=rally, now=now)
        elif not rally.practice:
            promise = chance.commitment(second.encode())
            pause_after_restore(rally=rally, last_post_at=_last_post(own), promise=promise, lost=not_sealed)
    lineage.accept_current_state(now=now)
    paused = sum(not (rally.practice or rally.for_everybody) for rally in rallies)
    return Resealed(paused, runs, stages, kept)


def _can_be_sealed(run: Run) -> bool:
    """Return whether a second seal changes the run's draws. Draws that all tables of a stage share take no salt, nor do
    those of record format 1.
    """
    return run.record_format > 1 and run.common is None


def _add_second_seal(runs: Iterable[Run], second: str) -> int:
    """Give these runs the second seal. Returns how many can have one. Draws that they share with other runs are not
    changed.
    """
    sealed = [run for run in runs if run.record_format > 1]
    for run in sealed:
        run.second_seal = second
    Run.objects.bulk_update(sealed, ["second_seal"])
    return len(sealed)


def _seal_planned_stages() -> int:
    """Give every stage that has not begun another seal, with a new commitment. Returns how many."""
    planned = Seal.objects.filter(
        special_stage__status=SpecialStage.Status.PLANNED,
        special_stage__rally__status__in=[Rally.Status.ENTRIES, Rally.Status.RUNNING],
    )
    seals = list(planned.select_for_update(of=("self",)).select_related("special_stage__rally"))
    for seal in seals:
        secret, before = new_secret(), seal.commitment
        seal.secret, seal.commitment = secret, chance.commitment(secret)
        stage = seal.special_stage
        audit.record(
            actor=None,
            action="stage sealed anew",
            subject=stage,
            club_id=stage.rally.club_id,
            details={"stage": stage.number, "before": before, "after": seal.commitment},
        )
    Seal.objects.bulk_update(seals, ["secret", "commitment"])
    return len(seals)


def _last_post(runs: Iterable[Run]) -> datetime | None:
    """Return when the newest post of these runs was received, as far as the restored database has it."""
    last: datetime | None = Post.objects.filter(run__in=list(runs)).aggregate(last=Max("at"))["last"]
    return last

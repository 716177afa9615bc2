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
from championship.rallies.desk.promises import Promised
from championship.rallies.desk.services.messaging import notify_entrants
from championship.rallies.models import Rally, SpecialStage
from championship.rallies.services import close_now, pause_after_restore
from championship.runs.models import Post, Run, Seal, new_secret
from championship.runs.watch.logged_promises import SEALED_AGAIN, promised
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
    seals = _seal_planned_stages(now)
    rallies = list(Rally.objects.filter(status=Rally.Status.RUNNING).order_by("pk"))
    last_posts = _last_posts(rallies)
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
            pause_after_restore(
                rally=rally,
                last_post_at=last_posts.get(rally.pk),
                promise=promise,
                lost=not_sealed,
                sealed_again=[promised(rally, seal) for seal in seals if seal.special_stage.rally_id == rally.pk],
            )
    lineage.accept_current_state(now=now)
    paused = sum(not (rally.practice or rally.for_everybody) for rally in rallies)
    return Resealed(paused, runs, len(seals), kept)


@transaction.atomic
def accept_without_loss(*, now: datetime) -> int:
    """Accept the current database as the valid one, because the operator declares that it has every turn. Nothing is
    paused or sealed again. Returns the number of rallies under way.

    A false declaration would let a driver repeat a turn whose result is known. So the log of each rally under way gets
    a row, and its entrants a notice, with the moment of the last post that this database has. Entrants of open stages,
    which are for everybody, get no notice.
    """
    rallies = list(Rally.objects.filter(status=Rally.Status.RUNNING, practice=False).order_by("pk"))
    last_posts = _last_posts(rallies)
    for rally in rallies:
        last = last_posts.get(rally.pk)
        details = {"rally": rally.name, "last_post": last and last.isoformat()}
        audit.record(actor=None, action="database accepted", subject=rally, club_id=rally.club_id, details=details)
        if not rally.for_everybody:
            key = f"rally {rally.pk} accepted {now:%Y%m%dT%H%M%S%f}"
            notify_entrants(rally, "database accepted", key, {"last_post_at": last})
    lineage.accept_current_state(now=now)
    return len(rallies)


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


def _seal_planned_stages(now: datetime) -> list[Seal]:
    """Give every stage that has not begun another seal, with a new commitment, and return the seals. Entrants of
    rallies that have not started are notified: earlier messages contain the old commitments.
    """
    planned = Seal.objects.filter(
        special_stage__status=SpecialStage.Status.PLANNED,
        special_stage__rally__status__in=[Rally.Status.ENTRIES, Rally.Status.RUNNING],
    )
    seals = list(planned.select_for_update(of=("self",)).select_related("special_stage__rally"))
    seals.sort(key=lambda seal: seal.special_stage.number)
    for seal in seals:
        secret, before = new_secret(), seal.commitment
        seal.secret, seal.commitment = secret, chance.commitment(secret)
        stage = seal.special_stage
        audit.record(
            actor=None,
            action=SEALED_AGAIN,
            subject=stage,
            club_id=stage.rally.club_id,
            details={"rally": stage.rally.name, "stage": stage.number, "before": before, "after": seal.commitment},
        )
    Seal.objects.bulk_update(seals, ["secret", "commitment"])
    by_rally: dict[Rally, list[Promised]] = defaultdict(list)
    for seal in seals:
        by_rally[seal.special_stage.rally].append(promised(seal.special_stage.rally, seal))
    for rally, promises in by_rally.items():
        if rally.status == Rally.Status.ENTRIES:
            context = {"game": rally.game, "promises": promises}
            notify_entrants(rally, "draws sealed again", f"rally {rally.pk} sealed {now:%Y%m%dT%H%M%S%f}", context)
    return seals


def _last_posts(rallies: Iterable[Rally]) -> dict[int, datetime]:
    """Return when the newest post of each rally was received, as far as this database has it, by the rally's id."""
    rows = Post.objects.filter(run__special_stage__rally__in=list(rallies)).order_by()
    return dict(rows.values_list("run__special_stage__rally").annotate(last=Max("at")))

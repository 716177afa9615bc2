"""Every write about the end of an evening at a set minute: organisers set it, and the second clock acts on it, once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.evenings.models import Agreement, Question, Stop
from championship.evenings.stop import stopping
from championship.platform import clock
from championship.platform.refusals import Refused, Stale
from championship.rallies import services as rallies
from championship.rallies.clock.services.evenings import refuse_if_over
from championship.rallies.locks import locked_rally, locked_rally_for_organiser
from championship.rallies.models import Rally, SpecialStage
from championship.runs.models import Run
from championship.runs.play.ending_early import lock_running

NOTICE = timedelta(minutes=5)
"""How long before its end drivers know it at least."""
FARTHEST = timedelta(days=30)


@transaction.atomic
def set_stop(*, by: User, rally: Rally, at: datetime, how: str) -> Stop:
    """Set when the evening ends, and what happens to cars on the road then, before the evening or in it. Only for
    organisers. A later call replaces it.

    Raises: Refused (field at or how) when it is too soon or too far away, or no such way is known.
    Raises: Stale when the rally is over.
    """
    rally = locked_rally_for_organiser(by, rally.pk)
    refuse_if_over(rally)
    now = clock.now()
    if at < now + NOTICE:
        raise Refused(_("Give everybody five minutes at least: choose a later minute."), field="at")
    if at > now + FARTHEST:
        raise Refused(_("At most 30 days ahead, please."), field="at")
    if how not in Stop.How.values:
        raise Refused(_("Choose what happens to cars on the road."), field="how")
    values = {"at": at, "how": how, "by": by, "done_at": None, "stage": None, "border": None}
    stop, _made = Stop.objects.update_or_create(rally=rally, defaults=values)
    _log(by, rally, "evening ends at", {"at": at.strftime("%Y-%m-%d %H:%M UTC"), "cars": how})
    return stop


@transaction.atomic
def take_stop_back(*, by: User, rally: Rally) -> None:
    """Let the evening go on without a set end. Where none is set, or it has come, nothing happens."""
    rally = locked_rally_for_organiser(by, rally.pk)
    deleted, _of_each = Stop.objects.filter(rally=rally, done_at=None).delete()
    if deleted:
        _log(by, rally, "evening ends open", {})


class Stops:
    """The scheduled action that ends evenings. Its ids are ends that organisers have set."""

    name = "ends of evenings"

    def due(self, now: datetime) -> Sequence[int]:
        """Return the ends whose minute has come."""
        waiting = Stop.objects.filter(done_at=None, at__lte=now, rally__club__closed_at=None)
        return list(waiting.order_by("at").values_list("pk", flat=True))

    def act(self, row_id: int, now: datetime) -> bool:
        """End one evening."""
        return end_evening(stop=row_id, now=now)


@transaction.atomic
def end_evening(*, stop: int, now: datetime) -> bool:
    """Act on a set end by its id: cars on the road get what was stated, and the rally goes on in hours. Returns whether
    anything was done. Of an evening that is not under way only the end itself is marked as done.

    The runs are locked before the rally is, as every post does. The second who comes finds it done.
    """
    found = Stop.objects.filter(pk=stop, done_at=None, at__lte=now).first()
    if found is None:
        return False
    stage, locked = None, list[Run]()
    if found.how == Stop.How.SPLIT:
        road = SpecialStage.objects.filter(rally=found.rally_id, status=SpecialStage.Status.RUNNING)
        stage = road.order_by("number").first()
        locked = [] if stage is None else lock_running(stage)
    rally = locked_rally(found.rally_id)
    found = Stop.objects.select_for_update(of=("self",)).filter(pk=stop, done_at=None, at__lte=now).first()
    if found is None or (stage is not None and found.how != Stop.How.SPLIT):
        return False
    found.done_at = now
    if rally.keeps_seconds and rally.status in (Rally.Status.ENTRIES, Rally.Status.RUNNING):
        _end(found, rally, stage, locked)
    found.save(update_fields=["done_at", "stage", "border"])
    return True


def _end(stop: Stop, rally: Rally, stage: SpecialStage | None, locked: list[Run]) -> None:
    if stage is not None and SpecialStage.objects.filter(pk=stage.pk, status=SpecialStage.Status.RUNNING).exists():
        stop.stage = stage
        stop.border = stopping.stop(rally=rally, stage=stage, locked=locked)
    details: dict[str, object] = {"cars": stop.how}
    if stop.stage is not None:
        details |= {"stage": stop.stage.title, "split": stop.border or "-"}
    _log(None, rally, "evening ended", details)
    rally.refresh_from_db(fields=["status", "evening_since"])
    try:
        rallies.move_to_hours(rally_id=rally.pk, by=None)
    except Stale:  # the last stage has ended, and with it the rally
        return
    Agreement.objects.filter(entry__rally=rally).delete()
    Question.objects.filter(rally=rally).delete()


def _log(by: User | None, rally: Rally, action: str, details: dict[str, object]) -> None:
    told = {"rally": rally.name, **details}
    audit.record(actor=by, action=action, subject=rally, club_id=rally.club_id, details=told)

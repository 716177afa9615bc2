"""Drivers who join a rally under way: late-comers of an evening. They start last on the next stage.

A run has its seats from its beginning, so nobody joins a heat that is being driven. A semi-final or a final takes
late-comers where it has more seats than cars drive for them.
"""

from __future__ import annotations

from django.utils.translation import gettext as _

from championship.audit import services as audit
from championship.platform.refusals import Refused, Stale
from championship.rallies.control import career
from championship.rallies.entries.services.entering import give_next_number
from championship.rallies.entries.services.queueing import Room
from championship.rallies.followers import kept_out_of
from championship.rallies.knockout.services import draw_field
from championship.rallies.models import Entry, Rally, SpecialStage, StartPlace

Status = Entry.Status


def join_late(rally: Rally, entry: Entry, *, added: int | None) -> SpecialStage:
    """Let the driver of an entry join a rally under way, on the next stage that has not opened. The rally is locked. A
    car that was left out gets a start number, and is new. One that has dropped out drives on as it was.

    `added`: what is added to the worst result of each stage before; None: it gets no result there.

    Raises: Stale when the rally is not under way, or the car starts already.
    Raises: Refused when nothing is left to start, there is no place, or the driver may not enter; in a rally with heats
    also when all seats of the next cut are for cars that drive now, or organisers have chosen its list.
    """
    if rally.status != Rally.Status.RUNNING:
        raise Stale(str(rally.words.not_under_way))
    if entry.status == Status.CONFIRMED and entry.starts_from is not None:
        raise Stale(_("You are in already."))
    if entry.status == Status.REFUSED:
        raise Refused(_("The organisers have refused this entry; write to them."))
    stage = rally.stages.filter(status=SpecialStage.Status.PLANNED).order_by("number").first()
    if stage is None:
        raise Refused(_("Nothing is left to start."))
    if rally.heats is not None and seats_left(rally, stage) < 1:
        raise Refused(_("All seats that are left belong to those who drive now. With heats nobody else joins late."))
    if why := kept_out_of(rally, [entry.driver_id]).get(entry.driver_id):
        raise Refused(why)
    if entry.status != Status.CONFIRMED:
        if not Room(rally).for_one(entry.car_class):
            raise Refused(_("There is no place left: a reserve has taken it."))
        give_next_number(rally, entry)
        entry.car = career.new_car(
            rally, finished=career.finished_stages(rally, [entry.driver_id]).get(entry.driver_id, 0)
        )
    entry.driven_by, entry.starts_from, entry.late_added = Entry.DrivenBy.PERSON, stage.number, added
    entry.save()
    last = stage.start_places.order_by("-position").first()
    if last is not None and rally.heats is not None:
        draw_field(rally, stage)
    elif last is not None:  # its list is written already
        StartPlace.objects.create(special_stage=stage, entry=entry, position=last.position + 1)
    details = {"rally": rally.name, "entry": str(entry), "stage": stage.number}
    audit.record(actor=entry.driver, action="joined late", subject=entry, club_id=rally.club_id, details=details)
    return stage


def seats_left(rally: Rally, stage: SpecialStage) -> int:
    """How many late-comers a semi-final or a final still takes: its seats without the cars that may reach it, and the
    late-comers who have joined. 0 where organisers have chosen who drives: they add the driver themselves.
    """
    plan = rally.heats
    assert plan is not None
    if stage.list_by_hand:
        return 0
    drive = StartPlace.objects.filter(special_stage__rally=rally, special_stage__number=stage.number - 1).count()
    late = rally.entries.filter(status=Status.CONFIRMED, starts_from=stage.number).count()
    return plan.cut_before(stage.number).cars - drive - late

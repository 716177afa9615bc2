"""The wheel of the person's own car: who has it, and handing it to the codriver and back."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from championship.api import lookup
from championship.api.endpoint import ApiView, once, operation, person_of
from championship.api.run_shapes import HandOverShape, WheelShape
from championship.api.scopes import Scope
from championship.api.views.acts import WRITTEN
from championship.platform.refusals import Refused
from championship.rallies.entries.codrivers import manners
from championship.rallies.models import Entry, Rally
from championship.runs import play as services
from championship.runs.models import Seat
from championship.runs.play.changing_hands import FOR_GOOD
from championship.runs.watch import wheels


class MyWheel(ApiView):
    @operation("readWheel", "Who drives your car in a rally, and for how long it is handed over", answer=WheelShape)
    def get(self, request: Request, key: str) -> Any:
        rally = lookup.rally(self, request, key)
        return _wheel(rally, lookup.own_entry(request, rally))

    @once
    @operation(
        "handOver", "Hand your car to the codriver: for a turn, until the stage is over, or for good",
        body=HandOverShape, answer=WheelShape, scopes=(Scope.PLAY,), problems=WRITTEN,
    )  # fmt: skip
    def post(self, request: Request, key: str, sent: dict[str, Any]) -> Any:
        rally = lookup.rally(self, request, key)
        entry, made = lookup.own_entry(request, rally), sent["turns_made"]
        if made is None and sent["how_long"] == Seat.HandedOver.TURN:
            raise Refused("Say how many turns your car has made, as the wheel that you read says.", field="turns_made")
        services.hand_car_over(
            by=person_of(request),
            entry=entry,
            how_long=sent["how_long"],
            turns_made=-1 if made is None else made,
            manner=sent["manner"],
        )
        return _wheel(rally, lookup.own_entry(request, rally))

    @once
    @operation(
        "takeBack", "Take the wheel of your car back from the codriver", answer=WheelShape, scopes=(Scope.PLAY,),
        problems=WRITTEN,
    )  # fmt: skip
    def delete(self, request: Request, key: str) -> Any:
        rally = lookup.rally(self, request, key)
        services.take_car_back(by=person_of(request), entry=lookup.own_entry(request, rally))
        return _wheel(rally, lookup.own_entry(request, rally))


def _wheel(rally: Rally, entry: Entry) -> dict[str, Any]:
    """Return who has the wheel of the reader's own car. One query, none before the start."""
    seat = wheels.seat_on_the_road(entry) if rally.status == Rally.Status.RUNNING else None
    for_good = entry.driven_by != Entry.DrivenBy.PERSON
    if seat is not None:
        seat.entry = entry
    return {
        "entry": entry,
        "codriver": for_good or (seat is not None and seat.codriver_drives),
        "how_long": FOR_GOOD if for_good else (seat and seat.handed_over) or None,
        "run": seat and seat.run.key,
        "my_turn": seat is not None and seat.is_its_turn,  # type: ignore[attr-defined]
        "turns_made": seat and seat.turns_made,  # type: ignore[attr-defined]
        "manners": [name for name, _title in manners(rally)],
        "take_back_until": seat and seat.take_back_until,
    }

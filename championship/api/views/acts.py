"""Acts of drivers, organisers and stewards other than turns: each calls one service. One is handing the wheel to the
codriver and taking it back; its address also says who has the wheel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

from django.http import Http404
from django.urls import reverse
from rest_framework.request import Request

from championship.accounts.models import User
from championship.api import lookup, parsing
from championship.api import rally_shapes as shapes
from championship.api.endpoint import ApiView, once, operation, person_of
from championship.api.run_shapes import HandOverShape, WheelShape
from championship.api.scopes import Scope
from championship.api.shapes import DoneShape
from championship.clubs.models import Role
from championship.clubs.services import require_role
from championship.notices.notice_text import absolute_url
from championship.platform.refusals import Refused
from championship.rallies import selectors, services
from championship.rallies.entries.codrivers import names_of
from championship.rallies.models import Entry, Rally
from championship.runs import play
from championship.runs.models import Seat
from championship.runs.play.changing_hands import FOR_GOOD
from championship.runs.watch import wheels

WRITTEN = ("forbidden", "stale", "refused", "in-flight", "key-reused")


def done(what: str, rally: Rally) -> dict[str, str]:
    """Return what was done, and the address to read next."""
    return {"done": what, "read": absolute_url(reverse("api:rally", args=[rally.key]))}


class MyEntry(ApiView):
    @once
    @operation(
        "enter", "Ask to take part in a rally; organisers confirm", body=shapes.EnterShape, answer=shapes.EntryShape,
        scopes=(Scope.PLAY,), status=HTTPStatus.CREATED, problems=WRITTEN,
    )  # fmt: skip
    def post(self, request: Request, key: str, sent: dict[str, Any]) -> Any:
        rally = lookup.rally(self, request, key)
        return services.enter_rally(by=person_of(request), rally=rally, **sent)

    @once
    @operation(
        "withdraw", "Take your entry back, before the start", answer=shapes.EntryShape, scopes=(Scope.PLAY,),
        problems=WRITTEN,
    )  # fmt: skip
    def delete(self, request: Request, key: str) -> Any:
        rally = lookup.rally(self, request, key)
        return services.withdraw_entry(by=person_of(request), entry=lookup.own_entry(request, rally))


class Card(ApiView):
    @once
    @operation(
        "handInCard", "Hand in your time-control card; it is sealed until all are in",
        body=shapes.CardShape, answer=DoneShape, scopes=(Scope.PLAY,), problems=WRITTEN,
    )  # fmt: skip
    def post(self, request: Request, key: str, number: int, sent: dict[str, Any]) -> Any:
        page = lookup.rally_page(self, request, key, number)
        if not page.starts:
            raise Http404
        decision = checked_decision(page, sent["decision"])
        services.submit_time_control(by=person_of(request), special_stage=page.stage, decision=decision)
        return done("card handed in", page.rally)


def checked_decision(page: selectors.RallyPage, decision: Mapping[str, Any]) -> dict[str, Any]:
    """Return a driver's decision by the names of the game's decisions, complete: a missing one counts as not taken.

    Raises: Refused when a name or a value is not valid; it names the field.
    """
    parsing.check_plain(dict(decision), field="decision")
    asked = {each.name: each for each in selectors.decisions_of(page)}
    for name, value in decision.items():
        if name not in asked:
            raise Refused(f"This is not asked here. Asked: {', '.join(asked) or 'nothing'}.", field="decision")
        fits = isinstance(value, bool) if asked[name].type == "bool" else type(value) is int
        if not fits:
            raise Refused(
                f"{name} takes {'yes or no' if asked[name].type == 'bool' else 'a whole number'}.", field=name
            )
    nothing = {name: False if each.type == "bool" else 0 for name, each in asked.items()}
    return {**nothing, **decision}


def _organised(view: ApiView, request: Request, key: str) -> Rally:
    """Return the rally for an organiser of its club.

    Raises: Http404 or Forbidden when the person is no organiser of the club.
    """
    rally = lookup.rally(view, request, key)
    require_role(person_of(request), rally.club, Role.ORGANISER)
    return rally


class ConfirmEntry(ApiView):
    @once
    @operation(
        "confirmEntry", "Confirm an entry, under a start number or the lowest free one",
        body=shapes.ConfirmShape, answer=shapes.EntryShape, scopes=(Scope.ORGANISE,), problems=WRITTEN,
    )  # fmt: skip
    def post(self, request: Request, key: str, entry: str, sent: dict[str, Any]) -> Any:
        rally = _organised(self, request, key)
        return services.confirm_entry(by=person_of(request), entry=_entry(rally, entry), **sent)


class RefuseEntry(ApiView):
    @once
    @operation(
        "refuseEntry", "Refuse an entry, before the start", answer=shapes.EntryShape, scopes=(Scope.ORGANISE,),
        problems=WRITTEN,
    )  # fmt: skip
    def post(self, request: Request, key: str, entry: str) -> Any:
        rally = _organised(self, request, key)
        return services.refuse_entry(by=person_of(request), entry=_entry(rally, entry))


def _entry(rally: Rally, name: str) -> Entry:
    return lookup.entry_by_key(name, rally.entries.select_related("driver"))


Act = Callable[[User, Rally, int | None], Any]
ACTS: Mapping[str, Act] = {
    "confirm-all": lambda by, rally, _number: services.confirm_all(by=by, rally=rally),
    "draw": lambda by, rally, _number: services.draw_start_list(by=by, rally=rally),
    "start": lambda by, rally, _number: services.start_rally(by=by, rally=rally),
    "next-stage": lambda by, rally, number: services.start_next_stage(by=by, rally=rally, number=number),
    "close-time-control": lambda by, rally, number: _close(by, rally, number),
    "resume": lambda by, rally, _number: services.resume_rally(by=by, rally=rally),
}
"""The acts of an organiser at the desk, by the name in the address."""


def _close(by: User, rally: Rally, number: int | None) -> None:
    if number is None:
        raise Refused("Say which stage you mean.", field="stage")
    services.close_time_control(by=by, special_stage=selectors.stage_of(rally, number))


class RallyAct(ApiView):
    @once
    @operation(
        "act", f"Do what an organiser does at the desk: {', '.join(ACTS)}", body=shapes.ActShapeSent, answer=DoneShape,
        scopes=(Scope.ORGANISE,), problems=WRITTEN,
    )  # fmt: skip
    def post(self, request: Request, key: str, act: str, sent: dict[str, Any]) -> Any:
        rally = _organised(self, request, key)
        if act not in ACTS:
            raise Http404
        ACTS[act](person_of(request), rally, sent["stage"])
        return done(act, rally)


class Penalties(ApiView):
    @once
    @operation(
        "givePenalty", "Give an entry a penalty, or a bonus below zero", body=shapes.PenaltyShape, answer=DoneShape,
        scopes=(Scope.STEWARD, Scope.ORGANISE), status=HTTPStatus.CREATED, problems=WRITTEN,
    )  # fmt: skip
    def post(self, request: Request, key: str, sent: dict[str, Any]) -> Any:
        rally = lookup.rally(self, request, key)
        require_role(person_of(request), rally.club, Role.ORGANISER, Role.STEWARD)
        stage = None if sent["stage"] is None else selectors.stage_of(rally, sent["stage"])
        services.give_penalty(
            by=person_of(request),
            entry=_entry(rally, sent["entry"]),
            amount=sent["amount"],
            reason=sent["reason"],
            special_stage=stage,
        )
        return done("penalty given", rally)


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
        play.hand_car_over(
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
        play.take_car_back(by=person_of(request), entry=lookup.own_entry(request, rally))
        return _wheel(rally, lookup.own_entry(request, rally))


def _wheel(rally: Rally, entry: Entry) -> dict[str, Any]:
    """Return who has the wheel of the reader's own car. One query, none before the start."""
    car = wheels.seat_on_the_road(entry) if rally.status == Rally.Status.RUNNING else None
    seat = None if car is None else car.seat
    for_good = entry.driven_by != Entry.DrivenBy.PERSON
    if seat is not None:
        seat.entry = entry
    return {
        "entry": entry,
        "codriver": for_good or (seat is not None and seat.codriver_drives),
        "how_long": FOR_GOOD if for_good else (seat and seat.handed_over) or None,
        "run": seat and seat.run.key,
        "my_turn": car is not None and car.is_its_turn,
        "turns_made": car and car.turns_made,
        "manners": list(names_of(rally.game)),
        "take_back_until": seat and seat.take_back_until,
    }

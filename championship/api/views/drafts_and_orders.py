"""Drafts, and orders sent ahead, in games that have them."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.http import Http404
from rest_framework.request import Request

from championship.api import draft_shapes as shapes
from championship.api import endpoint, lookup, parsing
from championship.api.endpoint import ApiView, operation, person_of
from championship.api.scopes import Scope
from championship.runs import play as services
from championship.runs.models import Draft as DraftRow
from championship.runs.models import SentAhead

DRIVES = (Scope.PLAY, Scope.BOT)
LAID = ("forbidden", "stale", "refused", "in-flight", "key-reused", "not-yet")


class Draft(ApiView):
    @operation("readDraft", "Your draft in a run; 404 where nothing is laid", answer=shapes.DraftShape,
        problems=("not-yet",))  # fmt: skip
    def get(self, request: Request, key: str) -> Any:
        run = lookup.run(self, request, key)
        return _found(run.drafts.filter(person=person_of(request)).first())

    @endpoint.once
    @operation(
        "keepDraft", "Lay a draft in place of the one of before, for games in which plans are laid",
        body=shapes.DraftSentShape, answer=shapes.DraftShape, scopes=DRIVES, problems=LAID,
    )  # fmt: skip
    def put(self, request: Request, key: str, sent: dict[str, Any]) -> Any:
        run = lookup.run(self, request, key)
        parsing.check_plain(sent["laid"], field="laid")
        return services.keep_draft(by=person_of(request), run=run, plan=sent["laid"], version=sent["version"])


class Ahead(ApiView):
    @operation("readAhead", "Your orders that wait for their turn; 404 where none do", answer=shapes.AheadShape,
        problems=("not-yet",))  # fmt: skip
    def get(self, request: Request, key: str) -> Any:
        run, person = lookup.run(self, request, key), person_of(request)
        waiting = SentAhead.objects.filter(seat__run=run, person=person, state=SentAhead.State.WAITING)
        return _found(waiting.order_by("-pk").first())

    @endpoint.once
    @operation(
        "sendAhead", "Send orders before your turn, for games that take them. Those of before are withdrawn",
        body=shapes.AheadSentShape, answer=shapes.AheadShape, scopes=DRIVES, status=HTTPStatus.CREATED, problems=LAID,
    )  # fmt: skip
    def post(self, request: Request, key: str, sent: dict[str, Any]) -> Any:
        run = lookup.run(self, request, key)
        parsing.check_plain(sent["laid"], field="laid")
        orders = {name: sent[name] for name in ("orders", "version", "salt")}
        return services.send_ahead(by=person_of(request), run=run, plan=sent["laid"], **orders)

    @endpoint.once
    @operation("withdrawAhead", "Take orders back that wait for their turn; they are your draft again",
        answer=shapes.AheadShape, scopes=DRIVES, problems=LAID)  # fmt: skip
    def delete(self, request: Request, key: str) -> Any:
        return services.withdraw(by=person_of(request), run=lookup.run(self, request, key))


def _found(row: DraftRow | SentAhead | None) -> DraftRow | SentAhead:
    if row is None:
        raise Http404
    return row

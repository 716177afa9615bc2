"""Drafts, and orders sent ahead, in games that have them. The content of a draft is the game's own JSON."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.http import Http404
from rest_framework import serializers
from rest_framework.request import Request

from championship.api import endpoint, lookup, parsing
from championship.api.endpoint import ApiView, operation, person_of
from championship.api.scopes import Scope
from championship.api.shapes import Shape, UtcDateTime
from championship.runs import play as services
from championship.runs.models import Draft as DraftRow
from championship.runs.models import SentAhead
from championship.runs.play.sealing import SALT_LENGTH

DRIVES = (Scope.PLAY, Scope.BOT)
LAID = ("forbidden", "stale", "refused", "in-flight", "key-reused", "not-yet")


class DraftShape(Shape):
    """`laid`: the draft as its game writes it. `orders`: those that it is to be carried out under."""

    laid = serializers.JSONField(allow_null=True)
    orders = serializers.DictField()
    version = serializers.IntegerField()
    updated_at = UtcDateTime()


class DraftSentShape(Shape):
    """`laid`: the `draft` of a way, or of the game's own. `version`: the one of the run that was read."""

    laid = serializers.JSONField()
    version = serializers.IntegerField(min_value=0, max_value=2**31 - 1)


class AheadShape(Shape):
    """Orders that wait for their turn, or have waited. `outlook`: what they meet, as their game tells it."""

    laid = serializers.JSONField(allow_null=True)
    orders = serializers.DictField()
    outlook = serializers.JSONField(allow_null=True)
    version = serializers.IntegerField()
    state = serializers.CharField()
    sent_at = UtcDateTime()


class AheadSentShape(DraftSentShape):
    """As a draft, with orders that leave nothing to decide, and the sender's salt."""

    orders = serializers.DictField(required=False, default=dict)
    salt = serializers.CharField(max_length=SALT_LENGTH, required=False, allow_blank=True, default="")


class Draft(ApiView):
    @operation("readDraft", "Your draft in a run; 404 where nothing is laid", answer=DraftShape,
        problems=("not-yet",))  # fmt: skip
    def get(self, request: Request, key: str) -> Any:
        run = lookup.run(self, request, key)
        return _found(run.drafts.filter(person=person_of(request)).first())

    @endpoint.once
    @operation(
        "keepDraft", "Lay a draft in place of the one of before, for games in which plans are laid",
        body=DraftSentShape, answer=DraftShape, scopes=DRIVES, problems=LAID,
    )  # fmt: skip
    def put(self, request: Request, key: str, sent: dict[str, Any]) -> Any:
        run = lookup.run(self, request, key)
        parsing.check_plain(sent["laid"], field="laid")
        return services.keep_draft(by=person_of(request), run=run, plan=sent["laid"], version=sent["version"])


class Ahead(ApiView):
    @operation("readAhead", "Your orders that wait for their turn; 404 where none do", answer=AheadShape,
        problems=("not-yet",))  # fmt: skip
    def get(self, request: Request, key: str) -> Any:
        run, person = lookup.run(self, request, key), person_of(request)
        waiting = SentAhead.objects.filter(seat__run=run, person=person, state=SentAhead.State.WAITING)
        return _found(waiting.order_by("-pk").first())

    @endpoint.once
    @operation(
        "sendAhead", "Send orders before your turn, for games that take them. Those of before are withdrawn",
        body=AheadSentShape, answer=AheadShape, scopes=DRIVES, status=HTTPStatus.CREATED, problems=LAID,
    )  # fmt: skip
    def post(self, request: Request, key: str, sent: dict[str, Any]) -> Any:
        run = lookup.run(self, request, key)
        parsing.check_plain(sent["laid"], field="laid")
        orders = {name: sent[name] for name in ("orders", "version", "salt")}
        return services.send_ahead(by=person_of(request), run=run, plan=sent["laid"], **orders)

    @endpoint.once
    @operation("withdrawAhead", "Take orders back that wait for their turn; they are your draft again",
        answer=AheadShape, scopes=DRIVES, problems=LAID)  # fmt: skip
    def delete(self, request: Request, key: str) -> Any:
        return services.withdraw(by=person_of(request), run=lookup.run(self, request, key))


def _found(row: DraftRow | SentAhead | None) -> DraftRow | SentAhead:
    if row is None:
        raise Http404
    return row

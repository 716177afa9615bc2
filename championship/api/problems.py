"""Every error as a problem document (RFC 9457): what went wrong, by which rule, in which field, and what to do.

`type` is an address that explains the kind of problem. `rule` is the number of the broken rule, and `rule_address` the
page with its text. `field` is the faulty member of the request, `move` the faulty move of a draft, from 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import urljoin

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404
from django.urls import reverse
from rest_framework import exceptions
from rest_framework.response import Response

from championship.platform import database_timeouts
from championship.platform.refusals import (
    Forbidden,
    Held,
    NotCarriedOut,
    NotOffered,
    NotYet,
    Refusal,
    Stale,
)

MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of problem: its status, its title, and what the client can do."""

    status: HTTPStatus
    title: str
    do: str


KINDS: Mapping[str, Kind] = {
    "no-json": Kind(HTTPStatus.BAD_REQUEST, "The body cannot be read", "Send one JSON object in UTF-8."),
    "no-token": Kind(
        HTTPStatus.UNAUTHORIZED,
        "A token is needed",
        "Send the header Authorization: Bearer with a token from the page My programs.",
    ),
    "scope": Kind(
        HTTPStatus.FORBIDDEN, "The token lacks a scope", "Make a token with the scope that the document names."
    ),
    "forbidden": Kind(
        HTTPStatus.FORBIDDEN, "You may not do this", "Ask somebody whose role allows it, or wait for your turn."
    ),
    "not-yet": Kind(
        HTTPStatus.FORBIDDEN,
        "You may not see this yet",
        "Come back when your own run of the stage is over, or all of them are.",
    ),
    "not-found": Kind(
        HTTPStatus.NOT_FOUND, "There is nothing here", "Look at the address and at the club of your token."
    ),
    "method": Kind(HTTPStatus.METHOD_NOT_ALLOWED, "This address does not take this method", "See the header Allow."),
    "not-acceptable": Kind(HTTPStatus.NOT_ACCEPTABLE, "There is no such form of this", "Accept application/json."),
    "stale": Kind(
        HTTPStatus.CONFLICT,
        "It has changed since you saw it",
        "Read it again, decide again, and send the version that you have read.",
    ),
    "in-flight": Kind(
        HTTPStatus.CONFLICT,
        "The same request is being carried out",
        "Wait a second and send it again with the same Idempotency-Key.",
    ),
    "changed": Kind(
        HTTPStatus.PRECONDITION_FAILED,
        "It is not what If-Match names",
        "Read it again, decide again, and send the new ETag.",
    ),
    "too-large": Kind(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The body is too large", "Send less than 64 KiB."),
    "media-type": Kind(
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "The body is of another type", "Send Content-Type: application/json."
    ),
    "invalid": Kind(HTTPStatus.UNPROCESSABLE_ENTITY, "A field makes no sense", "See field and detail."),
    "refused": Kind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "The rules refuse this",
        "Read the rule; the choices of the run list what is legal. Nothing has changed.",
    ),
    "key-reused": Kind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "This Idempotency-Key came with another request",
        "Take a new key for each new request.",
    ),
    "too-many": Kind(
        HTTPStatus.TOO_MANY_REQUESTS, "Too many requests", "Wait for as many seconds as Retry-After says."
    ),
    "held": Kind(
        HTTPStatus.CONFLICT,
        "Only your earlier orders are accepted",
        "Send the orders in detail again, or wait until your turn goes on. Nothing has changed.",
    ),
    "not-carried-out": Kind(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "A fault of the service stopped your orders",
        "Nothing was played, and the operators have been notified. Send the same orders again later: no others are "
        "accepted until your turn goes on.",
    ),
    "busy": Kind(
        HTTPStatus.SERVICE_UNAVAILABLE, "The service is busy", "Send it again after Retry-After. Nothing has changed."
    ),
}


class Problem(Exception):
    """A problem of one of KINDS. `more`: further members of the document."""

    def __init__(
        self,
        kind: str,
        *,
        detail: str = "",
        field: str | None = None,
        rule: str | None = None,
        move: int | None = None,
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(kind)
        self.kind = kind
        self.members = {"detail": detail, "field": field, "rule": rule, "move": move, **more}
        self.headers = dict(headers or {})

    @property
    def status(self) -> int:
        return int(KINDS[self.kind].status)


def document(problem: Problem) -> dict[str, Any]:
    """Return the problem as JSON, without empty members."""
    kind = KINDS[problem.kind]
    members = {
        "type": urljoin(settings.SITE_URL, reverse("api:problem", args=[problem.kind])),
        "title": kind.title,
        "status": int(kind.status),
        **problem.members,
        "do": kind.do,
    }
    return {name: value for name, value in members.items() if value not in (None, "")}


def answer_to(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """Answer an exception; REST framework's exception handler. Returns None for an error of ours, which becomes a
    500.
    """
    problem = as_problem(error, context)
    if problem is None:
        return None
    headers = (
        {"WWW-Authenticate": 'Bearer realm="api"', **problem.headers} if problem.status == 401 else problem.headers
    )
    answer = Response(document(problem), status=problem.status, headers=headers)
    answer.content_type = MEDIA_TYPE
    return answer


def as_problem(error: Exception, context: Mapping[str, Any]) -> Problem | None:
    """Return the problem for an exception of a service, a selector or the framework; None for any other exception."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, NotCarriedOut):
        return _not_carried_out(error)
    if isinstance(error, Refusal):
        return _refusal(error, context)
    if isinstance(error, NotYet):
        return Problem("not-yet")
    if isinstance(error, Http404 | NotOffered):
        return Problem("not-found")
    if isinstance(error, PermissionDenied):
        return Problem("forbidden")
    if isinstance(error, RequestDataTooBig):
        return Problem("too-large")
    if database_timeouts.is_database_unavailable(error):
        return Problem("busy", headers={"Retry-After": str(database_timeouts.RETRY_AFTER)})
    return _of_the_framework(error, context)


def _not_carried_out(error: NotCarriedOut) -> Problem:
    if error.busy:
        again = {"Retry-After": str(database_timeouts.RETRY_AFTER)}
        return Problem("busy", detail=str(error.message), headers=again)
    return Problem("not-carried-out", detail=str(error.message))


def _refusal(error: Refusal, context: Mapping[str, Any]) -> Problem:
    said = {"detail": str(error.message), "field": error.field, "rule": error.rule, "move": error.move}
    view = context.get("view")
    game = getattr(view, "game", "")
    if error.rule and game:
        said["rule_address"] = urljoin(settings.SITE_URL, f"{reverse('runs:rules', args=[game])}#{error.rule}")
    kinds = {Stale: "stale", Forbidden: "forbidden", Held: "held"}
    kind = next((kind for known, kind in kinds.items() if isinstance(error, known)), "refused")
    return Problem(kind, **said)  # type: ignore[arg-type]


def _of_the_framework(error: Exception, context: Mapping[str, Any]) -> Problem | None:
    if isinstance(error, exceptions.NotAuthenticated | exceptions.AuthenticationFailed):
        return Problem("no-token")
    if isinstance(error, exceptions.ValidationError):
        field, said = _first_wrong(error.detail)
        return Problem("invalid", detail=said, field=field)
    if isinstance(error, exceptions.MethodNotAllowed):
        allowed = ", ".join(getattr(context.get("view"), "allowed_methods", ()))
        return Problem("method", headers={"Allow": allowed})
    kinds: tuple[tuple[type[Exception], str], ...] = (
        (exceptions.UnsupportedMediaType, "media-type"),
        (exceptions.NotAcceptable, "not-acceptable"),
        (exceptions.ParseError, "no-json"),
        (exceptions.NotFound, "not-found"),
        (exceptions.PermissionDenied, "forbidden"),
    )
    return next((Problem(kind) for known, kind in kinds if isinstance(error, known)), None)


def _first_wrong(detail: Any, path: str = "") -> tuple[str, str]:
    """Return the first field that a serializer refuses, and the reason."""
    if isinstance(detail, Mapping):
        name, inner = next(iter(detail.items()))
        own = "" if name == "non_field_errors" else str(name)
        return _first_wrong(inner, f"{path}.{own}".strip(".") if own else path)
    if isinstance(detail, list):
        return _first_wrong(detail[0], path)
    return path, str(detail)

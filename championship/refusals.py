"""How a service says no: the message, the field, rule and move it is about, and the HTTP status it becomes.

A service raises inside its transaction, so a refusal always leaves everything as it was. Views put a
`Refused` into their form; whatever they do not catch, `RefusalMiddleware` turns into a page.

A selector raises `NotYet` where the viewer would see something that is sealed. No view catches it. What a game does
not offer has no page: `NotOffered` becomes 404.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.shortcuts import render
from django.views.defaults import page_not_found

from engine.contract import NotOffered as NotOffered

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse
    from django.utils.functional import _StrPromise


class Refused(Exception):
    """What was asked cannot be done; `message` is for the person who asked.

    field: the form field to show it at. rule: the rule broken, such as "M4".
    move: the move of a plan it is about, from 1.
    """

    status = HTTPStatus.UNPROCESSABLE_ENTITY

    def __init__(
        self,
        message: str | _StrPromise,
        *,
        field: str | None = None,
        rule: str | None = None,
        move: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.rule = rule
        self.move = move

    def __str__(self) -> str:
        return str(self.message)


class Forbidden(Refused):
    """The person is known and may see the thing, but lacks the role to do this."""

    status = HTTPStatus.FORBIDDEN


class Stale(Refused):
    """Somebody was quicker: what the person looked at has changed since."""

    status = HTTPStatus.CONFLICT


class Resting(Refused):
    """The service takes no turns for now: its database was set back in time, and stages have yet to get new seals."""

    status = HTTPStatus.CONFLICT


class NotYet(Exception):
    """The viewer may not see this yet: it would tell them what they are still to draw or decide.

    `template` is the page that says when it is shown, `context` what that page names; it shows nothing of the thing.
    It is no `Refused`: a view that puts refusals into its page would show that page.
    """

    status = HTTPStatus.FORBIDDEN

    def __init__(self, template: str, context: dict[str, Any]) -> None:
        super().__init__(template)
        self.template = template
        self.context = context


class RefusalMiddleware:
    """Turns a refusal no view has caught into a page with its message and status."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, NotYet):
            return render(request, exception.template, exception.context, status=exception.status)
        if isinstance(exception, NotOffered):
            return page_not_found(request, exception)
        if not isinstance(exception, Refused):
            return None
        context = {
            "message": exception.message,
            "rule": exception.rule,
            "move": exception.move,
            "status": int(exception.status),
        }
        return render(request, "refused.html", context, status=exception.status)

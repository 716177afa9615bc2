"""The exceptions with which a service refuses: message, HTTP status, and the field, rule and move they are about.

A service raises inside its transaction, so a refusal never changes anything. The one exception is `NotCarriedOut`.
Views put a `Refused` into their form. `Forbidden` and `Stale` are its siblings: a view that can show them in its form
catches them by name, or `Refusal`, the kind of all three.
`RefusalMiddleware` turns every refusal that no view catches into a page.

A selector raises `NotYet` where the viewer would see something that is sealed. No view catches it. A page that a game
does not offer does not exist: `NotOffered` becomes 404.
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


class Refusal(Exception):
    """A service does not do what was requested. `message` is for the person who made the request.

    field: the form field to show it at. rule: the broken rule, such as "M4".
    move: the number, from 1, of the move of the orders that it is about.
    game: the name of the game whose rule it is.
    """

    status = HTTPStatus.UNPROCESSABLE_ENTITY

    def __init__(
        self,
        message: str | _StrPromise,
        *,
        field: str | None = None,
        rule: str | None = None,
        move: int | None = None,
        game: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.rule = rule
        self.move = move
        self.game = game

    def __str__(self) -> str:
        return str(self.message)


class Refused(Refusal):
    """The request cannot be done. Another one may be possible."""


class Forbidden(Refusal):
    """The person is known and may see the thing, but lacks the role to do this. This is no `Refused`: code that goes on
    after a refusal does not go on without the role.
    """

    status = HTTPStatus.FORBIDDEN


class Stale(Refusal):
    """Somebody else was quicker: the data that the person saw has changed since. This is no `Refused`: the same request
    may be right once the person has seen the data again, so a page shows it as it is now.
    """

    status = HTTPStatus.CONFLICT


class TurnsSuspended(Refused):
    """The service takes no turns now: its database was set back in time, and its stages do not have new seals yet."""

    status = HTTPStatus.CONFLICT


class Held(Refused):
    """The seat is held to orders that were drawn for and could not be carried out: others are not accepted now."""

    status = HTTPStatus.CONFLICT


class NotCarriedOut(Refused):
    """Orders asked chance for something, and an error of the service stopped them. This is no refusal of the orders:
    the service is at fault. `busy`: it only waited too long, and the same orders may be sent again at once.

    It is raised when the transaction is over, since what it wrote stays: the seat is held to these orders.
    """

    status = HTTPStatus.INTERNAL_SERVER_ERROR

    def __init__(self, message: str | _StrPromise, *, busy: bool = False) -> None:
        super().__init__(message)
        self.busy = busy
        if busy:
            self.status = HTTPStatus.SERVICE_UNAVAILABLE


class NotYet(Exception):
    """The viewer may not see this yet: it would reveal something that they have yet to draw or decide.

    `template` is the page that says when it will be shown, and `context` is its context. The page shows nothing of the
    sealed thing. This is no `Refused`: a view that puts refusals into its own page would show that page.
    """

    status = HTTPStatus.FORBIDDEN

    def __init__(self, template: str, context: dict[str, Any]) -> None:
        super().__init__(template)
        self.template = template
        self.context = context


class RefusalMiddleware:
    """Turns a refusal that no view has caught into a page with its message and status."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, NotYet):
            return render(request, exception.template, exception.context, status=exception.status)
        if isinstance(exception, NotOffered):
            return page_not_found(request, exception)
        if not isinstance(exception, Refusal):
            return None
        context = {
            "message": exception.message,
            "rule": exception.rule,
            "game": exception.game,
            "move": exception.move,
            "status": int(exception.status),
        }
        return render(request, "refused.html", context, status=exception.status)

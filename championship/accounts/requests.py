"""Requests of people who are signed in."""

from __future__ import annotations

from typing import TypeGuard

from django.http import HttpRequest

from championship.accounts.models import User


class SignedInRequest(HttpRequest):
    """The request of a view behind `login_required`: its user has an account. A type only; it is never instantiated."""

    user: User


def is_signed_in(request: HttpRequest) -> TypeGuard[SignedInRequest]:
    """Whether somebody with an account sends this request."""
    return request.user.is_authenticated

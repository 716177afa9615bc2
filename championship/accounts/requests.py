"""Requests of people who are signed in."""

from __future__ import annotations

from typing import TypeGuard

from django.http import HttpRequest

from championship.accounts.models import User


class SignedInRequest(HttpRequest):
    """What a view behind `login_required` gets: its user has an account. A type only, none is ever made."""

    user: User


def is_signed_in(request: HttpRequest) -> TypeGuard[SignedInRequest]:
    """Return whether somebody with an account sends this request."""
    return request.user.is_authenticated

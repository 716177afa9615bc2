"""Queries for tokens."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from championship.accounts.models import User
from championship.api.models import Token
from championship.api.services import digest_of
from championship.prepared_queries import Asked, ask_together, prepared

OF_THE_PAGES = ("password", "last_login", "is_superuser", "date_joined", "refused_address", "refused_because")
TEXTS = ("about", "house_rules", "close_reason")
"""Columns of person (OF_THE_PAGES) and club (TEXTS) that no request by program needs. They are deferred."""


def tokens_of(person: User) -> QuerySet[Token]:
    """Return the person's tokens that are not revoked, newest first, with their clubs. One query."""
    return Token.objects.filter(person=person, revoked_at=None).select_related("club").order_by("-made_at", "-pk")


@prepared
def _by_digest(digest: Any) -> QuerySet[Token]:
    tokens = Token.objects.filter(digest=digest).select_related("person", "club").order_by()
    return tokens.defer(*(f"person__{name}" for name in OF_THE_PAGES), *(f"club__{name}" for name in TEXTS))


def token_by_text(text: str, *beside: Asked[Any]) -> tuple[Token | None, list[list[Any]]]:
    """Return the token with this text, with its person and its club, whether or not it is still valid, and the rows of
    other queries that are run in the same trip. One query.
    """
    tokens, *rows = ask_together(_by_digest.asked(digest=digest_of(text)), *beside)
    return next(iter(tokens), None), rows

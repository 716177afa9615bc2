"""Queries for tokens."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from championship.accounts.models import User
from championship.api.models import Token
from championship.api.services import digest_of
from championship.platform.prepared_queries import BoundQuery, prepared, run_together

UNUSED_PERSON_COLUMNS = ("password", "last_login", "is_superuser", "date_joined", "refused_address", "refused_because")
UNUSED_CLUB_COLUMNS = ("about", "house_rules", "close_reason")
"""Columns of a person and of a club that no request by a program needs. They are deferred."""


def tokens_of(person: User) -> QuerySet[Token]:
    """Return the person's tokens that are not revoked, newest first, with their clubs. One query."""
    return Token.objects.filter(person=person, revoked_at=None).select_related("club").order_by("-made_at", "-pk")


@prepared
def _by_digest(digest: Any) -> QuerySet[Token]:
    tokens = Token.objects.filter(digest=digest).select_related("person", "club").order_by()
    return tokens.defer(
        *(f"person__{name}" for name in UNUSED_PERSON_COLUMNS), *(f"club__{name}" for name in UNUSED_CLUB_COLUMNS)
    )


def token_by_text(text: str, *beside: BoundQuery[Any]) -> tuple[Token | None, list[list[Any]]]:
    """Return the token with this text, with its person and its club, whether or not it is still valid, and the rows of
    other queries that are run in the same trip. One query.
    """
    tokens, *rows = run_together(_by_digest.bind(digest=digest_of(text)), *beside)
    return next(iter(tokens), None), rows

"""Reading tokens."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from championship.accounts.models import User
from championship.api.models import Token
from championship.api.services import digest_of
from championship.prepared_queries import prepared


def tokens_of(person: User) -> QuerySet[Token]:
    """The person's tokens that are not revoked, newest first, with their clubs: one query."""
    return Token.objects.filter(person=person, revoked_at=None).select_related("club").order_by("-made_at", "-pk")


@prepared
def _by_digest(digest: Any) -> QuerySet[Token]:
    return Token.objects.filter(digest=digest).select_related("person", "club").order_by()


def token_by_text(text: str) -> Token | None:
    """The token that a program shows, with its person, whether or not it still works: one query."""
    return _by_digest.first(digest=digest_of(text))

"""Reading tokens."""

from __future__ import annotations

from django.db.models import QuerySet

from championship.accounts.models import User
from championship.api.models import Token
from championship.api.services import digest_of


def tokens_of(person: User) -> QuerySet[Token]:
    """The person's tokens that are not revoked, newest first, with their clubs: one query."""
    return Token.objects.filter(person=person, revoked_at=None).select_related("club").order_by("-made_at", "-pk")


def token_by_text(text: str) -> Token | None:
    """The token that a program shows, with its person and club, whether or not it still works: one query."""
    return Token.objects.filter(digest=digest_of(text)).select_related("person", "club").first()

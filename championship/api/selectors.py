"""Reading tokens."""

from __future__ import annotations

from django.db.models import Model, QuerySet

from championship.accounts.models import User
from championship.api.models import Token
from championship.api.services import digest_of
from championship.compiled_queries import CompiledQuery


def _columns_of(model: type[Model]) -> list[str]:
    return [field.attname for field in model._meta.concrete_fields]


BY_DIGEST = CompiledQuery(
    lambda digest: (
        Token.objects.filter(digest=digest)
        .order_by()
        .values_list(*_columns_of(Token), *(f"person__{name}" for name in _columns_of(User)))
    ),
    str,
)


def tokens_of(person: User) -> QuerySet[Token]:
    """The person's tokens that are not revoked, newest first, with their clubs: one query."""
    return Token.objects.filter(person=person, revoked_at=None).select_related("club").order_by("-made_at", "-pk")


def token_by_text(text: str) -> Token | None:
    """The token that a program shows, with its person, whether or not it still works: one query."""
    rows = BY_DIGEST.ask(digest_of(text))
    if not rows:
        return None
    names = _columns_of(Token)
    token = Token.from_db("default", names, rows[0][: len(names)])
    token.person = User.from_db("default", _columns_of(User), rows[0][len(names) :])
    return token

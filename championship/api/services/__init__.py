"""Writes about tokens: making one, revoking one, noting its use, and the end of those of a closed account; and the
queries for them. Beside it, `idempotency` keeps answers for a request that is sent twice.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.text import one_line
from championship.api.models import LONGEST_NAME, PREFIX_LENGTH, KeptAnswer, Token
from championship.api.scopes import FOR_BOTS, Scope
from championship.audit.services import record
from championship.clubs.models import Club
from championship.clubs.services import OF_BOTS, require_role
from championship.failures.batches import by_batches
from championship.notices.services import enqueue
from championship.platform import clock
from championship.platform.prepared_queries import BoundQuery, prepared, run_together
from championship.platform.refusals import Refused

MARK = "pf_"
"""The beginning of every token, so that a scanner of published code can find tokens."""
SECRET_BYTES = 32
MOST_TOKENS = 30
LONGEST_LIFE = 366
"""Days."""
NOTED_EVERY = timedelta(minutes=1)
"""The last use of a token is stored at most this often."""
UNUSED_PERSON_COLUMNS = ("password", "last_login", "is_superuser", "date_joined", "refused_address", "refused_because")
UNUSED_CLUB_COLUMNS = ("about", "house_rules", "close_reason")
"""Columns of a person and of a club that no request by a program needs. They are deferred."""


def digest_of(text: str) -> str:
    """Return the digest of a token that the database stores. A token has 256 random bits, so a plain SHA-256 is
    enough.
    """
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


@transaction.atomic
def make_token(
    *, by: User, name: str, scopes: Iterable[str], days: int | None = None, club: Club | None = None
) -> tuple[Token, str]:
    """Make a token for `days` days (None: until it is revoked). Returns it and its text, which cannot be read again
    later.

    Raises: Refused when a field (name, scopes, days) is not valid, or when the person has too many tokens.
    Raises: Http404 when the person is no member of the club.
    """
    if club is not None:
        require_role(by, club)
    person = User.objects.select_for_update().get(pk=by.pk)
    if Token.objects.filter(person=by, revoked_at=None).count() >= MOST_TOKENS:
        raise Refused(_("You have %d tokens. Revoke one first.") % MOST_TOKENS, field="name")
    if days is not None and not 1 <= days <= LONGEST_LIFE:
        raise Refused(_("A token is valid for 1 to %d days.") % LONGEST_LIFE, field="days")
    secret = secrets.token_urlsafe(SECRET_BYTES)
    text = f"{MARK}{secret}"
    now = clock.now()
    token = Token.objects.create(
        person=by,
        club=club,
        name=_checked_name(name),
        prefix=text[:PREFIX_LENGTH],
        digest=digest_of(text),
        scopes=_checked_scopes(person, scopes),
        made_at=now,
        expires_at=None if days is None else now + timedelta(days=days),
    )
    details = {"name": token.name, "scopes": token.scopes}
    record(actor=by, action="token made", subject=token, club_id=club.pk if club else None, details=details)
    _notify(token)
    return token, text


def _notify(token: Token) -> None:
    """Notify the token's person by mail, because somebody else may have made the token."""
    context = {"name": token.name, "prefix": token.prefix, "club": token.club.name if token.club else ""}
    enqueue(
        recipient=token.person,
        kind="token made",
        subject_key=f"token {token.pk}",
        context={**context, "scopes": list(token.scopes)},
        link=reverse("api:programs"),
    )


@transaction.atomic
def revoke_token(*, by: User, pk: int) -> Token:
    """Revoke the token. Doing it again changes nothing.

    Raises: Http404 when the token is another person's.
    """
    token = Token.objects.select_for_update(of=("self",)).filter(pk=pk, person=by).first()
    if token is None:
        raise Http404
    if token.revoked_at is None:
        token.revoked_at = clock.now()
        token.save(update_fields=["revoked_at"])
        record(actor=by, action="token revoked", subject=token, club_id=token.club_id)
    return token


@transaction.atomic
def become_bot(*, by: User) -> User:
    """Turn this account into a bot's, for good: from now on a program drives for it. Tokens with other scopes are
    revoked.

    Raises: Refused when the person has another role than driver in a club, or has entered a rally.
    """
    person = User.objects.select_for_update().get(pk=by.pk)
    if person.is_bot:
        return person
    roles = {role for held in person.memberships.values_list("roles", flat=True) for role in held}
    if not roles <= OF_BOTS:
        raise Refused(_("You have duties in a club. Make another account for the bot."))
    if person.entries.exists():
        raise Refused(_("You have entered rallies as a person. Make another account for the bot."))
    person.is_bot = True
    person.save(update_fields=["is_bot"])
    more = [scope for scope in Scope.values if scope not in FOR_BOTS]
    Token.objects.filter(person=person, revoked_at=None, scopes__overlap=more).update(revoked_at=clock.now())
    record(actor=person, action="became a bot", subject=person, club_id=None)
    return person


def note_use(token: Token, now: datetime) -> None:
    """Store when the token was used, to the minute. One query, but mostly none."""
    if token.last_used_at is None or now - token.last_used_at >= NOTED_EVERY:
        Token.objects.filter(pk=token.pk).update(last_used_at=now)


def _checked_name(name: str) -> str:
    name = name.strip()
    if not name or len(name) > LONGEST_NAME:
        raise Refused(_("Give the token a name of 1 to %d characters.") % LONGEST_NAME, field="name")
    try:
        one_line(name)
    except ValidationError as error:
        raise Refused(error.messages[0], field="name") from error
    return name


def _checked_scopes(person: User, scopes: Iterable[str]) -> list[str]:
    """Return the scopes in their fixed order, each once. `person` must be locked, so that they cannot become a bot in
    the meantime.
    """
    wanted = set(scopes)
    if not wanted:
        raise Refused(_("Choose at least one scope."), field="scopes")
    if not wanted <= set(Scope.values):
        raise Refused(_("There is no such scope."), field="scopes")
    if person.is_bot and not wanted <= FOR_BOTS:
        raise Refused(_("A bot makes turns and decides nothing else."), field="scopes")
    return [scope.value for scope in Scope if scope in wanted]


class TokensOfPeople:
    """Tokens with which programs act for people, and the answers kept for these programs."""

    def account_closed(self, person: User) -> None:
        """Revoke the person's tokens and delete the kept answers to their requests.

        A request under way has locked its own answer and may wait for rows that are locked here, so its answer is
        skipped. The nightly cleanup deletes it.
        """
        Token.objects.filter(person=person, revoked_at=None).update(revoked_at=clock.now())
        settled = KeptAnswer.objects.select_for_update(of=("self",), skip_locked=True).filter(token__person=person)
        KeptAnswer.objects.filter(pk__in=list(settled.values_list("pk", flat=True))).delete()


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


def delete_old_answers(before: datetime) -> int:
    """Delete the answers that are kept for requests before that moment. Returns their number.

    It is here, because every process registers it, and only those that answer programs need the REST framework.
    """
    return by_batches(KeptAnswer.objects.filter(asked_at__lt=before))

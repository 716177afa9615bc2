"""Every write about tokens: making one, revoking one, noting that one was used."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext as _

from championship import clock
from championship.accounts.models import User
from championship.accounts.text import one_line
from championship.api.models import LONGEST_NAME, PREFIX_LENGTH, Token
from championship.api.scopes import FOR_BOTS, Scope
from championship.audit.services import record
from championship.clubs.models import Club
from championship.clubs.services import OF_BOTS, require_role
from championship.notices.services import enqueue
from championship.refusals import Refused

MARK = "pf_"
"""What every token begins with, so that a scanner of published code can find one."""
SECRET_BYTES = 32
MOST_TOKENS = 30
LONGEST_LIFE = 366
"""Days."""
NOTED_EVERY = timedelta(minutes=1)
"""A token's last use is written down so often at most."""


def digest_of(text: str) -> str:
    """What the database keeps of a token. It holds 256 random bits, so that a plain SHA-256 is enough."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


@transaction.atomic
def make_token(
    *, by: User, name: str, scopes: Iterable[str], days: int | None = None, club: Club | None = None
) -> tuple[Token, str]:
    """Make a token for `days` days (None: until it is revoked). Returns it and its text, which is told only now.

    Raises: Refused with the field (name, scopes, days), Http404 for a club the person is not in.
    """
    if club is not None:
        require_role(by, club)
    person = User.objects.select_for_update().get(pk=by.pk)
    if Token.objects.filter(person=by, revoked_at=None).count() >= MOST_TOKENS:
        raise Refused(_("You have %d tokens. Revoke one first.") % MOST_TOKENS, field="name")
    if days is not None and not 1 <= days <= LONGEST_LIFE:
        raise Refused(_("A token is good for 1 to %d days.") % LONGEST_LIFE, field="days")
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
    _tell(token)
    return token, text


def _tell(token: Token) -> None:
    """Tell the token's person by a letter that it was made: they may not have been who made it."""
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
    """The token opens nothing from now on; doing it again changes nothing. Http404 for another person's token."""
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
    """A program drives for this account from now on; that is for good. Tokens that may do more are revoked.

    Raises: Refused for somebody who has a role in a club beside driver, or has entered a rally.
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
    """Remember when the token was used, to the minute: one query, most of the time none."""
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
    """The scopes in their fixed order, each once. `person` is locked, so that they become no bot meanwhile."""
    wanted = set(scopes)
    if not wanted:
        raise Refused(_("Choose at least one scope."), field="scopes")
    if not wanted <= set(Scope.values):
        raise Refused(_("There is no such scope."), field="scopes")
    if person.is_bot and not wanted <= FOR_BOTS:
        raise Refused(_("A bot makes turns and decides nothing else."), field="scopes")
    return [scope.value for scope in Scope if scope in wanted]

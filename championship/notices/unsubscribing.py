"""Links in letters that switch kinds of mail off, without signing in: signed, so that nobody can make one up."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.core import signing

from championship.accounts.models import User
from championship.notices import kinds

SALT = "championship.notices.unsubscribing"


@dataclass(frozen=True, slots=True)
class Leaving:
    """Who would be spared which kinds of mail. A kind that no app registers any more is left out."""

    person: User
    kinds: tuple[kinds.Kind, ...]


def token_for(person: User, names: Iterable[str]) -> str:
    """The signed part of the address; it never runs out, since a letter is kept for years."""
    return signing.dumps([person.pk, *names], salt=SALT)


def read(token: str) -> Leaving | None:
    """What the token stands for; None for one we did not sign, or whose person is gone."""
    try:
        pk, *names = signing.loads(token, salt=SALT)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    person = User.objects.filter(pk=pk).first()
    if person is None:
        return None
    known = {kind.name: kind for kind in kinds.switchable()}
    return Leaving(person, tuple(known[name] for name in names if name in known))

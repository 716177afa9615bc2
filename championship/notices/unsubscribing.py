"""Links in letters that switch kinds of mail off without signing in. They are signed, so that nobody can forge one."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.core import signing

from championship.accounts.models import User
from championship.notices import kinds

SALT = "championship.notices.unsubscribing"


@dataclass(frozen=True, slots=True)
class Unsubscription:
    """A person, and the kinds of mail to switch off. It leaves out kinds that no app registers any more."""

    person: User
    kinds: tuple[kinds.Kind, ...]


def token_for(person: User, names: Iterable[str]) -> str:
    """The signed part of the address. It never expires, because people keep letters for years."""
    return signing.dumps([person.pk, *names], salt=SALT)


def read(token: str) -> Unsubscription | None:
    """The content of the token; None if its signature is not ours, or its person no longer exists."""
    try:
        pk, *names = signing.loads(token, salt=SALT)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    person = User.objects.filter(pk=pk).first()
    if person is None:
        return None
    known = {kind.name: kind for kind in kinds.switchable()}
    return Unsubscription(person, tuple(known[name] for name in names if name in known))

"""What archives know of a person who leaves. The tables are read late: games add theirs when all apps are ready."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from championship.accounts.borne_names import Borne
from championship.accounts.models import User
from championship.accounts.renaming import Change

FORGETTING = "championship.archive.forgetting"


def forget(person: User, names: list[Borne], pseudonym: str) -> Iterable[Change]:
    """Replace the person's names in all that their clubs own; what was changed."""
    changes: Iterable[Change] = import_module(FORGETTING).forget(person, names, pseudonym)
    return changes


def crews_of(person: User) -> Iterable[Borne]:
    """How the person's cars were called."""
    crews: Iterable[Borne] = import_module(FORGETTING).crews_of(person)
    return crews


def on_account_ended(*, person: User, **kwargs: Any) -> None:
    """Throw away copies that still name the person."""
    import_module(FORGETTING).on_account_ended(person=person)

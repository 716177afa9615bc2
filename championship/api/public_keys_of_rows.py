"""Names of people and entries in the API. Rows' numbers stay inside: a name is a keyed digest of one."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Model
from django.http import Http404
from django.utils.crypto import salted_hmac

from championship.accounts.models import User
from championship.rallies.models import Entry

LENGTH = 16


def _name(kind: str, pk: int) -> str:
    return salted_hmac(f"championship.api.{kind}", str(pk), algorithm="sha256").hexdigest()[:LENGTH]


def of_person(pk: int) -> str:
    """The name of a person."""
    return _name("person", pk)


def of_row(row: Model) -> str:
    """The name of a person or a team."""
    return _name("person" if isinstance(row, User) else row._meta.model_name or "", row.pk)


def of_entry(pk: int) -> str:
    """The name of an entry."""
    return _name("entry", pk)


def entry_called(name: str, entries: Iterable[Entry]) -> Entry:
    """The entry of that name among those of its rally, which are 999 at most.

    Raises: Http404 where there is none.
    """
    found = next((entry for entry in entries if of_entry(entry.pk) == name), None)
    if found is None:
        raise Http404
    return found

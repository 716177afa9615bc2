"""Public keys of people, teams and entries in the API. Row ids are never shown: a public key is a keyed digest of the
id.
"""

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
    """Return the public key of a person."""
    return _name("person", pk)


def of_row(row: Model) -> str:
    """Return the public key of a person or a team."""
    return _name("person" if isinstance(row, User) else row._meta.model_name or "", row.pk)


def of_entry(pk: int) -> str:
    """Return the public key of an entry."""
    return _name("entry", pk)


def entry_by_key(name: str, entries: Iterable[Entry]) -> Entry:
    """Return the entry with that public key among those of its rally, which are at most 999.

    Raises: Http404 when there is none.
    """
    found = next((entry for entry in entries if of_entry(entry.pk) == name), None)
    if found is None:
        raise Http404
    return found

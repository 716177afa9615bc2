"""All data about one person as JSON, for their right to a copy.

It contains the rows that point to the person, column by column, but no secrets that would let somebody act in their
name.
"""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.db.models import BinaryField, Field, Model
from django.db.models.fields.related import ForeignKey

from championship.accounts.models import User
from championship.platform import clock

SECRETS = {
    "password",
    "key",
    "calendar_key",
    "digest",
    "secret",
    "old_secret",
    "p256dh",
    "auth",
    "endpoint",
    "session",
    "url",
    "salt",
    "token_hash",
    "replaced",
}
"""Columns that would let somebody act in a person's name, or predict random draws."""
OF_OTHERS = {("moments.comment", "hidden_by"), ("evenings.word", "hidden_by")}
"""Columns that name who dealt with the words of another person. Their rows are not exported for that reason alone."""
LEFT_OUT = {
    "accounts.closing": "exists only for who has left",
    "api.keptanswer": "copies of answers, kept for a day",
    "archive.archive": "a club's",
    "mfa.authenticator": "the keys of passkeys",
}
OF_ENTRIES = {
    "rallies.stagetime": "entry__driver",
    "rallies.startplace": "entry__driver",
    "rallies.penalty": "entry__driver",
    "rallies.exclusion": "entry__driver",
    "stewards.protest": "by__driver",
    "runs.turn": "seat__entry__driver",
    "runs.phrase": "entry__driver",
}
"""Rows that belong to a person's entries, with the lookup that leads to the person."""
COUNTS_OTHERS = {"runs.post": ("run__status", "running", ("id", "number"))}
"""Tables with columns that reveal how many posts other people have sent, by table: a lookup, a value of it, and the
columns that are left out of a row with that value. Posts of a running run may be sealed.
"""


def own_data(person: User) -> dict[str, Any]:
    """Return the person's rows by table, JSON-plain but for datetimes, without ids of other people. One query for each
    table.
    """
    exported: dict[str, Any] = {
        "made_at": clock.now(),
        "person": _row(dict(User.objects.filter(pk=person.pk).values().get())),
    }
    for model in apps.get_models():
        label = model._meta.label_lower
        if label in LEFT_OUT:
            continue
        for name in links_to_people(model):
            if (label, name) in OF_OTHERS:
                continue
            rows = _rows(model, name, person)
            if rows:
                exported[f"{label}, {name}"] = rows
        if label in OF_ENTRIES:
            exported[label] = _rows(model, OF_ENTRIES[label], person)
    return exported


def links_to_people(model: type[Model]) -> list[str]:
    """Return the columns of a table that point to a person."""
    return [
        field.name
        for field in model._meta.local_fields
        if isinstance(field, ForeignKey) and field.related_model is User
    ]


def _rows(model: type[Model], link: str, person: User) -> list[dict[str, Any]]:
    """Return the rows from which the lookup `link` leads to the person."""
    names = [field.attname for field in model._meta.local_fields if _is_exported(field)]
    found = model._base_manager.filter(**{link: person}).order_by("pk")
    if model._meta.label_lower not in COUNTS_OTHERS:
        return [_without_others(model, row, person) for row in found.values(*names)]
    lookup, value, columns = COUNTS_OTHERS[model._meta.label_lower]
    exported = []
    for row in found.values(*names, lookup):
        under_way = row.pop(lookup) == value
        kept = {name: row[name] for name in row if not (under_way and name in columns)}
        exported.append(_without_others(model, kept, person))
    return exported


def _without_others(model: type[Model], row: dict[str, Any], person: User) -> dict[str, Any]:
    """Return the row without the columns that hold the id of another person, such as the official who hid a comment."""
    columns = [f"{name}_id" for name in links_to_people(model)]
    others = {column for column in columns if row.get(column) not in (None, person.pk)}
    return {name: value for name, value in row.items() if name not in others}


def _is_exported(field: Field[Any, Any]) -> bool:
    return field.name not in SECRETS and not isinstance(field, BinaryField)


def _row(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in SECRETS}

"""What was found in a list, as JSON and back, by the fields of the dataclasses of `found.py`."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from datetime import date
from typing import Any

from championship.lists import found
from championship.lists.found import FoundEntries, FoundSeason

KINDS = {
    each.__name__: each
    for each in (
        *(found.Note, found.FoundPerson, found.FoundTime, found.FoundResult, found.FoundRound, found.FoundTotal),
        *(FoundSeason, FoundEntries),
    )
}
KIND, DAY, SET = "=", "=day", "=set"
"""Keys of an object in JSON: which dataclass it is; or it is a day, or a set."""


def as_json(value: Any) -> Any:
    """Return a value that was found as JSON. Fields that have their default are left out."""
    if is_dataclass(value):
        told = {each.name: getattr(value, each.name) for each in fields(value)}
        kept = {name: as_json(one) for name, one in told.items() if not _is_nothing(one)}
        return {KIND: type(value).__name__, **kept}
    if isinstance(value, date):
        return {DAY: value.isoformat()}
    if isinstance(value, frozenset):
        return {SET: sorted(value)}
    return [as_json(one) for one in value] if isinstance(value, tuple) else value


def of_json(value: Any) -> Any:
    """Return the value of which `as_json` has made this."""
    if isinstance(value, list):
        return tuple(of_json(one) for one in value)
    if not isinstance(value, dict):
        return value
    if DAY in value:
        return date.fromisoformat(value[DAY])
    if SET in value:
        return frozenset(value[SET])
    kind = KINDS[value[KIND]]
    empty = {each.name: _nothing(str(each.type)) for each in fields(kind)}
    return kind(**{**empty, **{name: of_json(one) for name, one in value.items() if name != KIND}})


def _is_nothing(value: Any) -> bool:
    """Return whether a field says nothing. The number 0 says something."""
    return value is None or value is False or (isinstance(value, str | tuple | frozenset) and not value)


def _nothing(kind: str) -> Any:
    """Return what a field of that type has when JSON leaves it out."""
    if kind.endswith("| None"):
        return None
    if kind.startswith("tuple"):
        return ()
    if kind.startswith("frozenset"):
        return frozenset()
    return {"str": "", "bool": False}.get(kind, "")

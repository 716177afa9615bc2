"""What was understood of a list, as JSON for people who try files: the command `read_list`, and the tests."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from datetime import date
from typing import Any

from championship.lists.reading import Reading

UNSAID: tuple[Any, ...] = (None, "", False, (), frozenset())


def told(reading: Reading) -> dict[str, Any]:
    """Return the sheet, the columns with their roles, and all that was found; what is empty is left out."""
    return {
        **({"sheets": list(reading.sheets), "sheet": reading.sheet} if len(reading.sheets) > 1 else {}),
        **({"titles": list(reading.titles)} if reading.titles else {}),
        "columns": [[column.heading, column.role] for column in reading.columns],
        "found": _plain(reading.found),
    }


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        said = {each.name: getattr(value, each.name) for each in fields(value)}
        return {name: _plain(inner) for name, inner in said.items() if inner not in UNSAID}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value.isoformat() if isinstance(value, date) else value

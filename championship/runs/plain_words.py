"""Events and ways of a game that brings no words of its own, as sentences for the log and the buttons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from championship.runs.games import Sentence

Words = Mapping[str, "str | Promise"]
"""Templates by name, such as {"rolled": _("%(seat)s rolls %(face)s.")}."""

FRAME = ("kind", "seat", "only", "until", "closes")
"""What an event says of itself. The rest is what happened."""

SHARED, OWN = "round", "move"
"""The colours of a line that is about all seats, and of one about a single seat."""


def word(name: str) -> str:
    """Return a short word of a game in the reader's language, as far as a catalogue has it."""
    return _(name.replace("_", " ")) if name else ""


def sentence(event: Mapping[str, Any], names: Mapping[str, str], tells: Words) -> Sentence:
    """Return an event in words. `names` are the people's by seat, `tells` the game's own templates by kind.

    A kind without a template is told as "Kind: field value, field value", and says whose it is.
    """
    who = names.get(event.get("seat") or "", event.get("seat") or "")
    kind = OWN if event.get("seat") is not None else SHARED
    values = {field: value_in_words(value, names) for field, value in event.items() if field not in FRAME}
    template = tells.get(event["kind"])
    if template is not None:
        return Sentence(str(template) % {**values, "seat": who}, kind)
    told = word(event["kind"])
    said = told[:1].upper() + told[1:]
    facts = ", ".join(f"{word(field)} {value}" for field, value in values.items())
    return Sentence(f"{said}: {facts}." if facts else f"{said}.", kind, whose=who)


def value_in_words(value: Any, names: Mapping[str, str]) -> str:
    """Return a plain value for a reader: seats by the names of their people, yes and no, lists and tables in a row."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, Mapping):
        pairs = (f"{names.get(key, word(key))} {value_in_words(one, names)}" for key, one in value.items())
        return "; ".join(pairs) or "–"
    if isinstance(value, list | tuple):
        return ", ".join(value_in_words(one, names) for one in value) or "–"
    return names.get(value, word(value)) if isinstance(value, str) else str(value)


def table_of(view: Mapping[str, Any], seats: Sequence[str]) -> tuple[list[str], dict[str, list[Any]]]:
    """Return what a view says of each seat as the columns and the rows of a table.

    It stands in `view["seats"]`: a table of single values for each seat. What only some seats have, such as the
    viewer's own secrets, is a column too. Nothing is shown of a view without such a table.
    """
    found = view.get("seats")
    if not isinstance(found, Mapping) or not all(isinstance(found.get(seat), Mapping) for seat in seats):
        return [], {seat: [] for seat in seats}
    columns = [
        column
        for column in dict.fromkeys(column for seat in seats for column in found[seat])
        if all(not isinstance(found[seat].get(column), Mapping | list) for seat in seats)
    ]
    return columns, {seat: [found[seat].get(column) for column in columns] for seat in seats}


def facts_of(view: Mapping[str, Any], names: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return what a view says of the table as a whole: its single values, each with its name in words."""
    single = {field: value for field, value in view.items() if not isinstance(value, Mapping | list | tuple)}
    return [(word(field), value_in_words(value, names)) for field, value in single.items()]

"""Sentences and labels for events and ways of a game that has no words of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from championship.runs.run_pages import Sentence

Words = Mapping[str, "str | Promise"]
"""Templates by name, such as {"rolled": _("%(seat)s rolls %(face)s.")}."""

FRAME = ("kind", "seat", "only", "until", "closes")
"""The technical fields of an event. All other fields say what happened."""

SHARED, OWN = "round", "move"
"""The colours of a line about all seats, and of one about a single seat."""


def word(name: str) -> str:
    """Return a short word of a game in the reader's language, where a catalogue translates it."""
    return _(name.replace("_", " ")) if name else ""


def sentence(event: Mapping[str, Any], names: Mapping[str, str], tells: Words) -> Sentence:
    """Return an event as a sentence. `names` are the people's by seat, `tells` the game's own templates by kind.

    An event without a template becomes "Kind: field value, field value", and the sentence has `whose`.
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
    """Return a plain value for a reader: seats by the names of their people, yes and no, lists and
    tables in one line.
    """
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
    """Return the columns and rows of the table of seats in a view.

    The table is `view["seats"]`, which has a mapping of values for each seat. A value that only some seats have, such
    as the viewer's own secrets, is a column too. Values that are mappings or lists are left out. The result is empty
    for a view without such a table.
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
    """Return the facts about the table as a whole: the single values of the view, each with its name in words."""
    single = {field: value for field, value in view.items() if not isinstance(value, Mapping | list | tuple)}
    return [(word(field), value_in_words(value, names)) for field, value in single.items()]

"""Texts for acts: each app registers the texts that the log shows for its acts and for their details."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _

Label = str | Promise
_labels: dict[str, Label] = {}
_details: dict[str, Label] = {}
_values: dict[str, dict[str, Label]] = {}


def register(action: str, label: Label) -> None:
    """Show `action` as `label`, a lazy translation such as _("invited somebody")."""
    _labels[action] = label


def register_detail(name: str, label: Label, values: Iterable[tuple[str, Label]] = ()) -> None:
    """Show the detail `name` as `label`, and each of its `values` that is a code as the text paired with it."""
    _details[name] = label
    _values[name] = dict(values)


def label_of(action: str) -> str:
    """The text of the act in the active language; the action itself when no text is registered for it."""
    return str(_labels.get(action, action))


def details_in_words(details: Mapping[str, Any], between: str = "; ") -> str:
    """Details on one line in the active language. A name or value without a registered text stays as it is."""
    names = sorted(details, key=lambda name: name == "after")  # the database keeps no order; "after" goes last
    return between.join(f"{_details.get(name, name)}: {_in_words(name, details[name])}" for name in names)


def _in_words(name: str, detail: object) -> str:
    if isinstance(detail, Mapping):
        return details_in_words(detail, between=", ")
    if isinstance(detail, list):
        return ", ".join(_in_words(name, part) for part in detail)
    if isinstance(detail, bool):
        return _("yes") if detail else _("no")
    if detail is None or detail == "":
        return "–"
    return str(_values.get(name, {}).get(str(detail), detail))

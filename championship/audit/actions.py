"""Words for acts: each app registers how its acts, and the details kept with them, read in the log."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _

Label = str | Promise
_labels: dict[str, Label] = {}
_details: dict[str, Label] = {}
_values: dict[str, dict[str, Label]] = {}


def register(action: str, label: Label) -> None:
    """Let `action` read as `label`, a lazy translation such as _("invited somebody")."""
    _labels[action] = label


def register_detail(name: str, label: Label, values: Iterable[tuple[str, Label]] = ()) -> None:
    """Let the detail `name` read as `label`, and each of its `values` that is a code as the words beside it."""
    _details[name] = label
    _values[name] = dict(values)


def label_of(action: str) -> str:
    """How the act reads in the active language; the action itself when nobody registered words for it."""
    return str(_labels.get(action, action))


def details_in_words(details: Mapping[str, Any], between: str = "; ") -> str:
    """Details on one line in the active language; what nobody registered words for stays as it is."""
    names = sorted(details, key=lambda name: name == "after")  # the database keeps no order: "before" goes first
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

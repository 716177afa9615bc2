"""Texts for acts: each app registers the texts that the log shows for its acts and for their details."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _

Label = str | Promise
_labels: dict[str, Label] = {}
_details: dict[str, Label] = {}
_values: dict[str, dict[str, Label]] = {}


@dataclass(frozen=True, slots=True)
class Group:
    """Details that are kept together under one name, with texts of their own: the text of the group, those of its
    details, and those of the values of its details.
    """

    label: Label
    details: Mapping[str, Label]
    values: Mapping[str, Mapping[str, Label]]


_find_groups: list[Callable[[str], Group | None]] = []
_find_labels: list[Callable[[str], Label | None]] = []


def register(action: str, label: Label) -> None:
    """Show `action` as `label`, a lazy translation such as _("invited somebody")."""
    _labels[action] = label


def register_detail(name: str, label: Label, values: Iterable[tuple[str, Label]] = ()) -> None:
    """Show the detail `name` as `label`, and each of its `values` that is a code as the text paired with it."""
    _details[name] = label
    _values[name] = dict(values)


def register_groups(find: Callable[[str], Group | None]) -> None:
    """Show a detail that contains others by the texts of the group that `find` returns for its name, if it returns one.
    It is called when the log is shown, so that it may depend on what other apps have registered.
    """
    _find_groups.append(find)


def register_labels(find: Callable[[str], Label | None]) -> None:
    """Show a detail without a registered text as the text that `find` returns for its name, if it returns one. It is
    called when the log is shown.
    """
    _find_labels.append(find)


def label_of(action: str) -> str:
    """The text of the act in the active language; the action itself when no text is registered for it."""
    return str(_labels.get(action, action))


def details_in_words(details: Mapping[str, Any], between: str = "; ") -> str:
    """Details on one line in the active language. A name or value without a registered text stays as it is."""
    return _details_in_words(details, between, _details, _values)


def _details_in_words(
    details: Mapping[str, Any], between: str, labels: Mapping[str, Label], values: Mapping[str, Mapping[str, Label]]
) -> str:
    names = sorted(details, key=lambda name: name == "after")  # the database keeps no order; "after" goes last
    said = []
    for name in names:
        group = next((found for find in _find_groups if (found := find(name)) is not None), None)
        if group is not None and isinstance(details[name], Mapping):
            said.append(f"{group.label}: {_details_in_words(details[name], ', ', group.details, group.values)}")
        else:
            label = labels.get(name) or _label_found(name)
            said.append(f"{label}: {_in_words(details[name], labels, values, values.get(name, {}))}")
    return between.join(said)


def _label_found(name: str) -> Label:
    return next((label for find in _find_labels if (label := find(name)) is not None), name)


def _in_words(
    detail: object,
    labels: Mapping[str, Label],
    values: Mapping[str, Mapping[str, Label]],
    own: Mapping[str, Label],
) -> str:
    """One detail. `labels` and `values`: the texts of details within it. `own`: the texts of its values."""
    if isinstance(detail, Mapping):
        return _details_in_words(detail, ", ", labels, values)
    if isinstance(detail, list):
        return ", ".join(_in_words(part, labels, values, own) for part in detail)
    if isinstance(detail, bool):
        return _("yes") if detail else _("no")
    if detail is None or detail == "":
        return "–"
    return str(own.get(str(detail), detail))

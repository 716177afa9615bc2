"""Fields whose choices are known only when their form is made."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms


def set_choices(form: forms.BaseForm, name: str, choices: Iterable[tuple[Any, Any]]) -> None:
    """Set the choices of a field of choice."""
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)
    field.choices = list(choices)

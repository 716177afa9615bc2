"""Fields of points and factors: numbers as people write them, with a point or a comma."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.formats import localize
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship.seasons.schemes import plain_number


class NumberField(forms.DecimalField):
    """A number with at most two decimals, with a point or a comma."""

    def __init__(self, **how: Any) -> None:
        widget = forms.TextInput(attrs={"inputmode": "decimal", "size": 6, "autocomplete": "off"})
        super().__init__(**{"decimal_places": 2, "max_digits": 6, "required": False, "widget": widget, **how})

    def to_python(self, value: Any) -> Any:
        return super().to_python(value.replace(",", ".") if isinstance(value, str) else value)

    def prepare_value(self, value: Any) -> Any:
        return localize(value) if isinstance(value, int | float | Decimal) else value


class PointsField(forms.CharField):
    """Points for places in one line, first place first; empty for the usual ones. Its value is a list of numbers."""

    def __init__(self, **how: Any) -> None:
        says = _("First place first, with blanks or semicolons between: 30 24 21. Empty for the usual ones.")
        super().__init__(**{"max_length": 400, "required": False, "help_text": says, **how})

    def prepare_value(self, value: Any) -> Any:
        return value if isinstance(value, str) else "; ".join(localize(each) for each in value or ())

    def clean(self, value: Any) -> list[float]:
        """Return the numbers."""
        text = super().clean(value)
        try:
            found = [float(one.replace(",", ".")) for one in re.split(r"[;\s]+", text) if one]
        except ValueError:
            found = [float("nan")]
        if any(one != one or one in (float("inf"), float("-inf")) for one in found):
            raise forms.ValidationError(_("Write numbers with blanks or semicolons between: 30 24 21."))
        return [plain_number(one) for one in found]


class RoundsField(forms.CharField):
    """Numbers of rounds in one line. Its value is a list of them, the first one first."""

    def __init__(self, **how: Any) -> None:
        says = gettext_lazy("Numbers of rounds: 2, 5.")
        super().__init__(**{"max_length": 200, "required": False, "help_text": says, **how})

    def prepare_value(self, value: Any) -> Any:
        return value if isinstance(value, str) else ", ".join(map(str, value or ()))

    def clean(self, value: Any) -> list[int]:
        """Return the numbers."""
        found = re.split(r"[,;\s]+", super().clean(value).strip(" ,;"))
        if not all(re.fullmatch(r"[1-9][0-9]?", one, re.ASCII) for one in found if one):
            raise forms.ValidationError(_("Write numbers of rounds with commas between: 2, 5."))
        return sorted({int(one) for one in found if one})

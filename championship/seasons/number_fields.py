"""Fields of points and factors: numbers as people write them, with a point or a comma."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.formats import localize
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship.platform.refusals import Refused
from championship.seasons.schemes import checked_points, plain_number


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


class SizesField(forms.CharField):
    """Points for places by the number of cars, a line each. Its value is a list as in a stored scheme."""

    LINE = re.compile(r"\s*([1-9][0-9]{0,2})\s*:([0-9.,;\s]+)", re.ASCII)

    def __init__(self, **how: Any) -> None:
        says = gettext_lazy(
            "For example 6: 10 8 6, a line for each number of cars, or more. With fewer the usual points hold."
        )
        widget = forms.Textarea(attrs={"rows": 3, "spellcheck": "false"})
        super().__init__(**{"max_length": 4000, "required": False, "help_text": says, "widget": widget, **how})

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, str):
            return value
        return "\n".join(f"{one['cars']}: {'; '.join(localize(each) for each in one['points'])}" for one in value or ())

    def clean(self, value: Any) -> list[dict[str, Any]]:
        """Return the numbers of cars with their points."""
        found: list[dict[str, Any]] = []
        for line in filter(str.strip, super().clean(value).splitlines()):
            read = self.LINE.fullmatch(line)
            if read is None:
                raise forms.ValidationError(_("Write lines like 6: 10 8 6."))
            try:
                points = checked_points(PointsField().clean(read[2]))
            except Refused as refusal:
                raise forms.ValidationError(str(refusal.message)) from refusal
            found.append({"cars": int(read[1]), "points": points})
        return found


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

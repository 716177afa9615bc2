"""Forms for a club's own track."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.core.validators import MaxLengthValidator
from django.utils.translation import gettext_lazy as _

from championship.accounts.text import one_line
from championship.stages import forms as stages

LONGEST = 200_000
"""Characters of a track file."""
LONGEST_TITLE, FACES = 60, 20


class ListForm(stages.ListForm):
    """A track as the lines of its file."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        text = self.fields["text"]
        assert isinstance(text, forms.CharField)
        text.label = _("The track file")
        text.help_text = _(
            "CSV: a line of columns, then a line for each space. Lines before it may give the title and the weather: "
            "“# title: …”, “# weather: rain 1-5, unsettled 6-11, good 12-20”."
        )
        text.max_length = LONGEST
        text.validators = [MaxLengthValidator(LONGEST)]
        text.widget.attrs |= {"maxlength": LONGEST, "wrap": "off"}


class BringForm(stages.ImportForm):
    """A track file, or its text."""

    longest = LONGEST

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].widget.attrs["accept"] = ".csv,.toml,text/csv,text/plain,application/toml"
        self.fields["text"].widget.attrs["wrap"] = "off"


class HeadForm(forms.Form):
    """The first lines of a track file: its title, and which results of the black die bring rain or unsettled weather
    (F7). All higher ones bring good weather.
    """

    title = forms.CharField(label=_("Title of the track"), max_length=LONGEST_TITLE, validators=[one_line])
    rain = forms.IntegerField(label=_("Rain up to"), min_value=1, max_value=FACES - 2)
    unsettled = forms.IntegerField(
        label=_("Unsettled weather up to"),
        min_value=2,
        max_value=FACES - 1,
        help_text=_("Results of the black die, 1 to 20. All higher ones bring good weather."),
    )

    @classmethod
    def of(cls, title: str, weather: str) -> HeadForm:
        """Return the form with the values of a file."""
        found = {kind: int(last) for kind, last in re.findall(r"(rain|unsettled) \d+-(\d+)", weather)}
        return cls(initial={"title": title, **found})

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if not self.errors and given["unsettled"] <= given["rain"]:
            self.add_error("unsettled", _("It must be higher than the one for rain."))
        return given

    @property
    def weather(self) -> str:
        """The weather table as written in a track file."""
        rain, unsettled = self.cleaned_data["rain"], self.cleaned_data["unsettled"]
        return f"rain 1-{rain}, unsettled {rain + 1}-{unsettled}, good {unsettled + 1}-{FACES}"

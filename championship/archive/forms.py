"""Forms for uploads: archives and lists."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship.archive import csv_reading

LARGEST_UPLOAD = 50 * 1024 * 1024
"""Bytes of an archive that may be uploaded on the page. The management command takes larger ones. Proxies allow a
little more (deploy/Caddyfile, deploy/nginx.conf).
"""


class RestoreForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("Archive"),
        help_text=gettext_lazy(
            "The zip file that an owner downloaded, up to 50 MB. Larger ones: manage.py restore_club."
        ),
    )
    owner = forms.EmailField(
        label=gettext_lazy("Owner"),
        help_text=gettext_lazy(
            "The mail address of the account that gets the club. Choose it yourself: an archive makes nobody an owner."
        ),
    )

    def clean_file(self) -> UploadedFile[bytes]:
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        if (file.size or 0) > LARGEST_UPLOAD:
            raise forms.ValidationError(_("This file is larger than 50 MB: restore it with the command on the server."))
        return file


class ListForm(forms.Form):
    """A list as a file or as text. The text of a file is put into the text field, where it can be corrected."""

    file = forms.FileField(
        label=gettext_lazy("A CSV file"),
        required=False,
        allow_empty_file=True,
        help_text=gettext_lazy("“CSV UTF-8” from your spreadsheet. It replaces the text below."),
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,text/csv,text/plain"}),
    )
    text = forms.CharField(
        label=gettext_lazy("Or paste its lines, headings first"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false", "wrap": "off", "class": "list"}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["text"].validators = []  # csv_reading reports the line of a character that no text may contain

    def read_list(self) -> str:
        """Return the list's text: that of the file when there is one, which is then shown in the form.

        Raises: BadList when the file is too large or is no text.
        """
        file: UploadedFile[bytes] | None = self.cleaned_data.get("file")
        if file is None:
            return str(self.cleaned_data.get("text") or "")
        if (file.size or 0) > csv_reading.LARGEST:
            raise csv_reading.BadList([csv_reading.Problem(None, str(file.name), csv_reading.too_long())])
        text = csv_reading.text_of(file.read())
        self.data = {**self.data, self.add_prefix("text"): text}
        return text

    def choices(self) -> dict[str, Any]:
        """Return the other fields of the form as keyword arguments of the services."""
        return {name: self.cleaned_data[name] for name in self.fields if name not in ("file", "text")}


class ResultsForm(ListForm):
    unit = forms.ChoiceField(
        label=gettext_lazy("The results are"),
        required=False,
        choices=[
            ("", gettext_lazy("as the game counts them")),
            ("places", gettext_lazy("places")),
            ("points", gettext_lazy("points, the most win")),
            ("seconds", gettext_lazy("times")),
        ],
    )
    other_courses = forms.BooleanField(
        label=gettext_lazy("Keep unknown courses as names"),
        required=False,
        help_text=gettext_lazy("Separate them with |. A rally without any is one stage."),
    )
    power_stage = forms.BooleanField(
        label=gettext_lazy("The last stage of each rally was its power stage"),
        required=False,
        help_text=gettext_lazy("It then gives power stage points."),
    )
    retired_unplaced = forms.BooleanField(
        label=gettext_lazy("Retired cars are not classified"),
        required=False,
        help_text=gettext_lazy("Tick this if the times of retired cars are those at which they stopped."),
    )
    names_only = forms.BooleanField(
        label=gettext_lazy("Keep people outside the club as names"),
        required=False,
        help_text=gettext_lazy("Nobody can sign in under such a name. You can give its results to a member later."),
    )

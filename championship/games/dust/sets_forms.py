"""Forms for card sets."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from championship.accounts.text import one_line
from championship.games.dust.models import LONGEST_NAME, LONGEST_TEXT


class TextForm(forms.Form):
    """A card set as TOML: a file or pasted text; a file takes precedence. `seen` is the version that the page
    showed.
    """

    file = forms.FileField(
        label=_("A file"),
        required=False,
        allow_empty_file=True,
        widget=forms.ClearableFileInput(attrs={"accept": ".toml,application/toml,text/plain"}),
        help_text=_("At most 100 000 bytes. It is used instead of the text below."),
    )
    text = forms.CharField(
        label=_("The card set"),
        required=False,
        max_length=LONGEST_TEXT,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 22, "spellcheck": "false", "autocapitalize": "off", "class": "wide code"}),
    )
    seen = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def clean_file(self) -> str:
        """Return the text of the file, "" without one."""
        file: UploadedFile[bytes] | None = self.cleaned_data["file"]
        if file is None:
            return ""
        if (file.size or 0) > LONGEST_TEXT:
            raise forms.ValidationError(_("The file is too large for a card set: it may have 100 000 bytes."))
        try:
            text: str = file.read(LONGEST_TEXT + 1).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise forms.ValidationError(_("The file is not text in UTF-8.")) from error
        return text

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if not self.errors and not self.source.strip():
            self.add_error("text", _("Choose a file, or paste the card set."))
        return given

    @property
    def source(self) -> str:
        """The text to read, with line ends as the engine counts lines."""
        return (
            str(self.cleaned_data.get("file") or self.cleaned_data.get("text", ""))
            .replace("\r\n", "\n")
            .lstrip("\ufeff")
        )


class SetForm(TextForm):
    """A new card set."""

    name = forms.CharField(label=_("Name of the set"), max_length=LONGEST_NAME, validators=[one_line])
    field_order = ("name", "file", "text")

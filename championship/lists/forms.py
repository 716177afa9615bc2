"""The form that brings a list: a file, or pasted lines."""

from __future__ import annotations

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship.lists.reading.bounds import MOST_BYTES, too_large

ACCEPTED = ".csv,.tsv,.txt,.xlsx,.xls,.xlsm,.ods,.json,.html,text/csv,text/plain,application/json"


class ListForm(forms.Form):
    """A list as a file or as text. A file counts when both are there."""

    file = forms.FileField(
        label=gettext_lazy("A file"),
        required=False,
        allow_empty_file=True,
        help_text=gettext_lazy("Excel, LibreOffice, CSV or text, as it is. At most 2 MB."),
        widget=forms.FileInput(attrs={"accept": ACCEPTED}),
    )
    text = forms.CharField(
        label=gettext_lazy("Or pasted lines"),
        required=False,
        strip=False,
        help_text=gettext_lazy("From a spreadsheet, a web page, a forum or a chat."),
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "false", "wrap": "off", "class": "list"}),
    )

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.fields["text"].validators = []  # the reader takes out what no text may contain

    def clean_file(self) -> UploadedFile[bytes] | None:
        file: UploadedFile[bytes] | None = self.cleaned_data.get("file")
        if file is not None and (file.size or 0) > MOST_BYTES:
            raise forms.ValidationError(str(too_large()))
        return file

    def clean_text(self) -> str:
        text = str(self.cleaned_data.get("text") or "")
        if len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES:
            raise forms.ValidationError(str(too_large()))
        return text

    def clean(self) -> None:
        if (
            not self.errors
            and not self.cleaned_data.get("file")
            and not str(self.cleaned_data.get("text") or "").strip()
        ):
            self.add_error("file", _("Choose a file, or paste the lines of the list."))

    def content(self) -> tuple[bytes, str, str]:
        """Return the bytes of the list, the name of its file, and the field that it came from."""
        file: UploadedFile[bytes] | None = self.cleaned_data.get("file")
        if file is not None:
            return file.read(), str(file.name or ""), "file"
        return str(self.cleaned_data.get("text") or "").encode("utf-8", "surrogatepass"), "", "text"

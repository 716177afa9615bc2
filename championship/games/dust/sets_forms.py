"""Forms for card sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from championship.accounts.text import one_line
from championship.clubs.models import Club
from championship.games.dust.models import LONGEST_NAME, LONGEST_TEXT
from championship.platform.bounded_input import whole_number
from championship.platform.refusals import Refused
from championship.stages.table_reader import ReadTable, read_table
from engine.dust.cards import card_set_reading, card_tables
from engine.dust.cards.faults import CardSetError

ACCEPTED = ".toml,.csv,.tsv,.txt,.xlsx,.xls,.ods,application/toml,text/csv,text/plain"
LONGEST_TABLE = 400_000
MOST_SENT = 300
PACKED = b"PK\x03\x04"
"""How a workbook begins."""


NOT_TEXT = _("The file is neither text in UTF-8 nor a table that can be read.")


class TextForm(forms.Form):
    """A card set as TOML, or its cards as a table: a file or pasted text; a file takes precedence. `seen` is the
    version that the page showed. `table` is a table that was read before, for another say about its columns (`again`).
    `base`: the document of the set that gives a table what is no card. `club`: it remembers the columns of a table.
    """

    file = forms.FileField(
        label=_("A file"),
        required=False,
        allow_empty_file=True,
        widget=forms.ClearableFileInput(attrs={"accept": ACCEPTED}),
        help_text=_(
            "TOML, or a table: Excel, LibreOffice or CSV. At most 100 000 bytes. It is used instead of the text below."
        ),
    )
    text = forms.CharField(
        label=_("The card set"),
        required=False,
        max_length=LONGEST_TEXT,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 22, "spellcheck": "false", "autocapitalize": "off", "class": "wide code"}),
    )
    seen = forms.IntegerField(required=False, widget=forms.HiddenInput)
    table = forms.CharField(required=False, max_length=LONGEST_TABLE, strip=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, base: Mapping[str, Any], club: Club, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._base, self._club = base, club
        self.read: ReadTable | None = None

    def clean_file(self) -> bytes:
        """Return the bytes of the file, none without one."""
        file: UploadedFile[bytes] | None = self.cleaned_data["file"]
        if file is None:
            return b""
        if (file.size or 0) > LONGEST_TEXT:
            raise forms.ValidationError(_("The file is too large for a card set: it may have 100 000 bytes."))
        return bytes(file.read(LONGEST_TEXT + 1))

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if self.errors:
            return given
        file: bytes = given.get("file") or b""
        again = "again" in self.data and not file
        content = file or str(given.get("table" if again else "text") or "").encode("utf-8", "surrogatepass")
        try:
            self._text: str | None = content.decode("utf-8-sig", "strict" if file else "surrogatepass")
        except UnicodeDecodeError:
            self._text = None
        if self._text is not None and not self._text.strip():
            self.add_error("text", _("Choose a file, or paste the card set."))
        elif self._text is None or again or not _is_toml(self._text):
            self._read_table(content, field="file" if file else "text")
        return given

    def _read_table(self, content: bytes, *, field: str) -> None:
        """Read a table; a text that is none stays a text, whose faults the engine lists."""
        try:
            said = columns_of(self.data) if "again" in self.data else None
            self.read = read_table(content, card_tables.COLUMNS, said, club=self._club)
        except Refused as refusal:
            if self._text is None or content.startswith(PACKED):
                self.add_error(field, str(refusal))
        else:
            if self.read is None and self._text is None:
                self.add_error(field, NOT_TEXT)

    @property
    def said_again(self) -> ReadTable | None:
        """The table, where somebody has just said what its columns are."""
        return self.read if "again" in self.data else None

    @property
    def source(self) -> str:
        """The text to read, with line ends as the engine counts lines; of a table, the set that it makes."""
        if self.read is not None:
            document = card_tables.document_of([cells for _line, cells in self.read.lines], self._base)
            return card_tables.toml_of_document(document)
        return str(self._text or "").replace("\r\n", "\n").lstrip("\ufeff")


def _is_toml(text: str) -> bool:
    try:
        card_set_reading.document(text.replace("\r\n", "\n").lstrip("\ufeff"))
    except CardSetError:
        return False
    return True


def columns_of(sent: Mapping[str, Any]) -> dict[int, str]:
    """Return what a form says of the columns of a table: names of columns by their places, "" for none."""
    said = {}
    for name, value in list(sent.items())[:MOST_SENT]:
        head, _dash, rest = str(name).partition("-")
        index = whole_number(rest, digits=3) if head == "column" else None
        if index is not None and (value in card_tables.NAMES or not value):
            said[index] = str(value)
    return said


class SetForm(TextForm):
    """A new card set."""

    name = forms.CharField(label=_("Name of the set"), max_length=LONGEST_NAME, validators=[one_line])
    field_order = ("name", "file", "text")

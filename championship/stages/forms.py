"""What organisers type about stages; what is particular to a game is asked by its own forms (games/bench.py)."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from championship.accounts.text import one_line
from championship.clubs.models import Club
from championship.stages.services import LONGEST_NAME

LONGEST_LIST = 20_000  # characters; a file has as many bytes at most


class NameForm(forms.Form):
    """The name of a stage."""

    name = forms.CharField(
        label=_("Name of the stage"),
        max_length=LONGEST_NAME,
        validators=[one_line],
        widget=forms.TextInput(attrs={"hx-preserve": "true"}),  # what is typed stays while tiles are laid
    )


class ListForm(forms.Form):
    """A stage as a list. Whether the tiles fit is said by the service."""

    text = forms.CharField(
        label=_("Tiles"),
        required=False,
        max_length=LONGEST_LIST,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 16, "spellcheck": "false", "autocapitalize": "off"}),
        help_text=_(
            "One tile a line, in driving order: its face, the edges by which the road comes in and leaves, its "
            "hexagon, its turn. Behind the start tile the face and the edges will do. TOML with a list of tiles is "
            "read too."
        ),
    )


class ImportForm(forms.Form):
    """A stage as TOML: a file, or pasted. One of them."""

    file = forms.FileField(
        label=_("A file"),
        required=False,
        allow_empty_file=True,
        widget=forms.ClearableFileInput(attrs={"accept": ".toml,application/toml,text/plain"}),
        help_text=_("Of 20 000 bytes at most."),
    )
    text = forms.CharField(
        label=_("Or pasted here"),
        required=False,
        max_length=LONGEST_LIST,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false", "autocapitalize": "off"}),
    )

    def clean_file(self) -> str:
        """The text of the file, "" without one."""
        file: UploadedFile | None = self.cleaned_data["file"]
        if file is None:
            return ""
        if (file.size or 0) > LONGEST_LIST:
            raise forms.ValidationError(_("The file is too large for a stage: it may have 20 000 bytes."))
        try:
            return file.read(LONGEST_LIST + 1).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise forms.ValidationError(_("The file is not text in UTF-8.")) from error

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if not self.errors:
            if given.get("file", "").strip() and given.get("text", "").strip():
                raise forms.ValidationError(_("Send the file or what is pasted, not both."))
            if not given.get("file", "").strip() and not given.get("text", "").strip():
                raise forms.ValidationError(_("Choose a file, or paste the stage."))
        return given

    @property
    def source(self) -> str:
        """What is to be read."""
        return str(self.cleaned_data["file"] or self.cleaned_data["text"])


class ClubForm(forms.Form):
    """One of the clubs that the person organises."""

    club = forms.ChoiceField(label=_("Club"))

    def __init__(self, *args: Any, clubs: list[Club], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["club"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(club.slug, club.name) for club in clubs]

"""Forms about stages that are the same for every game. A game has its own forms for the rest (builders.py)."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.core.validators import MaxLengthValidator
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _

from championship import catalogue
from championship.accounts.text import one_line
from championship.clubs.models import Club
from championship.stages.models import LONGEST_NAME

LONGEST_LIST = 20_000  # characters; a file has as many bytes at most
"""The longest text of a stage, unless its game takes longer ones."""


class NameForm(forms.Form):
    """The name of a stage."""

    name = forms.CharField(
        label=_("Name of the stage"),
        max_length=LONGEST_NAME,
        validators=[one_line],
        widget=forms.TextInput(attrs={"hx-preserve": "true"}),  # keeps the typed text when htmx swaps the builder
    )

    def __init__(self, *args: Any, game: str, **kwargs: Any) -> None:
        """`game`: the name of the stage's game. The label is the game's own word for the name of a course."""
        super().__init__(*args, **kwargs)
        self.fields["name"].label = catalogue.get(game).words.course_name


class ListForm(forms.Form):
    """A stage as a list in text form. The game parses the text and checks the stage."""

    text = forms.CharField(
        label=_("The stage as text"),
        required=False,
        max_length=LONGEST_LIST,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 16, "spellcheck": "false", "autocapitalize": "off"}),
    )


class ImportForm(forms.Form):
    """A stage as text: either a file or pasted text, not both.

    `longest` is the maximum number of characters, and of bytes in a file.
    """

    longest = LONGEST_LIST
    file = forms.FileField(
        label=_("A file"),
        required=False,
        allow_empty_file=True,
        widget=forms.ClearableFileInput(attrs={"accept": ".toml,application/toml,text/plain"}),
    )
    text = forms.CharField(
        label=_("Or pasted here"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false", "autocapitalize": "off"}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        text = self.fields["text"]
        assert isinstance(text, forms.CharField)
        text.max_length = self.longest
        text.validators.append(MaxLengthValidator(self.longest))
        text.widget.attrs["maxlength"] = self.longest
        self.fields["file"].help_text = _("At most %(most)s bytes.") % {"most": self.most}

    @property
    def most(self) -> str:
        """The maximum length of the text, formatted for the reader."""
        return number_format(self.longest, force_grouping=True)

    def clean_file(self) -> str:
        """The text of the file, "" without one."""
        file: UploadedFile[bytes] | None = self.cleaned_data["file"]
        if file is None:
            return ""
        if (file.size or 0) > self.longest:
            message = _("The file is too large for a stage: it may have %(most)s bytes.") % {"most": self.most}
            raise forms.ValidationError(message)
        try:
            text: str = file.read(self.longest + 1).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise forms.ValidationError(_("The file is not text in UTF-8.")) from error
        return text

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if not self.errors:
            if given.get("file", "").strip() and given.get("text", "").strip():
                raise forms.ValidationError(_("Send the file or the pasted text, not both."))
            if not given.get("file", "").strip() and not given.get("text", "").strip():
                raise forms.ValidationError(_("Choose a file, or paste the stage."))
        return given

    @property
    def source(self) -> str:
        """The text to parse."""
        return str(self.cleaned_data["file"] or self.cleaned_data["text"])


class CourseForm(ImportForm):
    """A course as text, and the name under which the club stores it. The name is needed only to store it."""

    name = forms.CharField(label=_("Name of the stage"), max_length=LONGEST_NAME, required=False, validators=[one_line])
    field_order = ("name", "file", "text")

    def __init__(self, *args: Any, game: str, **kwargs: Any) -> None:
        """`game`: the name of the course's game. The label is the game's own word for the name of a course."""
        super().__init__(*args, **kwargs)
        self.fields["name"].label = catalogue.get(game).words.course_name


class ClubForm(forms.Form):
    """One of the clubs that the person organises."""

    club = forms.ChoiceField(label=_("Club"))

    def __init__(self, *args: Any, clubs: list[Club], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["club"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(club.slug, club.name) for club in clubs]

"""Forms of runs that are the same for every game, those of the organiser's board among them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship.accounts.models import User
from championship.accounts.text import one_line
from championship.rallies.models import Entry
from championship.runs.models import PLAN_LENGTH
from championship.runs.play.nudging import MOST_HOURS
from championship.runs.play.playing import KEY_LENGTH
from championship.runs.play.sealing import PHRASE_LENGTH

PLACE_LENGTH = 40
RECORD_BYTES = 4 * 1024 * 1024
CODRIVER = "codriver"


class PostForm(forms.Form):
    """Orders for a turn. `version`: the version of the run that the driver saw. `key`: names this post, so that sent
    twice it is played once. `salt`: made by the driver's browser, or typed; the service validates it.
    """

    version = forms.IntegerField(min_value=0, max_value=2**31 - 1)
    key = forms.CharField(max_length=KEY_LENGTH)
    salt = forms.CharField(required=False)


class DraftForm(forms.Form):
    """One step of laying a plan: a `move` after `plan`, the whole `plan`, or `do`. One of them must be there. `change`:
    the `move` takes the place of the move of that number. `to`: the
    plan goes on to a place of the map, by its name, or by its point as "x,y" in the map's units.
    """

    version = forms.IntegerField(min_value=0, max_value=2**31 - 1)
    plan = forms.CharField(required=False, max_length=PLAN_LENGTH)
    move = forms.CharField(required=False, max_length=PLAN_LENGTH)
    change = forms.IntegerField(required=False, min_value=1, max_value=PLAN_LENGTH)
    to = forms.CharField(required=False, max_length=PLACE_LENGTH)
    do = forms.ChoiceField(required=False, choices=[(word, word) for word in ("undo", "clear", "orders")])

    def clean(self) -> dict[str, Any]:
        """Refuse a post without plan, move and `do`: it would clear the draft."""
        said = super().clean() or self.cleaned_data
        if not self.errors and "plan" not in self.data and not (said["move"] or said["do"] or said["to"]):
            self.add_error("move", gettext_lazy("This is missing."))
        return said


class AheadForm(forms.Form):
    """Orders ahead: sent, or withdrawn."""

    version = forms.IntegerField(min_value=0, max_value=2**31 - 1)
    plan = forms.CharField(required=False, max_length=PLAN_LENGTH)
    do = forms.ChoiceField(choices=[("send", "send"), ("withdraw", "withdraw")])
    salt = forms.CharField(required=False)


class PhraseForm(forms.Form):
    """A driver's phrase for the random draws of a stage."""

    text = forms.CharField(
        label=gettext_lazy("My phrase"),
        max_length=PHRASE_LENGTH,
        help_text=gettext_lazy("Anything that nobody can guess. It is shown to all and mixed into every draw."),
    )


class FingerprintField(forms.RegexField):
    """A SHA-256 in hex, converted to lower case for the comparison; "" where none was noted."""

    def __init__(self, **kwargs: Any) -> None:
        wrong = {"invalid": gettext_lazy("A fingerprint has 64 hexadecimal digits.")}
        super().__init__(r"^[0-9a-f]{64}\Z", required=False, max_length=64, error_messages=wrong, **kwargs)

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value) or "").lower()


class RecordForm(forms.Form):
    """An uploaded record."""

    record = forms.FileField(
        label=gettext_lazy("Record"), help_text=gettext_lazy("The file that the proof page of a run offers.")
    )
    promised = FingerprintField(
        label=gettext_lazy("Fingerprint of the seal"), help_text=gettext_lazy("As noted before the start; optional.")
    )
    published = FingerprintField(
        label=gettext_lazy("Fingerprint of the phrases"),
        help_text=gettext_lazy("As noted at the start; optional."),
    )

    def clean_record(self) -> UploadedFile[bytes]:
        """Refuse a file that is larger than any record."""
        file: UploadedFile[bytes] = self.cleaned_data["record"]
        if (file.size or 0) > RECORD_BYTES:
            raise forms.ValidationError(gettext_lazy("A record has at most 4 MB."))
        return file

    def text(self) -> str:
        """Return the text of the file; invalid UTF-8 is replaced."""
        file: UploadedFile[bytes] = self.cleaned_data["record"]
        text: str = file.read().decode("utf-8", errors="replace")
        return text


class ExtendForm(forms.Form):
    """Hours more for a turn; `seen` is the deadline that the page showed."""

    hours = forms.IntegerField(
        label=gettext_lazy("Hours more"),
        min_value=1,
        max_value=MOST_HOURS,
        initial=24,
        help_text=gettext_lazy("Hours that count for this driver: quiet hours and holidays are added."),
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=200,
        validators=[one_line],
        help_text=gettext_lazy("The driver reads it, and the club's log shows it."),
    )
    seen = forms.DateTimeField(widget=forms.HiddenInput)


class ReplaceForm(forms.Form):
    """The new driver of a car; `instead_of` is its driver when the page was shown."""

    driver = forms.ChoiceField(label=gettext_lazy("Who drives from now on"))
    crew = forms.CharField(
        max_length=80,
        required=False,
        validators=[one_line],
        help_text=gettext_lazy("The name in results from now on; the new driver's name if left empty."),
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=200,
        validators=[one_line],
        help_text=gettext_lazy("Both drivers are notified, and the club's log shows it."),
    )
    instead_of = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, entry: Entry, people: Iterable[User], **kwargs: Any) -> None:
        kwargs.setdefault("initial", {"instead_of": entry.driver_id})
        super().__init__(*args, **kwargs)
        self.fields["crew"].label = entry.rally.words.crew
        self.people = {str(person.pk): person for person in people}
        choices = [("", _("choose"))]
        if entry.driven_by == Entry.DrivenBy.PERSON:
            choices.append((CODRIVER, _("the codriver")))
        field = self.fields["driver"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [*choices, *((key, str(person)) for key, person in self.people.items())]

    @property
    def chosen(self) -> User | None:
        """The member who takes over; None for the codriver."""
        return self.people.get(self.cleaned_data["driver"])

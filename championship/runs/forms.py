"""What every post of a turn carries, whatever the game."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from championship.runs.models import PLAN_LENGTH
from championship.runs.services.playing import KEY_LENGTH
from championship.runs.services.sealing import PHRASE_LENGTH

RECORD_BYTES = 4 * 1024 * 1024


class PostForm(forms.Form):
    """`version`: the one of the run that the driver saw. `key`: names this post, so that sent twice it is
    played once.
    """

    version = forms.IntegerField(min_value=0, max_value=2**31 - 1)
    key = forms.CharField(max_length=KEY_LENGTH)


class DraftForm(forms.Form):
    """A step of laying a plan: a `move` behind `plan`, the whole `plan`, or `do`. One of them is there."""

    version = forms.IntegerField(min_value=0, max_value=2**31 - 1)
    plan = forms.CharField(required=False, max_length=PLAN_LENGTH)
    move = forms.CharField(required=False, max_length=PLAN_LENGTH)
    do = forms.ChoiceField(required=False, choices=[(word, word) for word in ("undo", "clear", "orders")])

    def clean(self) -> dict[str, Any]:
        """A post that says nothing does not clear the plan by the way."""
        said = super().clean() or self.cleaned_data
        if not self.errors and "plan" not in self.data and not (said["move"] or said["do"]):
            self.add_error("move", _("This is missing."))
        return said


class AheadForm(forms.Form):
    """A plan that is sent before its turn, or withdrawn."""

    version = forms.IntegerField(min_value=0, max_value=2**31 - 1)
    plan = forms.CharField(required=False, max_length=PLAN_LENGTH)
    do = forms.ChoiceField(choices=[("send", "send"), ("withdraw", "withdraw")])


class PhraseForm(forms.Form):
    """A driver's phrase for the chance of a stage."""

    text = forms.CharField(
        label=_("My phrase"),
        max_length=PHRASE_LENGTH,
        help_text=_("Anything nobody can guess. It is shown to all and mixed into every draw of the stage."),
    )


class RecordForm(forms.Form):
    """A record to look at."""

    record = forms.FileField(label=_("Record"), help_text=_("The file that a stage's proof page offers."))

    def clean_record(self) -> UploadedFile:
        """The file, refused when it is larger than any record."""
        file: UploadedFile = self.cleaned_data["record"]
        if (file.size or 0) > RECORD_BYTES:
            raise forms.ValidationError(_("A record has at most 4 MB."))
        return file

    def text(self) -> str:
        """What the file says; characters that are no UTF-8 are replaced."""
        return self.cleaned_data["record"].read().decode("utf-8", errors="replace")

"""Forms of the stewards' room."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from championship.clubs.visibility import ROOM_READERS, readers
from championship.platform.refusals import Refusal
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.rallies.results.measures import unit_label
from championship.stewards import selectors
from championship.stewards.models import DEFAULT_ANSWER, MOST_POINTS, Decision, Protest
from championship.stewards.services import LONGEST_TEXT


def _text(label: Any, help_text: Any = "") -> forms.CharField:
    return forms.CharField(
        label=label, help_text=help_text, max_length=LONGEST_TEXT, widget=forms.Textarea(attrs={"rows": 6})
    )


class TextForm(forms.Form):
    """An appeal."""

    text = _text(_("Why"), ROOM_READERS)


class ProtestForm(forms.Form):
    """A protest: against which entry, about which stage, and what happened."""

    against = forms.ModelChoiceField(
        label=_("Against"), queryset=Entry.objects.none(), required=False, empty_label=_("nobody in particular")
    )
    special_stage = forms.ModelChoiceField(label=_("Stage"), queryset=SpecialStage.objects.none(), required=False)
    turn = forms.IntegerField(
        label=_("Number of the turn"),
        required=False,
        min_value=1,
        max_value=100_000,
        help_text=_("If it is about one turn: its number in the log. The stewards then see it in the replay."),
    )
    text = _text(_("What happened"), ROOM_READERS)

    def __init__(self, *args: Any, rally: Rally, mine: Entry | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, Any] = self.fields
        entries = rally.entries.filter(status=Entry.Status.CONFIRMED)
        fields["special_stage"].label = rally.words.one_stage
        fields["special_stage"].empty_label = rally.words.as_a_whole
        fields["against"].queryset = entries.exclude(pk=mine.pk) if mine else entries
        fields["special_stage"].queryset = rally.stages.exclude(opened_at=None).select_related("rally")


class DecisionForm(forms.Form):
    """A decision. Its kind determines which fields are needed; the service refuses a decision with missing fields."""

    refusal: Refusal | None = None

    kind = forms.ChoiceField(label=_("Decision"), choices=Decision.Kind.choices, widget=forms.RadioSelect)
    entry = forms.ModelChoiceField(
        label=_("Entry"), queryset=Entry.objects.none(), required=False, empty_label=_("none")
    )
    special_stage = forms.ModelChoiceField(label=_("Stage"), queryset=SpecialStage.objects.none(), required=False)
    amount = forms.IntegerField(
        required=False,
        help_text=_(
            "The penalty (below zero for a bonus), or the new result. To shorten: the number of the split; empty for "
            "the last one that all cars have passed."
        ),
    )
    undoes = forms.ModelChoiceField(
        label=_("The decision that no longer holds"),
        queryset=Decision.objects.none(),
        required=False,
        empty_label=_("none"),
    )
    points = forms.IntegerField(
        label=_("Penalty points"),
        required=False,
        min_value=0,
        max_value=MOST_POINTS,
        help_text=_("They add up over the season. The rule on its notice board says what follows."),
    )
    withdraw = forms.BooleanField(
        label=_("Withdraw the points by hand"),
        required=False,
        help_text=_("The appeal is right: the points count no longer from now on."),
    )
    text = _text(_("Reasons"))

    def clean_points(self) -> int:
        """Return the penalty points, 0 where the field is empty."""
        return self.cleaned_data.get("points") or 0

    def __init__(self, *args: Any, rally: Rally, protest: Protest | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, Any] = self.fields
        fields["special_stage"].label = rally.words.one_stage
        fields["special_stage"].empty_label = rally.words.as_a_whole
        fields["amount"].label = unit_label(rally.measure)
        beginning = _("If the decision changes a result, its beginning stands beside the results of the rally.")
        fields["text"].help_text = f"{ROOM_READERS} {beginning} {readers(rally.club)}"
        fields["entry"].queryset = rally.entries.filter(status=Entry.Status.CONFIRMED)
        fields["special_stage"].queryset = rally.stages.exclude(opened_at=None).select_related("rally")
        standing = rally.decisions.filter(undone_by=None).exclude(kind=Decision.Kind.REVERSAL)
        fields["undoes"].queryset = standing.select_related("rally", "entry")
        fields["undoes"].label_from_instance = _decision_in_short
        if not selectors.counts_in_a_season(rally):
            del fields["points"]
        if protest is not None:
            fields["entry"].initial = protest.against_id
            fields["special_stage"].initial = protest.special_stage_id
            fields["undoes"].initial = protest.appealed_id
        if protest is None or protest.adjustment is None or protest.adjustment.lifted_at is not None:
            del fields["withdraw"]


class StatementForm(forms.Form):
    """The statement of the driver whom a protest is against."""

    text = _text(_("Your statement"), ROOM_READERS)


class PointsRuleForm(forms.Form):
    """What penalty points mean in a season."""

    ban_at = forms.IntegerField(
        label=_("Penalty points for a ban"), required=False, min_value=1, max_value=100, help_text=_("Empty: no ban.")
    )
    rounds = forms.IntegerField(label=_("Rounds to sit out"), min_value=1, max_value=20, initial=1)


def _decision_in_short(decision: Decision) -> str:
    words = [f"{decision.number}.", decision.get_kind_display(), str(decision.entry or "")]
    return " ".join(word for word in words if word)


class TermsForm(forms.Form):
    """For how long drivers may protest, answer and appeal."""

    protest_hours = forms.IntegerField(label=_("Hours to protest after the last car is in"), min_value=0, max_value=720)
    answer_hours = forms.IntegerField(
        label=_("Hours for the statement of the driver whom a protest is against"),
        min_value=0,
        max_value=720,
        required=False,
    )
    appeal_hours = forms.IntegerField(label=_("Hours to appeal after a decision"), min_value=0, max_value=720)

    def clean_answer_hours(self) -> int:
        """Return the hours for a statement, the usual ones where the field is empty."""
        hours: int | None = self.cleaned_data.get("answer_hours")
        return DEFAULT_ANSWER if hours is None else hours

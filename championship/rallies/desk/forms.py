"""The forms of a rally. The fields of a game's options and decisions come from its engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship import catalogue
from championship.accounts.text import one_line
from championship.catalogue import value_words
from championship.clubs.models import Club
from championship.clubs.visibility import readers
from championship.platform.refusals import Refusal
from championship.platform.web.form_fields import set_choices
from championship.rallies import selectors
from championship.rallies.clock.evening_forms import EVENING_FIELDS, EveningRulesForm, initial_evening_rules
from championship.rallies.clock.rounds_together import supports_rounds_together
from championship.rallies.clock.timekeeping_forms import (
    TIME_FIELDS,
    TimekeepingForm,
    timekeeping_of,
)
from championship.rallies.desk.game_choice import modes_of, proposed_options, why_not_in_convoy
from championship.rallies.desk.long_rallies import Length, Proposal, length_of, proposal_for
from championship.rallies.entries.entry_forms import CapacityForm, DatesForm, initial_capacity
from championship.rallies.knockout.forms import EVENT_FIELDS, EventForm, initial_event
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.rallies.results import measures
from championship.stages.models import StageDesign
from engine import registry
from engine.contract import Decision, Ledgers, Option, offered

OWN_STAGES = "own"
SHOWN_OF_TIME = (
    *("turn_hours", "pace", "bank_hours", "increment_hours", "stage_hours"),
    *("table_size", "quiet_from", "quiet_to"),
)
"""The fields of timekeeping from which the length of a rally follows, beside those of rounds and weekends."""
STAGE_FIELDS = 8
PLACES = ("entry_limit", "classes")
DATES = ("entries_close_at", "starts_at")


def put_refusal(form: forms.BaseForm, refusal: Refusal) -> None:
    """Add a service's refusal to its field of the form, with the number of the rule, if any."""
    message = f"{refusal.message} ({refusal.rule})" if refusal.rule else str(refusal.message)
    form.add_error(refusal.field if refusal.field in form.fields else None, message)


def option_field(game: str, option: Option) -> forms.Field:
    """The form field of a game's option."""
    words: dict[str, Any] = {"label": _(option.label), "help_text": _(option.help) if option.help else ""}
    if option.type == "bool":
        return forms.BooleanField(required=False, **words)
    if option.type == "int":
        return forms.IntegerField(min_value=option.least, max_value=option.most, **words)
    choices = [(choice, value_words(game, choice)) for choice in option.choices]
    return forms.ChoiceField(choices=choices, required="" not in option.choices, **words)


class SettingsForm(EventForm, EveningRulesForm, DatesForm, CapacityForm, TimekeepingForm):
    """Name, mode, deadlines, places and the game's options. The options are in fields `option_<name>`."""

    field_order: Iterable[str] | None = ("name", "mode", "turn_hours", "reminder_hours", "auto_start", *PLACES, *DATES)

    name = forms.CharField(label=gettext_lazy("Name"), max_length=80, validators=[one_line])
    mode = forms.ChoiceField(
        label=gettext_lazy("How it is driven"), choices=Rally.Mode.choices, widget=forms.RadioSelect
    )
    auto_start = forms.BooleanField(label=gettext_lazy("Continue at once when time control has closed"), required=False)

    def __init__(self, *args: Any, game: str, **kwargs: Any) -> None:
        self.game, self.rules = game, registry.get(game)
        self.words = catalogue.get(game).words
        super().__init__(*args, measure=self.rules.measure, words=self.words, **kwargs)
        if "starts_at" in self.fields:
            self.fields["starts_at"].label = self.words.starts
        set_choices(self, "mode", modes_of(self.rules))
        if not supports_rounds_together(game):
            del self.fields["rounds_together"]
        self.prepare_event(self.rules)
        if self.with_event:
            self.prepare_evening()
        else:
            for name in EVENING_FIELDS:
                del self.fields[name]
        for option in self.rules.options:
            field = option_field(self.rules.name, option)
            field.initial = option.default
            self.fields[f"option_{option.name}"] = field

    def clean(self) -> dict[str, Any]:
        """Check that the options work with the mode."""
        said = super().clean() or self.cleaned_data
        named = {option.name: f"option_{option.name}" for option in self.rules.options}
        if "mode" in said and all(field in said for field in named.values()):
            options = {name: said[field] for name, field in named.items()}
            apart = why_not_in_convoy(self.rules, said["mode"], options)
            if apart is not None:
                self.add_error(named[apart.option], apart.words(_))
        return said

    def settings(self) -> dict[str, Any]:
        """The keyword arguments of the services in `preparing`."""
        names = ("name", "mode", "turn_hours", "reminder_hours", "auto_start")
        options = {option.name: self.cleaned_data[f"option_{option.name}"] for option in self.rules.options}
        said = {name: self.cleaned_data[name] for name in names}
        return {
            **said,
            "options": options,
            "timekeeping": self.timekeeping(),
            "places": self.places(),
            "dates": self.dates(),
            "event": self.event(),
            "evening": self.evening_rules(),
        }

    def plain_fields(self) -> list[forms.BoundField]:
        """All fields except the game's options, and the details of time, of heats and a final, and of evenings."""
        folded = {*TIME_FIELDS, *EVENT_FIELDS, *EVENING_FIELDS}
        return [self[name] for name in self.fields if not name.startswith("option_") and name not in folded]

    def rule_fields(self) -> list[forms.BoundField]:
        """The options that are rules of the game."""
        return [self[f"option_{option.name}"] for option in self.rules.options if not option.scope]

    def assumed_fields(self) -> list[forms.BoundField]:
        """The options that set facts of the game; the page shows them collapsed."""
        return [self[f"option_{option.name}"] for option in self.rules.options if option.scope]

    def assumed_open(self) -> bool:
        """Whether one of the collapsed fields has an error, so that the page must show them open."""
        return any(field.errors for field in self.assumed_fields())


class StageModesForm(forms.Form):
    """How each stage of a rally that has not opened is driven, in fields `mode_<number>`."""

    def __init__(self, *args: Any, rally: Rally, stages: Iterable[SpecialStage], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [("", _("As all the rest: %(mode)s") % {"mode": rally.get_mode_display()})]
        for stage in stages:
            if stage.status == SpecialStage.Status.PLANNED:
                self.fields[f"mode_{stage.number}"] = forms.ChoiceField(
                    label=stage.title,
                    choices=[*choices, *modes_of(registry.get(rally.game))],
                    required=False,
                    initial=stage.mode,
                )

    def modes(self) -> dict[int, str]:
        """Return the modes by the number of the stage."""
        return {int(name.removeprefix("mode_")): value for name, value in self.cleaned_data.items()}


def stage_modes_form(rally: Rally, stages: Iterable[SpecialStage], data: Any = None) -> StageModesForm | None:
    """Return the form for the modes of a rally's stages; None where there is nothing to choose: one stage, one mode,
    or no stage to come.
    """
    found = list(stages)
    if rally.on_paper or len(found) < 2 or len(modes_of(registry.get(rally.game))) < 2:
        return None
    form = StageModesForm(data, rally=rally, stages=found)
    return form if form.fields and rally.status in (Rally.Status.ENTRIES, Rally.Status.RUNNING) else None


def settings_of(rally: Rally) -> dict[str, Any]:
    """A rally's settings as the initial values of a SettingsForm."""
    options = {f"option_{name}": value for name, value in rally.options.items()}
    said = {name: getattr(rally, name) for name in ("name", "mode", "auto_start", *DATES)}
    return {
        **said,
        **timekeeping_of(rally),
        **initial_capacity(rally),
        **initial_event(rally),
        **initial_evening_rules(rally),
        **options,
    }


if TYPE_CHECKING:
    _Designs = forms.ModelChoiceField[StageDesign]
else:
    _Designs = forms.ModelChoiceField


class DesignField(_Designs):
    """A choice of a stage design by its title."""

    def label_from_instance(self, design: StageDesign) -> str:
        return design.name_and_number


class AnyDesignField(DesignField):
    """A choice of a stage design of any game by its title, with the game's name when there are several games."""

    def label_from_instance(self, design: StageDesign) -> str:
        said = super().label_from_instance(design)
        return f"{catalogue.get(design.game)}: {said}" if len(catalogue.names()) > 1 else said


class RallyForm(SettingsForm):
    """A new rally: a ready-made one, or stages that the organiser chooses in order; and its settings."""

    route = forms.ChoiceField(label=gettext_lazy("Stages"), widget=forms.RadioSelect)

    field_order = ("name", "route", "mode", "turn_hours", "reminder_hours", "auto_start", *PLACES, *DATES)

    def __init__(self, *args: Any, game: str, club: Club, **kwargs: Any) -> None:
        kwargs.setdefault(
            "initial",
            {"mode": "convoy", "auto_start": True, **timekeeping_of(Rally()), **initial_evening_rules(Rally())},
        )
        super().__init__(*args, game=game, **kwargs)
        self.club = club
        for option, value in proposed_options(game).items():
            self.fields[f"option_{option}"].initial = value
        self.ready_made: Mapping[str, selectors.ReadyMadeRally] = {
            str(rally.number): rally for rally in selectors.ready_made_rallies(game)
        }
        route = self.fields["route"]
        assert isinstance(route, forms.ChoiceField)
        route.label = self.words.stages
        route.choices = [*self._routes(), (OWN_STAGES, _("My own choice, in the order below"))]
        route.initial = next(iter(self.ready_made), OWN_STAGES)
        designs = selectors.designs_for(club, game)
        for number in range(1, STAGE_FIELDS + 1):
            self.fields[f"stage_{number}"] = DesignField(
                queryset=designs,
                required=False,
                label=str(self.words.stage) % {"number": number},
                empty_label=_("none"),
            )

        if offered(self.rules, Ledgers) is not None:
            self.fields["ledgers"] = forms.BooleanField(
                label=_("Tell decisions from chance"),
                help_text=_(
                    "When the cars are in, pages tell what the drivers decided from what chance gave. You may switch "
                    "that off, before and after."
                ),
                required=False,
                initial=True,
            )

    def settings(self) -> dict[str, Any]:
        """The keyword arguments of `create_rally`."""
        return {**super().settings(), "ledgers": self.cleaned_data.get("ledgers", True)}

    def _routes(self) -> Iterable[tuple[str, str]]:
        for key, rally in self.ready_made.items():
            said = {"number": rally.number, "designer": rally.designs[0].designer, "stages": len(rally.designs)}
            yield key, _("Rally %(number)d, designed by %(designer)s: %(stages)d stages") % said

    def stage_fields(self) -> list[forms.BoundField]:
        """The fields in which the organiser chooses stages, in order."""
        return [self[f"stage_{number}"] for number in range(1, STAGE_FIELDS + 1)]

    def own_open(self) -> bool:
        """Whether the stage fields are in use or have an error, so that the page must show them open."""
        return self["route"].value() == OWN_STAGES or any(field.errors for field in self.stage_fields())

    def plain_fields(self) -> list[forms.BoundField]:
        apart = {"name", "route", *(field.name for field in self.stage_fields())}
        return [field for field in super().plain_fields() if field.name not in apart]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        own = [cleaned.get(f"stage_{number}") for number in range(1, STAGE_FIELDS + 1)]
        chosen = [design for design in own if design is not None]
        route = cleaned.get("route")
        if route == OWN_STAGES and not chosen and not any(field.errors for field in self.stage_fields()):
            self.add_error("stage_1", ValidationError(_("Choose at least one."), code="required"))
        elif route is not None and route != OWN_STAGES and chosen:
            self.add_error("route", _("Choose a ready-made one or your own choice, not both."))
        cleaned["designs"] = chosen if route == OWN_STAGES else self._ready_made_designs(route)
        return cleaned

    def long_rally(self) -> Proposal | None:
        """How long the rally takes as the form stands, without and with rounds together, where it takes very long."""
        return proposal_for(self._rally_as_shown(), [design.spec for design in self._designs_as_shown()])

    def length(self) -> Length | None:
        """How long the rally takes as the form stands; None while no stage is chosen."""
        rally = self._rally_as_shown()
        rally.rounds_together = bool("rounds_together" in self.fields and self._value("rounds_together"))
        return length_of(rally, [design.spec for design in self._designs_as_shown()])

    def _rally_as_shown(self) -> Rally:
        """The rally as the form stands, not saved."""
        values = {name: self._value(name) for name in ("mode", "weekends_off", "entry_limit", *SHOWN_OF_TIME)}
        rally = Rally(club=self.club, game=self.game)
        for name in ("mode", "entry_limit", *SHOWN_OF_TIME):
            if values[name] is not None:
                setattr(rally, name, values[name])
        rally.weekends_count = not values["weekends_off"]
        options = {option.name: self._value(f"option_{option.name}") for option in self.rules.options}
        rally.options = {name: value for name, value in options.items() if value is not None}
        return rally

    def _designs_as_shown(self) -> Sequence[StageDesign]:
        route = self["route"].value()
        if route != OWN_STAGES:
            return self._ready_made_designs(route)
        return [design for field in self.stage_fields() if (design := self._value(field.name)) is not None]

    def _value(self, name: str) -> Any:
        """The value of a field as the form stands; None where it is missing or not valid."""
        try:
            return self.fields[name].to_python(self[name].value())
        except ValidationError:
            return None

    def _ready_made_designs(self, route: str | None) -> Sequence[StageDesign]:
        return self.ready_made[route].designs if route is not None and route in self.ready_made else []


def data_of_rally(request: HttpRequest) -> QueryDict | None:
    """Return what a form for a new rally is filled in with: what was sent, or what its page asks about while it is
    filled in; None for a form that begins.
    """
    return request.POST if request.method == "POST" else request.GET if "route" in request.GET else None


class StartNumberForm(forms.Form):
    """The start number for confirming an entry; empty for the lowest free one."""

    start_number = forms.IntegerField(label=gettext_lazy("Start number"), min_value=1, max_value=999, required=False)


class TimeControlForm(forms.Form):
    """The game's decisions for a driver at time control; the fields have the decisions' names. `prices`: what they
    cost, in words, by name.
    """

    def __init__(
        self, *args: Any, decisions: Sequence[Decision], prices: Mapping[str, str] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        for decision in decisions:
            words: dict[str, Any] = {
                "label": _(decision.label),
                "help_text": _(decision.help) % {"worth": decision.worth, "seconds": decision.worth}
                if decision.help
                else "",
            }
            if prices and decision.name in prices:
                words["help_text"] = f"{words['help_text']} {prices[decision.name]}".strip()
            if decision.type == "bool":
                self.fields[decision.name] = forms.BooleanField(required=False, **words)
            else:
                self.fields[decision.name] = forms.IntegerField(
                    min_value=0, max_value=decision.most or None, initial=0, **words
                )


class PenaltyForm(forms.Form):
    """A penalty or a bonus, in the rally's unit."""

    entry = forms.ModelChoiceField(label=gettext_lazy("Entry"), queryset=Entry.objects.none())
    special_stage = forms.ModelChoiceField(
        label=gettext_lazy("Stage"),
        queryset=SpecialStage.objects.none(),
        required=False,
    )
    amount = forms.IntegerField(
        min_value=-measures.MOST_GIVEN,
        max_value=measures.MOST_GIVEN,
        help_text=gettext_lazy("Below zero for a bonus."),
    )
    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=200, validators=[one_line])
    seen = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, rally: Rally, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, Any] = self.fields
        fields["amount"].label = measures.unit_label(rally.measure)
        fields["reason"].help_text = readers(rally.club)
        fields["entry"].queryset = rally.entries.filter(status=Entry.Status.CONFIRMED).order_by("start_number")
        fields["special_stage"].label = rally.words.one_stage
        fields["special_stage"].empty_label = rally.words.as_a_whole
        fields["special_stage"].queryset = rally.stages.select_related("rally").order_by("number")


class ReasonForm(forms.Form):
    """The reason of an official's act."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=200,
        validators=[one_line],
    )

    def __init__(self, *args: Any, rally: Rally, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].help_text = readers(rally.club)

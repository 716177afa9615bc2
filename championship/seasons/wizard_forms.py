"""Forms of the season wizard, and of an existing championship: scheme as a table, names, calendar, settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship import catalogue
from championship.accounts.text import one_line
from championship.clubs.models import Club
from championship.platform.bounded_input import whole_number
from championship.rallies.clock.policy import LONGEST_PENALTY
from championship.rallies.clock.timekeeping_forms import mark_as_having_default
from championship.rallies.desk.forms import AnyDesignField, SettingsForm
from championship.rallies.results.measures import unit_label
from championship.seasons import rally_defaults
from championship.seasons.models import Championship
from championship.seasons.number_fields import NumberField
from championship.seasons.scoring.values import as_number
from championship.seasons.season_plans import (
    LARGEST_FACTOR,
    MOST_ROUNDS,
    OWN_STAGES,
    AvailableStages,
    Plan,
    PlannedRound,
    choices_of,
)
from championship.seasons.services.templates import template_choices
from championship.stages.models import StageDesign

STAGE_FIELDS = 8
TURN_BY_TURN = "turns"
"""The choice that gives every round another ready-made rally, beginning with the first one."""
LAST_YEAR = 9900
"""The latest year in which a season may begin, so that the days of forty rounds are still valid dates."""


class StartForm(forms.Form):
    """The name of the season, and the season from which it is copied."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=80, validators=[one_line])
    copied_from = forms.ModelChoiceField(
        label=gettext_lazy("Begin as"),
        queryset=Championship.objects.none(),
        required=False,
        empty_label=gettext_lazy("a new season, with nothing in it"),
        help_text=gettext_lazy(
            "Copies points, classes, teams, calendar and settings of an earlier season; the days move by a year."
        ),
    )
    template = forms.ChoiceField(
        label=gettext_lazy("Template"),
        required=False,
        help_text=gettext_lazy("Fills in points, classes and rounds. Everything can be changed in the next steps."),
    )
    registrations = forms.BooleanField(
        label=gettext_lazy("Register its drivers again, with crew, class, number and team"), required=False
    )

    def __init__(self, *args: Any, club: Club, plan: Plan, **kwargs: Any) -> None:
        said = {
            "name": plan.name,
            "template": plan.template,
            "copied_from": plan.copied_from,
            "registrations": plan.registrations,
        }
        kwargs.setdefault("initial", said)
        super().__init__(*args, **kwargs)
        fields: dict[str, Any] = self.fields
        seasons = club.championships.order_by("-created_at", "-pk")
        fields["copied_from"].queryset = seasons
        fields["template"].choices = template_choices(club)
        mark_as_having_default([fields["template"], fields["copied_from"]])
        self.order_fields(["name", "template", "copied_from", "registrations"])
        if not seasons:
            del self.fields["copied_from"], self.fields["registrations"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("template") and cleaned.get("copied_from"):
            self.add_error("template", _("Choose a template or an earlier season, not both."))
        return cleaned

    def changes(self) -> dict[str, Any]:
        """Return the changes for season_drafts.save_draft."""
        before = self.cleaned_data.get("copied_from")
        return {
            "name": self.cleaned_data["name"],
            "template": self.cleaned_data["template"],
            "copied_from": before.pk if before else None,
            "registrations": bool(before and self.cleaned_data["registrations"]),
        }


class NamesForm(forms.Form):
    """Classes and teams, one in each line."""

    classes = forms.CharField(
        label=gettext_lazy("Car classes"),
        widget=forms.Textarea(attrs={"rows": 5}),
        required=False,
        max_length=400,
        help_text=gettext_lazy("One per line; each has its own table. Empty for a season without classes."),
    )
    teams = forms.CharField(
        label=gettext_lazy("Teams"),
        widget=forms.Textarea(attrs={"rows": 8}),
        required=False,
        max_length=4000,
        help_text=gettext_lazy("One per line. Drivers choose theirs when they register."),
    )

    def changes(self) -> dict[str, Any]:
        """Return the changes for season_drafts.save_draft."""
        return {name: tuple(lines(self.cleaned_data[name])) for name in self.fields}


def lines(text: str) -> list[str]:
    """Return the lines of a text without blanks around them; empty lines are left out."""
    return [line.strip() for line in text.splitlines() if line.strip()]


class RallyDefaultsForm(SettingsForm):
    """The initial settings of a season's rallies: a rally's settings without its name and classes."""

    name = None  # type: ignore[assignment]
    classes = None  # type: ignore[assignment]
    entries_close_at = None  # type: ignore[assignment]
    starts_at = None  # type: ignore[assignment]
    with_event = False
    field_order = ("mode", "turn_hours", "reminder_hours", "auto_start", "entry_limit")

    def __init__(self, *args: Any, kept: rally_defaults.Settings, game: str | None = None, **kwargs: Any) -> None:
        game = game or rally_defaults.game_of(kept)
        kwargs.setdefault("initial", rally_defaults.as_initial(kept, game))
        super().__init__(*args, game=game, **kwargs)
        self.other_units = rally_defaults.units_besides(game)
        for measure in self.other_units:
            self.fields[rally_defaults.penalty_field(measure)] = forms.IntegerField(
                label=f"{_('Penalty for a missed deadline')}: {unit_label(measure)}",
                min_value=0,
                max_value=LONGEST_PENALTY,
                required=False,
                help_text=_("For games that give results in this unit."),
            )
        mark_as_having_default(self.fields[rally_defaults.penalty_field(measure)] for measure in self.other_units)

    def time_fields(self) -> list[forms.BoundField]:
        """Return the fields with the penalties in other units."""
        others = [self[rally_defaults.penalty_field(measure)] for measure in self.other_units]
        found = super().time_fields()
        at = 1 + [field.name for field in found].index("miss_penalty")
        return [*found[:at], *others, *found[at:]]

    def plain_fields(self) -> list[forms.BoundField]:
        """Return the fields without the penalties in other units, which are shown beside the first penalty."""
        others = {rally_defaults.penalty_field(measure) for measure in self.other_units}
        return [field for field in super().plain_fields() if field.name not in others]

    def places(self) -> dict[str, Any]:
        """Return how many cars a rally takes; its classes are the season's."""
        return {"entry_limit": self.cleaned_data["entry_limit"]}

    def settings(self) -> dict[str, Any]:
        """Return the settings as they are stored."""
        self.cleaned_data["name"] = ""
        said = super().settings()
        del said["name"], said["dates"], said["event"], said["evening"]
        given = {one.unit: self.cleaned_data[rally_defaults.penalty_field(one)] or 0 for one in self.other_units}
        return rally_defaults.to_json({**said, "game": self.game, "penalties": given})


def _route_words(key: str, designs: Sequence[StageDesign]) -> str:
    """Return a ready-made rally, or a single course, in words, with its game where there are several."""
    number = key.rpartition("/")[2]
    said = _("Rally %(number)s, ready-made: %(stages)d stages") % {"number": number, "stages": len(designs)}
    return _with_game(said if number.isdecimal() else designs[0].title, designs[0].game)


def _with_game(said: str, game: str) -> str:
    return f"{catalogue.get(game)}: {said}" if len(catalogue.names()) > 1 else said


def _by_turns(available: AvailableStages) -> dict[str, list[str]]:
    """Return the ready-made rallies or courses of each game in order: the form value of the choice, and their keys."""
    found: dict[str, list[str]] = {}
    for key, designs in available.routes.items():
        found.setdefault(designs[0].game, []).append(key)
    return {
        f"{TURN_BY_TURN}/{game}" if place else TURN_BY_TURN: keys for place, (game, keys) in enumerate(found.items())
    }


class CalendarForm(forms.Form):
    """The rounds of a planned season, one row each, and a quick way to fill them in."""

    rows = forms.IntegerField(min_value=0, max_value=MOST_ROUNDS, widget=forms.HiddenInput)
    fill_count = forms.IntegerField(
        label=gettext_lazy("Rounds"), min_value=1, max_value=MOST_ROUNDS, required=False, initial=6
    )
    fill_first = forms.DateField(
        label=gettext_lazy("The first on"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    fill_weeks = forms.IntegerField(
        label=gettext_lazy("Weeks from one to the next"), min_value=1, max_value=26, required=False, initial=4
    )
    fill_route = forms.ChoiceField(label=gettext_lazy("Stages of new rounds"), required=False)

    def __init__(self, *args: Any, rounds: Sequence[PlannedRound], available: AvailableStages, **kwargs: Any) -> None:
        kwargs.setdefault("initial", {"rows": len(rounds)})
        super().__init__(*args, **kwargs)
        self.available, self.rounds = available, rounds
        asked = str(self.data.get("rows", "")) if self.is_bound else str(len(rounds))
        more = whole_number(asked, digits=3)
        self.count = len(rounds) if more is None else min(MOST_ROUNDS, more)
        routes = [(key, _route_words(key, designs)) for key, designs in available.routes.items()]
        fields: dict[str, Any] = self.fields
        mark_as_having_default(fields[name] for name in ("fill_count", "fill_weeks", "fill_route"))
        self.by_turns = _by_turns(available)
        turns = [
            (chosen, _with_game(_("the ready-made ones in turn"), available.routes[keys[0]][0].game))
            for chosen, keys in self.by_turns.items()
        ]
        fields["fill_route"].choices = [*turns, *routes] or [(TURN_BY_TURN, "–")]
        for number in range(1, self.count + 1):
            self._add_row(number, rounds[number - 1] if number <= len(rounds) else PlannedRound(""), routes)

    def _add_row(self, number: int, planned: PlannedRound, routes: Sequence[tuple[str, str]]) -> None:
        own = _("Stages of my own choice (%(stages)d)") % {"stages": len(planned.designs)}
        choices = [("", _("not chosen yet")), *routes, (OWN_STAGES, own)]
        for name, field in {
            "name": forms.CharField(label=_("Name"), max_length=80, validators=[one_line], initial=planned.name),
            "day": forms.DateField(
                label=_("Day"),
                required=False,
                initial=planned.day,
                widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
            ),
            "route": forms.ChoiceField(label=_("Stages"), required=False, choices=choices, initial=planned.route),
            "power": forms.IntegerField(
                label=_("Power stage"),
                required=False,
                min_value=0,
                max_value=24,
                initial=planned.power_stage,
                help_text=_("Empty for the last stage, and for none in a round of one stage; 0 for none."),
            ),
            "factor": NumberField(
                label=_("Factor"),
                min_value=0,
                max_value=LARGEST_FACTOR // 100,
                initial=as_number(planned.factor),
                help_text=_("1 as usual, 2 for double points, 0.5 for half points."),
            ),
            "remove": forms.BooleanField(label=_("Delete this round when saving"), required=False),
        }.items():
            self.fields[f"{name}_{number}"] = field
        mark_as_having_default(
            [self.fields[f"route_{number}"], self.fields[f"factor_{number}"]]
        )  # no season can be created without one

    def clean_fill_first(self) -> date | None:
        """Return the first day, early enough for a whole season after it."""
        first: date | None = self.cleaned_data["fill_first"]
        if first is not None and first.year > LAST_YEAR:
            raise forms.ValidationError(self.fields["fill_first"].error_messages["invalid"])
        return first

    def row_fields(self) -> list[tuple[int, list[forms.BoundField]]]:
        """Return the rows: a round's number and its fields."""
        names = ("name", "day", "route", "power", "factor", "remove")
        return [(at, [self[f"{name}_{at}"] for name in names]) for at in range(1, self.count + 1)]

    def fill_fields(self) -> list[forms.BoundField]:
        """Return the fields of the quick way."""
        return [self[name] for name in ("fill_count", "fill_first", "fill_weeks", "fill_route")]

    def planned(self) -> list[PlannedRound]:
        """Return the rounds of the rows, without those to be deleted."""
        found = []
        for number in range(1, self.count + 1):
            if self.cleaned_data[f"remove_{number}"]:
                continue
            before = self.rounds[number - 1] if number <= len(self.rounds) else PlannedRound("")
            found.append(
                replace(
                    before,
                    name=self.cleaned_data[f"name_{number}"],
                    day=self.cleaned_data[f"day_{number}"],
                    route=self.cleaned_data[f"route_{number}"],
                    power_stage=self.cleaned_data[f"power_{number}"],
                    factor=100 if (factor := self.cleaned_data[f"factor_{number}"]) is None else int(factor * 100),
                    event=before.event if self.cleaned_data[f"route_{number}"] == before.route else {},
                )
            )
        return found

    def filled(self) -> list[PlannedRound]:
        """Return the rounds with days so many weeks apart, and as many new rounds as are missing."""
        rounds, count = self.planned(), self.cleaned_data["fill_count"] or 0
        while len(rounds) < count:
            rounds.append(self._another(len(rounds) + 1))
        first: date | None = self.cleaned_data["fill_first"]
        if first is None:
            return rounds
        apart = timedelta(weeks=self.cleaned_data["fill_weeks"] or 1)
        return [replace(each, day=first + apart * number) for number, each in enumerate(rounds)]

    def with_another(self) -> list[PlannedRound]:
        """Return the rounds and one more."""
        rounds = self.planned()
        return [*rounds, self._another(len(rounds) + 1)]

    def _another(self, number: int) -> PlannedRound:
        route = self.cleaned_data["fill_route"] or TURN_BY_TURN
        if route.partition("/")[0] == TURN_BY_TURN:
            keys = self.by_turns.get(route, [""])
            route = keys[(number - 1) % len(keys)]
        designs = self.available.routes.get(route, ())
        words = catalogue.get(designs[0].game).words if designs else catalogue.Words()
        return PlannedRound(name=str(words.numbered) % {"number": number}, route=route)


class StagesForm(forms.Form):
    """The stages of one round, in order."""

    def __init__(self, *args: Any, club: Club, designs: Sequence[int], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = choices_of(club)
        for number in range(1, STAGE_FIELDS + 1):
            self.fields[f"stage_{number}"] = AnyDesignField(
                queryset=choices,
                required=False,
                label=_("Stage %(number)d") % {"number": number},
                empty_label=_("no stage"),
                initial=designs[number - 1] if number <= len(designs) else None,
            )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors and not any(cleaned.values()):
            self.add_error("stage_1", _("Choose at least one stage."))
        if len({design.game for design in cleaned.values() if design is not None}) > 1:
            self.add_error("stage_1", _("They must all be of the same game."))
        return cleaned

    def designs(self) -> tuple[int, ...]:
        """Return the ids of the chosen stages."""
        return tuple(design.pk for design in self.cleaned_data.values() if design is not None)

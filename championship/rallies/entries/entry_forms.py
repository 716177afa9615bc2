"""Forms about entries: limits and classes, dates, entering, the start list, a message, cancelling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from championship.accounts.text import one_line
from championship.clubs.models import Club
from championship.clubs.visibility import readers
from championship.rallies.desk.messages import LONGEST
from championship.rallies.entries.capacity import Capacity, ClassCapacity
from championship.rallies.entries.registered_drivers import RegisteredDriver, class_for_round, open_classes
from championship.rallies.models import Entry, Rally

MOST_CARS = 999


class ClassesField(forms.CharField):
    """Car classes, one on each line, each with an optional limit after a colon: "RC2: 12"."""

    widget = forms.Textarea

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=600, required=False, **kwargs)

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        return "\n".join(
            each["name"] if each["limit"] is None else f"{each['name']}: {each['limit']}" for each in value
        )

    def clean(self, value: Any) -> list[dict[str, Any]]:
        """Parse the classes, each with `name` and `limit` (None for no limit).

        Raises: ValidationError when a line is not valid; it names the line.
        """
        found = []
        for number, line in enumerate(super().clean(value).splitlines(), 1):
            if not line.strip():
                continue
            name, colon, limit = (part.strip() for part in line.rpartition(":"))
            if not colon:
                name, limit = limit, ""
            if not name or (colon and not (limit.isascii() and limit.isdigit() and 1 <= int(limit[:6]) <= MOST_CARS)):
                says = _("Line %(number)d: write a class, or a class, a colon and a number of cars from 1 to %(most)d.")
                raise ValidationError(says % {"number": number, "most": MOST_CARS})
            found.append({"name": name, "limit": int(limit) if colon else None})
        return found


class CapacityForm(forms.Form):
    """The part of a rally's settings with the limit of cars and the classes."""

    entry_limit = forms.IntegerField(
        label=gettext_lazy("Most cars"),
        min_value=1,
        max_value=MOST_CARS,
        required=False,
        help_text=gettext_lazy("Later entries wait, and move up when somebody withdraws."),
    )
    classes = ClassesField(
        label=gettext_lazy("Car classes"),
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy(
            "One per line. To limit the number of cars, add a colon and a number: “RC2: 12”. Without "
            "classes, drivers name their own."
        ),
    )

    def places(self) -> dict[str, Any]:
        """The argument `places` of the services in `preparing`."""
        return {name: self.cleaned_data[name] for name in ("entry_limit", "classes")}


def _moment(label: Any, help_text: Any) -> forms.DateTimeField:
    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
    return forms.DateTimeField(label=label, required=False, widget=widget, help_text=help_text)


class DatesForm(forms.Form):
    """The part of a rally's settings with its automatic dates. They are typed in the organiser's time zone."""

    entries_close_at = _moment(
        gettext_lazy("Entries close"), gettext_lazy("In your time zone. From then on only organisers enter drivers.")
    )
    starts_at = _moment(
        gettext_lazy("The rally starts automatically"),
        gettext_lazy("In your time zone, with the entries that are confirmed by then. Empty: you start it."),
    )

    def dates(self) -> dict[str, Any]:
        """The argument `dates` of the services in `preparing`."""
        return {name: self.cleaned_data[name] for name in ("entries_close_at", "starts_at") if name in self.fields}


def initial_capacity(rally: Rally) -> dict[str, Any]:
    """A rally's capacity as the initial values of a CapacityForm."""
    return {"entry_limit": rally.entry_limit, "classes": rally.classes}


class EntryForm(forms.Form):
    """A driver's request for an entry. The class is a choice when the rally or its championship has classes, else free
    text. A driver who is `registered` for the championship finds crew and class filled in; the class cannot be changed
    here. `closed`: why the driver has no class to choose; "" for most.
    """

    closed = ""

    crew = forms.CharField(max_length=80, validators=[one_line])
    car_class = forms.CharField(label=gettext_lazy("Car class"), max_length=20, required=False, validators=[one_line])

    def __init__(
        self, *args: Any, rally: Rally, capacity: Capacity, registered: RegisteredDriver | None, **kwargs: Any
    ) -> None:
        own = class_for_round(rally, registered)
        if registered is not None:
            kwargs["initial"] = {**kwargs.get("initial", {}), "crew": registered.crew, "car_class": own}
        super().__init__(*args, **kwargs)
        words = rally.words
        self.fields["crew"].label, self.fields["crew"].help_text = words.crew, words.crew_help
        if own:
            names: tuple[str, ...] | None = tuple(each.name for each in capacity.classes) or None
        else:
            choice = open_classes(rally, registered)
            names, self.closed = choice.names, choice.why if choice.closed else ""
            self.fields["car_class"].help_text = choice.why
        if names is not None:
            places = {each.name: each for each in capacity.classes}
            self.fields["car_class"] = forms.ChoiceField(
                label=_("Car class"),
                choices=[(name, _class_in_words(name, places.get(name))) for name in names],
                widget=forms.RadioSelect,
                help_text=self.fields["car_class"].help_text,
            )
        self.fields["car_class"].disabled = bool(own)
        if registered is not None and registered.car_class:
            says = _("You are registered for %(championship)s in class %(class)s; this [event] has other classes.")
            says = words.fill(says)
            if own:
                says = _("Your class in %(championship)s. An organiser can change it.")
            said = {"championship": registered.championship, "class": registered.car_class}
            self.fields["car_class"].help_text = says % said


def _class_in_words(name: str, places: ClassCapacity | None) -> str:
    if places is None or places.limit is None:
        return name
    left = max(0, places.limit - places.taken)
    if not left:
        return _("%(name)s: full, you would wait") % {"name": name}
    says = ngettext("%(name)s: %(left)d place left", "%(name)s: %(left)d places left", left)
    return says % {"name": name, "left": left}


class StartListForm(forms.Form):
    """A place for each confirmed entry, in the field `place_<id>`. `seen`: the fingerprint of the list that the
    organiser saw.
    """

    seen = forms.CharField(max_length=16, widget=forms.HiddenInput)

    def __init__(self, *args: Any, entries: Sequence[Entry], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.entries = entries
        for place, entry in enumerate(entries, 1):
            self.fields[self.name_of(entry)] = forms.IntegerField(
                label=_("Place of %(crew)s") % {"crew": entry}, min_value=1, max_value=len(entries), initial=place
            )

    @staticmethod
    def name_of(entry: Entry) -> str:
        """The field of an entry's place."""
        return f"place_{entry.pk}"

    def lines(self) -> list[tuple[Entry, forms.BoundField]]:
        """The entries with their fields, in the order shown."""
        return [(entry, self[self.name_of(entry)]) for entry in self.entries]

    def order(self) -> list[int]:
        """Ids of the entries in the typed order.

        When an entry moves up to the place of another, it goes before that one. When it moves down, it goes after it.
        """
        ranks = []
        for place, entry in enumerate(self.entries, 1):
            typed = self.cleaned_data[self.name_of(entry)]
            ranks.append((typed, (typed > place) - (typed < place), place, entry.pk))
        return [pk for *_rank, pk in sorted(ranks)]


class MessageForm(forms.Form):
    """A message to the entrants."""

    text = forms.CharField(
        label=gettext_lazy("Message"),
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 6}),
    )

    def __init__(self, *args: Any, club: Club, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["text"].help_text = _("Plain text. It is on the page that you invite to.") + f" {readers(club)}"


class CancelForm(forms.Form):
    """Why a rally is cancelled."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=200,
        validators=[one_line],
        help_text=gettext_lazy("Everybody who entered is notified."),
    )

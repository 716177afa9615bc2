"""The extreme values of every column of an archive, and every address of what is restored from it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import connection, models

from championship.accounts.models import User
from championship.api import atom_feed
from championship.archive import rows
from championship.archive.tables import BY_NAME
from championship.clubs.models import Club
from championship.evenings.models import Word
from championship.games.dust.models import CardSet
from championship.moments.models import Comment
from championship.moments.selectors import page_of
from championship.notices.services.notice_choices import calendar_key_of
from championship.rallies.models import Entry, Penalty, SpecialStage
from championship.runs.models import Run, Turn
from championship.seasons.models import Registration
from championship.stages.models import StageDesign
from championship.stewards.models import Decision, Protest
from tests.contract.test_toys_on_every_page import routes

LOWEST, HIGHEST, ODD, HOLLOW, SWAPPED = "lowest", "highest", "odd", "hollow", "swapped"
"""Hollow: the lists and objects inside JSON are empty. Swapped: numbers in it are texts, and texts are numbers."""
ODD_TEXT = "\u202e[x](javascript:alert(1))<b>'\"&{{ 7 }}%s %(n)s\x1b\x0b\ufeff e\u0301 🏁 =1+1"
WORDY = "W🏁"
MOMENTS = {
    LOWEST: "1900-01-01T00:00:00+00:00",
    HIGHEST: "2200-01-01T13:59:59.999999+14:00",
    ODD: "1899-12-31T12:00:00-12:00",
}
TOO_FAR = (
    "1899-12-31T23:59:59.999999+00:00", "2200-01-01T00:00:00+00:00", "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59+00:00",
)  # fmt: skip

STAY = {
    "rallies.rally": {"game", "ruleset_version"},
    "rallies.specialstage": {"status"},
    "runs.run": {"game", "stage", "entrants", "options", "state", "record_format", "status"},
    "runs.event": {"data"},
    "stages.stagedesign": {"game"},
    "audit.record": {"club_id"},
}
"""Columns on which others depend. test_tampered.py and test_damaged.py change them one by one."""


def extreme(field: models.Field[Any, Any], which: str, value: Any) -> Any:
    """Return the lowest, the highest or an odd value of a column; `value` when it has no such."""
    if isinstance(field, models.JSONField):
        return _json(which, value)
    if which in (HOLLOW, SWAPPED):
        return value
    if isinstance(field, models.DateTimeField):
        return MOMENTS[which]
    if isinstance(field, models.DateField):
        return {LOWEST: "1900-01-01", HIGHEST: "2199-12-31", ODD: "2024-02-29"}[which]
    if isinstance(field, models.TimeField):
        return {LOWEST: "00:00:00", HIGHEST: "23:59:59.999999", ODD: "12:00:00.000001"}[which]
    if isinstance(field, models.BooleanField):
        return which != LOWEST
    if isinstance(field, models.IntegerField):
        return _number(field, which)
    if isinstance(field, ArrayField):
        return value
    if isinstance(field, models.CharField | models.TextField):
        if field.choices:
            named = [choice for choice, _label in field.flatchoices]
            return {LOWEST: named[0], HIGHEST: named[-1], ODD: value}[which]
        longest = min(field.max_length or 20_000, 20_000)
        return {LOWEST: "", HIGHEST: (WORDY * longest)[:longest], ODD: ODD_TEXT[:longest]}[which]
    return value


def _number(field: models.IntegerField[Any, Any], which: str) -> int:
    least, most = connection.ops.integer_field_range(field.get_internal_type())
    for validator in field.validators:
        limit = getattr(validator, "limit_value", None)
        if isinstance(limit, int):
            least = max(least, limit) if validator.code == "min_value" else least
            most = min(most, limit) if validator.code == "max_value" else most
    return {LOWEST: least, HIGHEST: most, ODD: least + 1}[which]


def _json(which: str, value: Any) -> Any:
    if which == LOWEST:
        return _empty(value)
    if which == HOLLOW:
        return _each(value, _empty)
    if which == SWAPPED:
        return _leaves(value, lambda leaf: "x" if isinstance(leaf, int | float) else 7)
    other: Any = rows.MOST if which == HIGHEST else ODD_TEXT
    return _leaves(value, lambda leaf: other if isinstance(leaf, type(other)) else leaf)


def _empty(value: Any) -> Any:
    return type(value)() if isinstance(value, list | dict) else value


def _each(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, dict):
        return {name: change(inner) for name, inner in value.items()}
    return [change(inner) for inner in value] if isinstance(value, list) else value


def _leaves(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return the value with each number, text and None in it changed."""
    if isinstance(value, dict | list):
        return _each(value, lambda inner: _leaves(inner, change))
    return value if isinstance(value, bool) else change(value)


def changed_table(name: str, text: bytes, which: str, kept: frozenset[str]) -> bytes:
    """Return a table with extreme values in every column that takes them, except those in `kept`. Columns in which no
    two rows may have the same value are changed in the last row only.
    """
    kept |= STAY.get(name, set())
    fields = [field for field in BY_NAME[name].model._meta.concrete_fields if not field.primary_key]
    once = _unique(BY_NAME[name].model)
    lines = [json.loads(line) for line in text.splitlines()]
    for number, row in enumerate(lines, start=1):
        for field in fields:
            if rows.references(field) is not None or field.name in kept or row.get(field.attname) is None:
                continue
            if field.name in once and number < len(lines):
                continue
            new = extreme(field, which, row[field.attname])
            try:
                rows.from_json(field, new)
            except rows.InvalidValue:
                continue
            row[field.attname] = new
    return b"".join(json.dumps(row).encode() + b"\n" for row in lines)


def _unique(model: type[models.Model]) -> set[str]:
    found = {field.name for field in model._meta.concrete_fields if field.unique}
    for constraint in model._meta.constraints:
        if isinstance(constraint, models.UniqueConstraint):
            found |= set(constraint.fields)
    return found


def addresses(club: Club, driver: User) -> Iterator[str]:
    """Yield every address that shows something of the club, with the calendar of this driver, and every address without
    a name in it.
    """
    values = _values(club, driver)
    for route in routes():
        if "(" in route or route.startswith(("account", "demo", "mail/off")) or "<str:token>" in route:
            continue
        names = re.findall(r"(\w[\w-]*)?/?<(\w+:\w+)>", route)
        choices = [_choices(values, before, name) for before, name in names]
        for chosen in product(*choices):
            path = route
            for (_before, name), value in zip(names, chosen, strict=True):
                path = path.replace(f"<{name}>", str(value), 1)
            yield f"/{path}"


def _choices(values: Mapping[str, list[Any]], before: str, name: str) -> list[Any]:
    return values.get(f"{before}/{name}", values.get(name, []))


def _values(club: Club, driver: User) -> dict[str, list[Any]]:
    """Return the values of the names in addresses, by the word before the name, or by the name alone."""
    rallies = list(club.rallies.values_list("key", flat=True))
    seasons = list(club.championships.values_list("key", flat=True))
    designs = StageDesign.objects.filter(club=club)
    owner = club.memberships.order_by("pk")[0].user
    talks = page_of(club, owner, "1")[1]
    stages = SpecialStage.objects.filter(rally__club=club).order_by("number")
    return {
        "slug:slug": [club.slug],
        **{f"{word}/slug:key": rallies for word in ("rallies", "podium")},
        "feeds/slug:key": [atom_feed.key_of(club)],
        "calendar/slug:key": [calendar_key_of(person=driver)],
        **{f"{word}/slug:key": seasons for word in ("championships", "standings")},
        **{f"{word}/slug:key": list(designs.values_list("key", flat=True)) for word in ("stages", "courses")},
        "runs/slug:key": list(Run.objects.values_list("key", flat=True)),
        "protests/slug:key": list(Protest.objects.values_list("key", flat=True)),
        "decisions/slug:key": list(Decision.objects.values_list("key", flat=True)),
        "sets/slug:key": list(CardSet.objects.values_list("key", flat=True)),
        "ask/slug:key": [club.key],
        "moments/slug:key": sorted({talk.moment.key for talk in talks}),
        "slug:name": sorted({talk.moment.name for talk in talks}),
        "int:number": sorted(set(stages.values_list("number", flat=True)))[:2],
        "slug:game": ["dirt", "dust", "formula_d"],
        "members/int:pk": list(club.memberships.values_list("pk", flat=True)),
        "drivers/int:pk": list(Entry.objects.filter(rally__club=club).values_list("driver", flat=True).distinct()),
        "words/int:pk": list(Word.objects.values_list("pk", flat=True)),
        "comments/int:pk": list(Comment.objects.values_list("pk", flat=True)),
        "registrations/int:pk": list(Registration.objects.values_list("pk", flat=True)),
        "entries/int:entry_id": list(Entry.objects.values_list("pk", flat=True))[:2],
        "runs/int:turn_id": list(Turn.objects.values_list("pk", flat=True))[:1],
        "penalty/int:penalty_id": list(Penalty.objects.values_list("pk", flat=True))[:2],
        "str:place": ["1"],
    }

"""A row of a table as JSON, and back: columns by name, moments in ISO 8601 to the microsecond, bytes in base 64."""

from __future__ import annotations

import base64
import binascii
import re
from datetime import UTC, date, datetime, time
from itertools import chain
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import connection, models

from championship.accounts.text import one_line, without_hidden
from championship.archive.tables import BY_NAME

KEY = re.compile(r"[A-Za-z0-9_-]{1,80}")
YEARS = range(1900, 2200)
"""Years that a moment may lie in: pages show it in any zone."""
NAMES = ("name", "crew")
"""Columns that say who or what something is."""
DEEPEST = 60
"""Lists and objects in each other, in a column of JSON."""
MAPPING, LISTING, ANY = (dict,), (list,), (object,)
JSON_KINDS: dict[str, tuple[tuple[type, ...], tuple[type, ...] | None]] = {
    "stages.StageDesign.spec": (MAPPING, None),
    "stages.Rating.result": (MAPPING, None),
    "stages.Chunk.driven": (LISTING, None),
    "rallies.Rally.options": (MAPPING, (bool, int, str)),
    "rallies.Rally.classes": (LISTING, MAPPING),
    "rallies.SpecialStage.spec": (MAPPING, None),
    "rallies.Entry.car": (ANY, None),
    "rallies.StageTime.rank": (LISTING, (int,)),
    "rallies.StageTime.detail": (ANY, None),
    "rallies.StageTime.car": (ANY, None),
    "rallies.TimeControlCard.decision": (MAPPING, (bool, int, str)),
    "rallies.TimeControlCard.car_after": (ANY, None),
    "runs.Run.stage": (MAPPING, None),
    "runs.Run.entrants": (LISTING, MAPPING),
    "runs.Run.options": (MAPPING, (bool, int, str)),
    "runs.Run.phrases": (LISTING, None),
    "runs.Run.state": (MAPPING, None),
    "runs.Turn.terms": (MAPPING, None),
    "runs.Turn.reasons": (LISTING, (str,)),
    "runs.Seal.phrases": (LISTING, (str,)),
    "runs.Post.orders": (MAPPING, None),
    "runs.Post.draws": (LISTING, MAPPING),
    "runs.Event.data": (MAPPING, None),
    "runs.SentAhead.laid": ((str, dict, list), None),
    "runs.SentAhead.orders": (MAPPING, None),
    "runs.SentAhead.outlook": ((dict, list), None),
    "runs.SentAhead.values": (MAPPING, None),
    "seasons.Championship.points": (LISTING, (int,)),
    "seasons.Championship.power": (LISTING, (int,)),
    "seasons.Championship.class_points": (LISTING, (int,)),
    "seasons.Championship.tie_breaks": (LISTING, (str,)),
    "seasons.Championship.classes": (LISTING, (str,)),
    "seasons.Championship.rally_settings": (MAPPING, None),
    "audit.Record.details": (MAPPING, None),
}
"""What a column of JSON is, and where it is the same for all what each of its values is. What is a game's own is ANY:
row_checks.py asks the game.
"""


class Odd(ValueError):
    """A value that its column cannot hold; says which column."""


def references(field: models.Field[Any, Any]) -> type[models.Model] | None:
    """The model whose rows the column points to; None for a column with a value of its own."""
    related = field.related_model if field.is_relation else None
    return related if isinstance(related, type) else None


def told(field: models.Field[Any, Any], value: Any) -> Any:
    """A column's value, plain enough for JSON; None for what points out of the archive."""
    to = references(field)
    if to is not None and to._meta.label_lower not in BY_NAME and to._meta.label_lower != "accounts.user":
        return None
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(bytes(value)).decode("ascii")
    return value


def read(field: models.Field[Any, Any], value: Any) -> Any:
    """The value of a column that points nowhere, from JSON.

    Raises: Odd where the column cannot hold it.
    """
    if value is None:
        return _or_odd(field, field.null, None)
    try:
        found = _read(field, value)
    except (ValueError, TypeError, binascii.Error, OverflowError) as error:
        raise Odd(field.name) from error
    if field.choices and not isinstance(field, models.JSONField):
        _or_odd(field, found in {choice for choice, _label in field.flatchoices} or (field.blank and found == ""), None)
    if field.name in ("key", "slug") and field.unique:
        _or_odd(field, KEY.fullmatch(found), None)
    if not isinstance(field, models.JSONField) and found not in ("", []):
        try:
            field.run_validators(found)
        except ValidationError as error:
            raise Odd(field.name) from error
    return found


def check_reference(field: models.Field[Any, Any], value: Any) -> None:
    """Raises: Odd for what can be no number of a row."""
    number = isinstance(value, int) and not isinstance(value, bool)
    _or_odd(field, number or (value is None and field.null), None)


def _read(field: models.Field[Any, Any], value: Any) -> Any:
    if isinstance(field, models.DateTimeField):
        moment = datetime.fromisoformat(value)
        _or_odd(field, moment.tzinfo is not None, None)
        return _or_odd(field, moment.astimezone(UTC).year in YEARS, moment)
    if isinstance(field, models.DateField):
        day = date.fromisoformat(value)
        return _or_odd(field, day.year in YEARS, day)
    if isinstance(field, models.TimeField):
        return time.fromisoformat(value)
    if isinstance(field, models.BinaryField):
        return base64.b64decode(value, validate=True)
    if isinstance(field, models.BooleanField):
        return _or_odd(field, isinstance(value, bool), value)
    if isinstance(field, models.IntegerField):
        _or_odd(field, isinstance(value, int) and not isinstance(value, bool), None)
        least, most = connection.ops.integer_field_range(field.get_internal_type())
        return _or_odd(field, (least is None or value >= least) and (most is None or value <= most), value)
    if isinstance(field, models.CharField | models.TextField):
        fits = isinstance(value, str) and (field.max_length is None or len(value) <= field.max_length)
        _or_odd(field, fits and "\x00" not in value, None)
        return _shown(field, value) if field.name in NAMES else value
    if isinstance(field, ArrayField):
        return _or_odd(field, isinstance(value, list) and all(isinstance(one, str) for one in value), value)
    if isinstance(field, models.JSONField):
        return _or_odd(field, _fits_json(field, value), value)
    return value


def _shown(field: models.Field[Any, Any], value: str) -> str:
    """A name without what nobody sees in it: names from before were not looked at for that."""
    shown = without_hidden(value)
    try:
        one_line(shown)
    except ValidationError as error:
        raise Odd(field.name) from error
    return str(_or_odd(field, shown or not value, shown))


def _fits_json(field: models.Field[Any, Any], value: Any) -> bool:
    """Whether a column of JSON is of its kind, and each of its values where that is one for all."""
    whole, each = JSON_KINDS[str(field)]
    if not isinstance(value, whole) or not _is_shallow(value):
        return False
    held: Any = value
    values = held.values() if isinstance(held, dict) else held
    return each is None or all(isinstance(one, each) and (bool in each or not isinstance(one, bool)) for one in values)


def _is_shallow(value: Any) -> bool:
    """Whether it is nested no deeper than any of ours, without a character that no column holds."""
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > DEEPEST:
            return False
        held = [one for one in level if isinstance(one, dict | list)]
        texts = chain((one for one in level if isinstance(one, str)), *(one for one in held if isinstance(one, dict)))
        if any("\x00" in text for text in texts):
            return False
        level = [inner for one in held for inner in (one.values() if isinstance(one, dict) else one)]
    return True


def _or_odd(field: models.Field[Any, Any], fits: object, value: Any) -> Any:
    if not fits:
        raise Odd(field.name)
    return value


def default_of(field: models.Field[Any, Any]) -> Any:
    """What a column holds that an older archive does not tell of.

    Raises: Odd where it must be told.
    """
    if field.has_default():
        return field.get_default()
    if field.null:
        return None
    if field.blank and field.empty_strings_allowed:
        return ""
    raise Odd(field.name)

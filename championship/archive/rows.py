"""Converts a row of a table to JSON and back: columns by name, datetimes in ISO 8601 to the microsecond, bytes in base
64.
"""

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
"""The years allowed in a moment, in UTC, and in a date. Pages must be able to show it in any time zone."""
MOST = 2**53
"""The largest number in a JSON column, and the lowest one without its sign: programs in any language read it."""
UNSHOWN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")
"""Characters that a text loses: no page shows them, and feeds cannot contain them."""
NO_TEXT = re.compile("[\x00\ud800-\udfff]")
"""Characters that no text in the database can contain: NUL, and halves of surrogate pairs."""
NAMES = ("name", "crew")
"""Columns that hold the name of a person or a thing."""
DEEPEST = 60
"""The deepest nesting of lists and objects in a JSON column."""
MAPPING, LISTING, ANY = (dict,), (list,), (object,)
JSON_KINDS: dict[str, tuple[tuple[type, ...], tuple[type, ...] | None]] = {
    "stages.StageDesign.spec": (MAPPING, None),
    "stages.Rating.result": (MAPPING, None),
    "stages.Chunk.driven": (LISTING, None),
    "rallies.Rally.options": (MAPPING, (bool, int, str)),
    "rallies.Rally.classes": (LISTING, MAPPING),
    "rallies.Rally.knockout": (MAPPING, None),
    "rallies.Rally.evening": (MAPPING, (int, str)),
    "rallies.Rally.evening_rules": (MAPPING, (int, str)),
    "rallies.SpecialStage.spec": (MAPPING, None),
    "rallies.Entry.car": (ANY, None),
    "rallies.StageTime.rank": (LISTING, (int,)),
    "rallies.StageTime.feats": (LISTING, (str,)),
    "rallies.StageTime.detail": (ANY, None),
    "rallies.StageTime.car": (ANY, None),
    "rallies.TimeControlCard.decision": (MAPPING, (bool, int, str)),
    "rallies.TimeControlCard.car_after": (ANY, None),
    "runs.Run.stage": (MAPPING, None),
    "runs.Run.entrants": (LISTING, MAPPING),
    "runs.Run.options": (MAPPING, (bool, int, str)),
    "runs.Run.phrases": (LISTING, None),
    "runs.Run.state": (MAPPING, None),
    "runs.Seat.held": (MAPPING, None),
    "runs.Seat.unlogged": (LISTING, MAPPING),
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
    "tabletop.Score.numbers": (MAPPING, (int,)),
    "tabletop.Roll.thrown": (LISTING, (str,)),
    "tabletop.Roll.shown": (LISTING, (int,)),
    "seasons.Championship.points": (LISTING, (int, float)),
    "seasons.Championship.power": (LISTING, (int, float)),
    "seasons.Championship.class_points": (LISTING, (int, float)),
    "seasons.Championship.further": (MAPPING, None),
    "seasons.Round.points": (LISTING, (int, float)),
    "seasons.Championship.tie_breaks": (LISTING, (str,)),
    "seasons.Championship.classes": (LISTING, (str,)),
    "seasons.Championship.rally_settings": (MAPPING, None),
    "audit.Record.details": (MAPPING, None),
}
"""The types allowed for the value of a JSON column, and for each value inside it, or None when those are not checked
here. Values that belong to a game are ANY; row_checks.py lets the game check them.
"""


class InvalidValue(ValueError):
    """A value that its column cannot hold. The message names the column."""


def references(field: models.Field[Any, Any]) -> type[models.Model] | None:
    """Return the model to which the column points; None for a column with its own value."""
    related = field.related_model if field.is_relation else None
    return related if isinstance(related, type) else None


def to_json(field: models.Field[Any, Any], value: Any) -> Any:
    """Return a column's value, plain enough for JSON; None for a reference to a row outside the archive."""
    to = references(field)
    if to is not None and to._meta.label_lower not in BY_NAME and to._meta.label_lower != "accounts.user":
        return None
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(bytes(value)).decode("ascii")
    return value


def from_json(field: models.Field[Any, Any], value: Any) -> Any:
    """Return the value of a column that is no reference, from JSON.

    Raises: InvalidValue when the column cannot hold it.
    """
    if value is None:
        return _checked(field, field.null, None)
    try:
        found = _read(field, value)
    except (ValueError, TypeError, binascii.Error, OverflowError) as error:
        raise InvalidValue(field.name) from error
    if field.choices and not isinstance(field, models.JSONField):
        _checked(
            field, found in {choice for choice, _label in field.flatchoices} or (field.blank and found == ""), None
        )
    if field.name in ("key", "slug") and field.unique:
        _checked(field, KEY.fullmatch(found), None)
    if not isinstance(field, models.JSONField) and found not in ("", []):
        try:
            field.run_validators(found)
        except ValidationError as error:
            raise InvalidValue(field.name) from error
    return found


def check_reference(field: models.Field[Any, Any], value: Any) -> None:
    """Check the id of a row in a column that is a reference.

    Raises: InvalidValue when the value cannot be an id.
    """
    number = isinstance(value, int) and not isinstance(value, bool)
    _checked(field, number or (value is None and field.null), None)


def readable_moment(text: Any) -> datetime:
    """Return a moment that every page can show, in UTC.

    Raises: ValueError, TypeError or OverflowError for any other text or value.
    """
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None or moment.astimezone(UTC).year not in YEARS:
        raise ValueError(text)
    return moment.astimezone(UTC)


def is_text(value: str) -> bool:
    """Return whether the database can hold the text."""
    return NO_TEXT.search(value) is None


def _read(field: models.Field[Any, Any], value: Any) -> Any:
    if isinstance(field, models.DateTimeField):
        return readable_moment(value)
    if isinstance(field, models.DateField):
        day = date.fromisoformat(value)
        return _checked(field, day.year in YEARS, day)
    if isinstance(field, models.TimeField):
        moment_of_day = time.fromisoformat(value)
        return _checked(field, moment_of_day.tzinfo is None, moment_of_day)
    if isinstance(field, models.BinaryField):
        return base64.b64decode(value, validate=True)
    if isinstance(field, models.BooleanField):
        return _checked(field, isinstance(value, bool), value)
    if isinstance(field, models.IntegerField):
        _checked(field, isinstance(value, int) and not isinstance(value, bool), None)
        least, most = connection.ops.integer_field_range(field.get_internal_type())
        return _checked(field, (least is None or value >= least) and (most is None or value <= most), value)
    if isinstance(field, models.CharField | models.TextField):
        fits = isinstance(value, str) and (field.max_length is None or len(value) <= field.max_length)
        _checked(field, fits and is_text(value), None)
        return _shown(field, value) if field.name in NAMES else UNSHOWN.sub("", value)
    if isinstance(field, ArrayField):
        return _checked(field, isinstance(value, list) and all(isinstance(one, str) for one in value), value)
    if isinstance(field, models.JSONField):
        return _checked(field, _fits_json(field, value), value)
    return value


def _shown(field: models.Field[Any, Any], value: str) -> str:
    """Return a name without its invisible characters. Names from before the check for them may contain some."""
    shown = without_hidden(value)
    try:
        one_line(shown)
    except ValidationError as error:
        raise InvalidValue(field.name) from error
    return str(_checked(field, shown or not value, shown))


def _fits_json(field: models.Field[Any, Any], value: Any) -> bool:
    """Return whether the value of a JSON column has the right type, and each value inside it too."""
    whole, each = JSON_KINDS[str(field)]
    if not isinstance(value, whole) or not _is_readable(value):
        return False
    held: Any = value
    values = held.values() if isinstance(held, dict) else held
    return each is None or all(isinstance(one, each) and (bool in each or not isinstance(one, bool)) for one in values)


def _is_readable(value: Any) -> bool:
    """Return whether a value is nested no deeper than DEEPEST, with texts that the database can hold and numbers that
    pages can show.
    """
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > DEEPEST:
            return False
        held = [one for one in level if isinstance(one, dict | list)]
        names = chain.from_iterable(one for one in held if isinstance(one, dict))
        if not all(_is_plain(one) for one in level) or not all(is_text(name) for name in names):
            return False
        level = [inner for one in held for inner in (one.values() if isinstance(one, dict) else one)]
    return True


def _is_plain(value: Any) -> bool:
    """Return whether a value that is neither a list nor an object is within the bounds of its type."""
    if isinstance(value, str):
        return is_text(value)
    if isinstance(value, int | float):  # infinity is more, and JSON has no other odd number
        return -MOST <= value <= MOST
    return True


def _checked(field: models.Field[Any, Any], fits: object, value: Any) -> Any:
    if not fits:
        raise InvalidValue(field.name)
    return value


def default_of(field: models.Field[Any, Any]) -> Any:
    """Return the value for a column that an older archive does not have.

    Raises: InvalidValue when the column has no default.
    """
    if field.has_default():
        return field.get_default()
    if field.null:
        return None
    if field.blank and field.empty_strings_allowed:
        return ""
    raise InvalidValue(field.name)

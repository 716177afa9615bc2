"""A row of a table as JSON, and back: columns by name, moments in ISO 8601 to the microsecond, bytes in base 64."""

from __future__ import annotations

import base64
import binascii
import re
from datetime import date, datetime, time
from typing import Any

from django.db import models

from championship.archive.tables import BY_NAME

KEY = re.compile(r"[A-Za-z0-9_-]{1,80}")


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
    """The value of a column that points nowhere, from JSON. Raises Odd where the column cannot hold it."""
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
    return found


def _read(field: models.Field[Any, Any], value: Any) -> Any:
    if isinstance(field, models.DateTimeField):
        moment = datetime.fromisoformat(value)
        return _or_odd(field, moment.tzinfo is not None, moment)
    if isinstance(field, models.DateField):
        return date.fromisoformat(value)
    if isinstance(field, models.TimeField):
        return time.fromisoformat(value)
    if isinstance(field, models.BinaryField):
        return base64.b64decode(value, validate=True)
    if isinstance(field, models.BooleanField):
        return _or_odd(field, isinstance(value, bool), value)
    if isinstance(field, models.IntegerField):
        return _or_odd(field, isinstance(value, int) and not isinstance(value, bool), value)
    if isinstance(field, models.CharField | models.TextField):
        fits = isinstance(value, str) and (field.max_length is None or len(value) <= field.max_length)
        return _or_odd(field, fits and "\x00" not in value, value)
    return value


def _or_odd(field: models.Field[Any, Any], fits: object, value: Any) -> Any:
    if not fits:
        raise Odd(field.name)
    return value


def default_of(field: models.Field[Any, Any]) -> Any:
    """What a column holds that an older archive does not tell of. Raises Odd where it must be told."""
    if field.has_default():
        return field.get_default()
    if field.null:
        return None
    if field.blank and field.empty_strings_allowed:
        return ""
    raise Odd(field.name)

"""Parses the body of a request: one JSON document, small and plain, which the database can store. It is validated by
the shape of its operation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any

from django.core.exceptions import RequestDataTooBig
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.serializers import Serializer

from championship.api.problems import Problem
from championship.api.services.idempotency import refusal_of
from championship.platform.bounded_input import plain_json

MOST_BYTES = 64 * 1024
DEEPEST = 20
LARGEST_NUMBER = 2**53
"""Larger numbers lose precision in programs in other languages."""


class PlainJsonParser(BaseParser):
    """Reads application/json of at most MOST_BYTES.

    Raises: Problem when the body is too large (413), no JSON (400), or no plain object (422).
    """

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        request = (parser_context or {})["request"]
        if int(request.META.get("CONTENT_LENGTH") or 0) > MOST_BYTES:
            raise Problem("too-large")
        try:
            body = stream.read(MOST_BYTES + 1)
        except RequestDataTooBig:
            raise Problem("too-large") from None
        if len(body) > MOST_BYTES:
            raise Problem("too-large")
        try:
            sent = plain_json(body)
        except ValueError as error:
            raise Problem("no-json", detail=f"This is no JSON: {str(error)[:120]}.") from None
        if not isinstance(sent, dict):
            raise Problem("invalid", detail="Send one JSON object.")
        check_plain(sent)
        return sent


def check_plain(value: Any, *, field: str = "", depth: int = 0) -> None:
    """Check that a JSON value can be stored.

    Raises: Problem (422) when it is nested too deeply, or contains a fraction, a number beyond LARGEST_NUMBER, or a
        character that no text can hold.
    """
    if depth > DEEPEST:
        raise Problem("invalid", detail="This is nested too deeply.", field=field)
    if isinstance(value, float) or (isinstance(value, int) and abs(value) > LARGEST_NUMBER):
        raise Problem("invalid", detail="Send whole numbers below 2^53 only.", field=field)
    if isinstance(value, str):
        check_text(value, field=field)
    elif isinstance(value, dict):
        for name, part in value.items():
            check_text(name, field=field)
            check_plain(part, field=field or name, depth=depth + 1)
    elif isinstance(value, list):
        for part in value:
            check_plain(part, field=field, depth=depth + 1)


def check_text(text: str, *, field: str = "") -> None:
    """Check that a text can be stored.

    Raises: Problem (422) when it contains a NUL or half of a surrogate pair.
    """
    if "\x00" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise Problem("invalid", detail="There is a character in this that no text can hold.", field=field)


REFUSALS = (Problem, ValidationError)
"""What `read` raises when a body is not valid."""


def read(shape: type[Serializer[Any]], request: Request) -> dict[str, Any]:
    """Return the request body, validated by its shape.

    Raises: ValidationError when a value is not valid, Problem when a field is unknown.
    """
    sent = request.data if isinstance(request.data, dict) else {}
    reader = shape(data=sent)
    unknown = [name for name in sent if name not in reader.fields]
    if unknown:
        raise Problem("invalid", field=unknown[0][:80], detail="There is no such field.")
    reader.is_valid(raise_exception=True)
    return dict(reader.validated_data)


class UnusableBody(Mapping[str, Any]):
    """A body that is not valid: every use of it raises its refusal.

    An object that a person may not know of is a 404 whatever the body is. So an operation looks up its object even when
    the body is refused, and only then uses the body.
    """

    def __init__(self, refused: Exception) -> None:
        self.refused = refused

    def first_refusal(self, operation: Callable[[], Any]) -> Exception:
        """Return what the operation raises first: a refusal of its own, or that of the body. Nothing is changed."""
        return refusal_of(operation) or self.refused

    def __getitem__(self, name: str) -> Any:
        raise self.refused

    def __iter__(self) -> Iterator[str]:
        raise self.refused

    def __len__(self) -> int:
        raise self.refused

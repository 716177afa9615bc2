"""Bodies of requests, validated by the shape of their operation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.serializers import Serializer

from championship.api.problems import Problem
from championship.api.services.idempotency import refusal_of

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

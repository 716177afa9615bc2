"""The schema as data for the guide's page: the operations by chapter, each with its input and output."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from championship.api import schema


@dataclass(frozen=True, slots=True)
class DocumentedOperation:
    """An operation on the page. `takes` and `answers` name shapes; "" when it has none of our own."""

    method: str
    address: str
    name: str
    summary: str
    scopes: str
    takes: str
    answers: str
    query: tuple[str, ...]
    statuses: tuple[str, ...]


@cache
def chapters() -> list[tuple[str, list[DocumentedOperation]]]:
    """Return the operations by the first word of their address, in the order of the schema."""
    found: dict[str, list[DocumentedOperation]] = defaultdict(list)
    for address, methods in schema.document()["paths"].items():
        for method, operation in methods.items():
            found[address.split("/")[1]].append(_documented(address, method, operation))
    return list(found.items())


def _documented(address: str, method: str, operation: Mapping[str, Any]) -> DocumentedOperation:
    good = next(answer for status, answer in operation["responses"].items() if status.startswith("2"))
    body = operation.get("requestBody", {}).get("content", {})
    return DocumentedOperation(
        method=method.upper(),
        address=address,
        name=operation["operationId"],
        summary=operation["summary"],
        scopes=operation["description"],
        takes=_shape(body),
        answers=_shape(good["content"]),
        query=tuple(each["name"] for each in operation["parameters"] if each["in"] != "path"),
        statuses=tuple(operation["responses"]),
    )


def _shape(content: Mapping[str, Any]) -> str:
    """Return the name of a shape, in brackets for a list of it."""
    for media in content.values():
        of = media["schema"]
        inner = of.get("items", of)
        name = inner.get("$ref", "").rpartition("/")[2]
        return f"[{name}]" if of is not inner else name
    return ""

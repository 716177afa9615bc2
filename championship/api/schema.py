"""The schema of the API, OpenAPI 3.1, generated from the descriptions of the views and from their shapes; its address,
and the answer for unknown ones.

It is committed as docs/openapi.json; a test fails when the two differ. `manage.py api_schema` writes it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from championship.api.endpoint import ApiView, Operation
from championship.api.operations import OPERATIONS
from championship.api.problems import KINDS, MEDIA_TYPE, Problem
from championship.api.shapes import Address, UtcDateTime

Json = dict[str, Any]
METHODS = ("get", "post", "put", "delete")
ALWAYS = ("no-token", "scope", "not-found", "not-acceptable", "too-many", "busy")
WITH_BODY = ("no-json", "too-large", "media-type", "invalid")
CONVERTERS: Mapping[str, Json] = {
    "slug": {"type": "string", "pattern": "^[-a-zA-Z0-9_]+$"},
    "int": {"type": "integer", "minimum": 0},
}
LICENSE = {"name": "MIT", "identifier": "MIT"}
ABOUT = """Read and drive rallies by program. Show a token from the page "My programs" as `Authorization: Bearer`.

Every error is a problem document (RFC 9457). Times are in UTC. Lists come in parts: follow `Link`. Every answer to GET
has an `ETag`, weak where the answer is compressed; send it in `If-None-Match` and get 304 as long as nothing is new.

Changes within version 1 are additive: new addresses, new members, new values of open lists. Whatever is to go is
announced by the headers `Deprecation` and `Sunset` at least six months before."""


@cache
def document() -> Json:
    """Return the whole schema."""
    components: Json = {}
    paths: Json = {}
    for address, parameters, method, operation, takes_key in operations():
        paths.setdefault(address, {})[method] = _operation(operation, parameters, takes_key, components)
    components["Problem"] = _problem()
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Parc Fermé",
            "version": "1",
            "description": ABOUT,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/api/v1"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(components.items())),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": _limits()}},
        },
    }


def as_text() -> str:
    """Return the schema as it is served and committed."""
    return json.dumps(document(), indent=1, ensure_ascii=False) + "\n"


def operations() -> Iterator[tuple[str, list[Json], str, Operation, bool]]:
    """Yield every operation: its address in the schema, the parameters in the address, the method, its description, and
    whether it takes an Idempotency-Key.
    """
    for pattern in OPERATIONS:
        address, parameters = _address(pattern)
        for method in METHODS:
            made = getattr(getattr(pattern.callback, "view_class", None), method, None)
            if made is not None:
                yield address, parameters, method, made.operation, getattr(made, "takes_key", False)


def _address(pattern: URLPattern) -> tuple[str, list[Json]]:
    parameters: list[Json] = []

    def named(found: re.Match[str]) -> str:
        parameters.append({"name": found[2], "in": "path", "required": True, "schema": dict(CONVERTERS[found[1]])})
        return "{" + found[2] + "}"

    return "/" + re.sub(r"<(\w+):(\w+)>", named, str(pattern.pattern)), parameters


def _operation(operation: Operation, parameters: list[Json], takes_key: bool, components: Json) -> Json:
    found: Json = {
        "operationId": operation.name,
        "summary": operation.says,
        "parameters": [*parameters, *_query(operation)],
    }
    found["description"] = f"Scopes, any of: {', '.join(str(scope) for scope in operation.scopes)}."
    if operation.removal is not None:
        found["deprecated"] = True
    if takes_key:
        found["parameters"].append(_header("Idempotency-Key", "The same key sends the same request once; kept a day."))
    if "changed" in operation.problems:
        found["parameters"].append(_header("If-Match", "The ETag of what was read; 412 where it has changed."))
    if operation.body is not None:
        content = {"application/json": {"schema": _shape(operation.body(), components)}}
        found["requestBody"] = {"required": True, "content": content}
    found["responses"] = _responses(operation, components)
    return found


def _query(operation: Operation) -> list[Json]:
    return [
        {"name": each.name, "in": "query", "description": each.says, "schema": {"type": each.kind}}
        for each in operation.query
    ]


def _header(name: str, says: str) -> Json:
    return {"name": name, "in": "header", "description": says, "schema": {"type": "string"}}


def _responses(operation: Operation, components: Json) -> Json:
    body: Json = {"type": "object"}
    if operation.media_type != "application/json":
        body = {"type": "string"}
    elif operation.answer is not None:
        body = _shape(operation.answer(), components)
    content = {operation.media_type: {"schema": {"type": "array", "items": body} if operation.many else body}}
    found: Json = {str(int(operation.status)): {"description": operation.says, "content": content}}
    if operation.body is None and operation.status == HTTPStatus.OK:
        found["304"] = {"description": "Nothing is new."}
    kinds = {
        *ALWAYS,
        *operation.problems,
        *(WITH_BODY if operation.body else ()),
        *(("invalid",) if operation.query else ()),
    }
    for name in kinds:
        kind = KINDS[name]
        problem = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
        known = found.setdefault(str(int(kind.status)), {"description": "", "content": problem})
        known["description"] = "; ".join(sorted({kind.title, *filter(None, known["description"].split("; "))}))
    return dict(sorted(found.items()))


def _problem() -> Json:
    text, number = {"type": "string"}, {"type": "integer"}
    members = {
        "type": {"type": "string", "format": "uri", "description": "An address that explains the kind of problem."},
        "title": text,
        "status": number,
        "detail": text,
        "field": {**text, "description": "The member of the request that is to blame."},
        "rule": {**text, "description": "The number of the rule that was broken."},
        "rule_address": {**text, "format": "uri"},
        "move": {**number, "description": "The move of a plan that is to blame, from 1."},
        "do": {**text, "description": "What to do."},
    }
    return {"type": "object", "required": ["type", "title", "status", "do"], "properties": members}


def _limits() -> str:
    limits = settings.API_LIMITS
    return f"A token may read {limits['read']} times and write {limits['write']} times a minute."


# Shapes ------------------------------------------------------------------------------------------


def _shape(shape: Serializer[Any], components: Json) -> Json:
    """Return a reference to a shape, after adding the shape to the components."""
    name = type(shape).__name__.removesuffix("Shape")
    if name not in components:
        components[name] = {}  # prevents endless recursion for a shape that contains itself
        fields = {key: _field(field, components) for key, field in shape.fields.items()}
        schema: Json = {"type": "object", "properties": fields}
        needed = [key for key, field in shape.fields.items() if field.required or field.read_only]
        words = (type(shape).__doc__ or "").strip()
        components[name] = {**schema, **({"required": needed} if needed else {}), **_description(words)}
    return {"$ref": f"#/components/schemas/{name}"}


def _description(words: str) -> Json:
    return {"description": " ".join(words.split())} if words else {}


def _field(field: Any, components: Json) -> Json:
    found = _plain_field(field, components)
    if field.allow_null and found:
        if "type" in found:
            found = {**found, "type": [found["type"], "null"]}
            if "enum" in found:
                found["enum"] = [*found["enum"], None]
        else:
            found = {"anyOf": [found, {"type": "null"}]}
    return found


def _plain_field(field: Any, components: Json) -> Json:
    if isinstance(field, serializers.ListSerializer):
        return {"type": "array", "items": _field(field.child, components)}
    if isinstance(field, Serializer):
        return _shape(field, components)
    if isinstance(field, serializers.ListField):
        return {"type": "array", "items": _field(field.child, components)}
    if isinstance(field, serializers.ChoiceField):
        return {"type": "string", "enum": list(field.choices)}
    if isinstance(field, UtcDateTime):
        return {"type": "string", "format": "date-time"}
    if isinstance(field, Address):
        return {"type": "string", "format": "uri"}
    if isinstance(field, serializers.FloatField):
        return {"type": "number"}
    if isinstance(field, serializers.IntegerField):
        bounds = {"minimum": field.min_value, "maximum": field.max_value}
        return {"type": "integer", **{name: value for name, value in bounds.items() if value is not None}}
    if isinstance(field, serializers.CharField):
        return {"type": "string", **({"maxLength": field.max_length} if field.max_length else {})}
    kinds = ((serializers.BooleanField, "boolean"), (serializers.DictField, "object"))
    return next(({"type": kind} for known, kind in kinds if isinstance(field, known)), {})


@require_safe
@cache_control(public=True, max_age=3600)
def schema(request: HttpRequest) -> HttpResponse:
    """Answer with the schema, without a token."""
    answer = HttpResponse(as_text(), content_type="application/json; charset=utf-8")
    answer["Access-Control-Allow-Origin"] = "*"
    answer["Cross-Origin-Resource-Policy"] = "cross-origin"
    return answer


class UnknownAddress(ApiView):
    """Any other address of the API: a 404 as a problem document, for a request with a token."""

    def get(self, request: Request, rest: str) -> Response:
        raise Problem("not-found")

    post = put = delete = get

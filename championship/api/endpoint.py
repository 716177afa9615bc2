"""What every operation has in common: token, scope, limits, conditional requests, idempotency, headers.

`@operation` describes a method of a view; the schema is made from the same description (schema.py).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import wraps
from http import HTTPStatus
from typing import Any, Protocol, cast

from django.core.serializers.json import DjangoJSONEncoder
from django.db import DatabaseError, InterfaceError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.crypto import salted_hmac
from django.utils.http import http_date, parse_etags
from django.utils.translation import get_language
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from championship.accounts.models import User
from championship.api import authentication, parsing, scopes
from championship.api.models import Token
from championship.api.problems import MEDIA_TYPE, Problem
from championship.api.scopes import Scope
from championship.api.services import idempotency
from championship.audit.services import by_token
from championship.platform.prepared_queries import BoundQuery, run_together

EXPOSED = "ETag, Link, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Deprecation, Sunset"
ANYTHING, JSON = "*/*", "application/json"
READS = frozenset({"GET", "HEAD"})
WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE"})


@dataclass(frozen=True, slots=True)
class Query:
    """A query parameter. `kind` is a type of JSON Schema."""

    name: str
    says: str
    kind: str = "string"


NOTICE_PERIOD = timedelta(days=180)
"""The minimum time between the announcement of a removal and the removal."""


@dataclass(frozen=True, slots=True)
class Removal:
    """The removal of an operation: announced `since`, answered until `until`. `replacement` is the address of its
    replacement or of an explanation. The headers are those of RFC 9745 and RFC 8594.
    """

    since: datetime
    until: datetime
    replacement: str = ""

    def __post_init__(self) -> None:
        if self.until - self.since < NOTICE_PERIOD:
            raise ValueError(f"An operation goes {NOTICE_PERIOD.days} days after that was announced, not before.")

    def headers(self) -> dict[str, str]:
        headers = {"Deprecation": f"@{int(self.since.timestamp())}", "Sunset": http_date(self.until.timestamp())}
        return headers | ({"Link": f'<{self.replacement}>; rel="deprecation"'} if self.replacement else {})


@dataclass(frozen=True, slots=True)
class Validators:
    """What the ETag of a resource depends on. `queries` returns the light queries for the parts of an address, which
    are run in one trip, with the query for the token if there is one. `depends_on` takes the request, these parts and
    the rows of each query. It returns the resource's name and what it depends on; None when it cannot be computed.
    """

    queries: Callable[[Mapping[str, Any]], Sequence[BoundQuery[Any]]]
    depends_on: Callable[..., tuple[str, Any] | None]

    def __call__(
        self, request: Request, path: Mapping[str, Any], rows: Sequence[Sequence[Any]] | None = None
    ) -> tuple[str, Any] | None:
        """Return the name and what it depends on. `rows` are used when they have been read already."""
        return self.depends_on(request, path, *(run_together(*self.queries(path)) if rows is None else rows))


@dataclass(frozen=True, slots=True)
class Operation:
    """The description of a method of a view. `answer`: the shape of its answer, None for the game's own JSON or for no
    JSON (then `media_type` names it). `body`: the request's shape. `scopes`: any of these allows it. `removal`: its
    removal.
    """

    name: str
    says: str
    answer: type[Serializer[Any]] | None = None
    many: bool = False
    body: type[Serializer[Any]] | None = None
    scopes: tuple[str, ...] = (Scope.READ,)
    query: tuple[Query, ...] = ()
    status: int = HTTPStatus.OK
    media_type: str = JSON
    problems: tuple[str, ...] = ()
    removal: Removal | None = None
    validators: Validators | None = field(default=None, compare=False)


Method = Callable[..., Any]


class DescribedMethod(Protocol):
    """A method of an `ApiView` with what the schema tells of it: the operation, and whether it takes a key that makes a
    repeated request harmless.
    """

    operation: Operation
    takes_key: bool

    def __call__(self, view: ApiView, request: Request, **path: Any) -> Any:
        """Answer the request."""


def operation(name: str, says: str, **more: Any) -> Callable[[Method], Method]:
    """Decorate a method of an `ApiView`. It returns what its `answer` shapes, or a Response. A `body` is passed as
    `sent`. `validators`: light queries for what the answer depends on, as for the pages; they suffice to answer 304.
    """
    described = Operation(name, says, **more)

    def decorate(method: Method) -> Method:
        @wraps(method)
        def answer(view: ApiView, request: Request, **path: Any) -> HttpResponseBase:
            tag = ""
            found = described.validators(request, path, view.read_ahead) if described.validators else None
            if found is not None:
                tag = etag(request, *found)
                if tag in map(_strong, parse_etags(request.headers.get("If-None-Match", ""))):
                    return _not_modified(tag)
            if described.body is not None:
                try:
                    path["sent"] = parsing.read(described.body, request)
                except parsing.REFUSALS as refused:
                    sent = parsing.UnusableBody(refused)
                    raise sent.first_refusal(lambda: method(view, request, **path, sent=sent)) from None
            found = method(view, request, **path)
            made = found if isinstance(found, HttpResponseBase) else _shaped(described, found)
            if tag:
                made.headers["ETag"] = tag
            return made

        described_method = cast(DescribedMethod, answer)
        described_method.operation, described_method.takes_key = described, False
        return described_method

    return decorate


def _not_modified(tag: str) -> HttpResponse:
    """Return a 304. It has no body, so nothing is rendered and it has no content type."""
    answer = HttpResponse(status=HTTPStatus.NOT_MODIFIED, headers={"ETag": tag})
    del answer.headers["Content-Type"]
    return answer


def etag(request: Request, resource: str, depends: Any) -> str:
    """Return the strong ETag of a resource for this token and language. It reveals nothing to anybody else."""
    said = json.dumps([token_of(request).pk, get_language(), resource, depends], cls=DjangoJSONEncoder, sort_keys=True)
    return f'"{salted_hmac("championship.api", said, algorithm="sha256").hexdigest()[:32]}"'


def require_match(request: Request, resource: str, depends: Any) -> None:
    """Check If-Match, by the value between the quotes only: compression on the way weakens an ETag.
    Raises: Problem (412) when If-Match names another state of the resource.
    """
    wanted = parse_etags(request.headers.get("If-Match", ""))
    if wanted and wanted != ["*"] and etag(request, resource, depends) not in map(_strong, wanted):
        raise Problem("changed")


def _strong(tag: str) -> str:
    return tag.removeprefix("W/")


def _shaped(described: Operation, found: Any) -> Response:
    if described.answer is None:
        return Response(found, status=described.status)
    if isinstance(found, Page):
        rows = described.answer(found.rows, many=True).data
        return Response(rows, status=described.status, headers=found.headers)
    return Response(described.answer(found, many=described.many).data, status=described.status)


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list, and the header that leads to the next part."""

    rows: Sequence[Any]
    next: str = ""

    @property
    def headers(self) -> dict[str, str]:
        return {"Link": f'<{self.next}>; rel="next"'} if self.next else {}


def accepts_first_renderer(meta: Mapping[str, Any]) -> bool:
    """Return whether a request accepts the first renderer: it names no other media type and has no query string."""
    return not meta.get("QUERY_STRING") and meta.get("HTTP_ACCEPT", ANYTHING) in (ANYTHING, JSON)


class Negotiation(DefaultContentNegotiation):
    """REST framework's negotiation, with a faster path for requests that accept the first renderer, as most do."""

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> tuple[Any, str]:
        """Return the renderer and its media type.

        Raises: NotAcceptable when no renderer fits, Http404 when the format is unknown.
        """
        first = renderers[0]
        if not format_suffix and accepts_first_renderer(request.META):
            return first, first.media_type
        return super().select_renderer(request, renderers, format_suffix)  # type: ignore[no-any-return]


class ApiView(APIView):
    """A view of the API. `game` is the name of the game of the resource, for links to its rules."""

    game = ""
    content_negotiation_class = Negotiation
    read_ahead: Sequence[Sequence[Any]] | None = None
    """The rows of `queries_ahead`, which were read in one trip with a valid token."""
    allowance: authentication.Allowance | None = None
    http_method_names = ["get", "head", "post", "put", "delete", "options"]

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        # On a database error or a 404 the full path below answers with a problem document.
        with suppress(DatabaseError, InterfaceError, Http404):
            if (unchanged := self._unchanged(request)) is not None:
                return unchanged
        with ExitStack() as acting:
            self.acting = acting
            return super().dispatch(request, *args, **kwargs)

    def _unchanged(self, request: HttpRequest) -> HttpResponse | None:
        """Return a 304 without running REST framework, for a plain read with a valid token of an unchanged resource.
        Otherwise return None; what was read and counted here is then reused.
        """
        wanted = request.META.get("HTTP_IF_NONE_MATCH") if request.method in READS else None
        described = self.operation_of(request) if wanted and accepts_first_renderer(request.META) else None
        if described is None or described.validators is None:
            return None
        token = self.credentials(request).token
        if token is None or not scopes.allows(token.scopes, *described.scopes):
            return None
        reading = cast(Request, authentication.ReadRequest(token.person, token, request))
        found = described.validators(reading, self.kwargs, self.credentials(request).rows)
        if found is None or (tag := etag(reading, *found)) not in map(_strong, parse_etags(str(wanted))):
            return None
        self.allowance = authentication.count(request, token)
        return None if self.allowance.spent else self._finished(request, _not_modified(tag))

    def credentials(self, request: HttpRequest) -> authentication.Credentials:
        """Return the credentials of a request, and what is read ahead with them. They are read once."""
        if self._credentials is None:
            self._credentials = authentication.credentials_of(request, self.queries_ahead(request))
        return self._credentials

    _credentials: authentication.Credentials | None = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Negotiate the content type, authenticate, count the request and check the scope.

        Raises: Problem when the request has no valid token or is beyond the limit, or when its token lacks the scope.
        """
        self.format_kwarg = None
        request.accepted_renderer, request.accepted_media_type = self.perform_content_negotiation(request)
        if request.method == "OPTIONS":
            return
        try:
            self.perform_authentication(request)
        except Problem:
            self._count(request, None)
            raise
        self._count(request, request.auth if isinstance(request.auth, Token) else None)
        described = self.operation_of(request)
        if request.auth is None:
            raise Problem("no-token")
        if described is not None and not scopes.allows(token_of(request).scopes, *described.scopes):
            raise Problem("scope", detail=f"This takes a token with the scope {' or '.join(described.scopes)}.")
        self.acting.enter_context(by_token(token_of(request).name))

    def _count(self, request: Request, token: Token | None) -> None:
        if self.allowance is None:
            self.allowance = authentication.count(request._request, token)
        if self.allowance.spent:
            raise Problem("too-many")

    def operation_of(self, request: HttpRequest | Request) -> Operation | None:
        """Return the operation of a request's method."""
        name = "get" if request.method == "HEAD" else str(request.method).lower()
        return getattr(getattr(self, name, None), "operation", None)

    def queries_ahead(self, request: HttpRequest | Request) -> Sequence[BoundQuery[Any]]:
        """Return the validators' queries, which are run before the request is authorised."""
        described = self.operation_of(request)
        return described.validators.queries(self.kwargs) if described and described.validators else ()

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        answer = self._finished(request, super().finalize_response(request, response, *args, **kwargs))
        if request.method in READS and answer.status_code == HTTPStatus.OK:
            self._tag(request, answer)
        return answer

    def _finished(self, request: HttpRequest | Request, answer: Any) -> Any:
        """Return the answer with the headers that every answer has."""
        for name, value in self._headers(request).items():
            answer.headers.setdefault(name, value)
        described = self.operation_of(request)
        for name, value in described.removal.headers().items() if described and described.removal else ():
            before = answer.headers.get(name) if name == "Link" else None
            answer.headers[name] = f"{before}, {value}" if before else value
        patch_vary_headers(answer, ("Authorization", "Accept-Language"))
        return answer

    def _headers(self, request: HttpRequest | Request) -> dict[str, str]:
        headers = {"Cache-Control": "private, no-cache", "Cross-Origin-Resource-Policy": "cross-origin"}
        headers |= self.allowance.headers() if self.allowance else {}
        if request.method not in WRITES:  # pages of other sites may read with their own token, never write
            headers |= {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": EXPOSED}
        return headers

    def _tag(self, request: Request, answer: Any) -> None:
        """Tag an answer by its content when its operation has no validators."""
        if "ETag" not in answer.headers and hasattr(answer, "data") and request.auth is not None:
            answer.headers["ETag"] = etag(request, request.path, answer.data)
            if answer.headers["ETag"] in map(_strong, parse_etags(request.headers.get("If-None-Match", ""))):
                answer.data, answer.status_code = None, int(HTTPStatus.NOT_MODIFIED)

    def options(self, request: Request, *args: Any, **kwargs: Any) -> Response:  # type: ignore[override]
        """Answer a browser's preflight request from a page of another site."""
        headers = {
            "Access-Control-Allow-Methods": "GET, HEAD",
            "Access-Control-Allow-Headers": "Authorization, If-None-Match, Accept-Language",
            "Access-Control-Max-Age": "86400",
            "Allow": ", ".join(self.allowed_methods),
        }
        return Response(status=HTTPStatus.NO_CONTENT, headers=headers)


def person_of(request: Request) -> User:
    """Return the person who sends the request."""
    assert isinstance(request.user, User)
    return request.user


def token_of(request: Request) -> Token:
    """Return the token of the request."""
    assert isinstance(request.auth, Token)
    return request.auth


def digest_of_request(request: Request) -> str:
    """Return the digest by which a repeated request is recognised: of method, address and body."""
    body = json.dumps(request.data, sort_keys=True)
    return hashlib.sha256(f"{request.method} {request.get_full_path()}\n{body}".encode()).hexdigest()


def _replayed(kept: idempotency.Kept) -> Response:
    answer = Response(kept.body, status=kept.status, headers={"Idempotent-Replayed": "true"})
    if kept.status is not None and kept.status >= HTTPStatus.BAD_REQUEST:
        answer.content_type = MEDIA_TYPE
    return answer


def once(method: Method) -> Method:
    """Decorate a write that an Idempotency-Key makes safe to repeat: it and its kept answer are committed together
    (idempotency.py). It must be the outermost decorator.
    """

    @wraps(method)
    def answer(view: ApiView, request: Request, **path: Any) -> Response:
        key = request.headers.get("Idempotency-Key", "")
        if not key:
            plain: Response = method(view, request, **path)
            return plain
        with idempotency.claimed(token_of(request), key, digest_of_request(request)) as kept:
            if kept.status is not None:
                return _replayed(kept)
            try:
                with idempotency.work(kept):
                    made: Response = method(view, request, **path)
            except Exception as error:
                made = view.handle_exception(error)
            kept.keep(made.status_code, made.data)
            return made

    described_method = cast(DescribedMethod, answer)
    described_method.takes_key = True
    return described_method

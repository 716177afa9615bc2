"""Authentication by token, and the rate limits of a token. Sessions and cookies do not count, so that no other site can
send requests in a person's name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from django.conf import settings
from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.request import Request

from championship.accounts.models import User
from championship.api import services
from championship.api.models import Token
from championship.api.problems import Problem
from championship.platform import clock, counting
from championship.platform.prepared_queries import BoundQuery
from championship.platform.web import client_address

if TYPE_CHECKING:
    from championship.api.endpoint import ApiView


SCHEME = b"bearer"
LONGEST = 200
"""Longer tokens are refused without a query. In characters."""
WINDOW = 60
"""Seconds in which the requests of one token are counted together."""
READ, WRITE, ADDRESS = "read", "write", "address"


@dataclass(frozen=True, slots=True)
class Credentials:
    """The credentials of a request. `token`: the token, if it is valid now; `given`: whether the request has a token at
    all; `rows`: the rows that were read in the same query.
    """

    token: Token | None = None
    given: bool = True
    rows: Sequence[Sequence[Any]] | None = None


def credentials_of(request: HttpRequest, asked: Sequence[BoundQuery[Any]]) -> Credentials:
    """Return the credentials of a request, and the rows of `asked` when the token is valid. One query, one more when
    the use of the token is noted.
    """
    words = get_authorization_header(cast(Request, request)).split()
    if not words or words[0].lower() != SCHEME:
        return Credentials(given=False)
    text = words[1].decode("ascii", "replace") if len(words) == 2 and len(words[1]) <= LONGEST else ""
    if not text.startswith(services.MARK):
        return Credentials()
    token, rows = services.token_by_text(text, *asked)
    now = clock.now()
    if token is None or not token.works(now) or not token.person.is_active:
        return Credentials()
    services.note_use(token, now)
    return Credentials(token, rows=rows if asked else None)


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """The part of a request that validators read: the user, the token and the path."""

    user: User
    auth: Token
    _request: HttpRequest

    @property
    def path(self) -> str:
        return self._request.path


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer pf_...`, in one query, which also reads the rows that the view needs for its
    validators.
    """

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        """Return the person and the token; None when the request has no token.

        Raises: Problem (401) when the token is not valid.
        """
        view: ApiView = request.parser_context["view"]
        credentials = view.credentials(request._request)
        if credentials.token is None:
            if credentials.given:
                raise Problem("no-token", detail="This token is unknown, revoked or expired.")
            return None
        view.read_ahead = credentials.rows
        return credentials.token.person, credentials.token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="api"'


@dataclass(frozen=True, slots=True)
class Allowance:
    """The state of a window: `most` requests in all, `left` of them, and `seconds` until the window ends."""

    most: int
    left: int
    seconds: int

    @property
    def spent(self) -> bool:
        """Whether this request is beyond the limit."""
        return self.left < 0

    def headers(self) -> dict[str, str]:
        headers = {
            "RateLimit-Limit": str(self.most),
            "RateLimit-Remaining": str(max(0, self.left)),
            "RateLimit-Reset": str(self.seconds),
        }
        return headers | ({"Retry-After": str(self.seconds)} if self.spent else {})


def count(request: HttpRequest, token: Token | None) -> Allowance:
    """Count a request: by its token, reads and writes separately; by the client's network when it has no token."""
    kind = ADDRESS if token is None else READ if request.method in ("GET", "HEAD") else WRITE
    who = client_address.network_of(request.META) if token is None else str(token.pk)
    counted = counting.count(f"api-{kind}-{who}", window=WINDOW)
    most = settings.API_LIMITS[kind]
    return Allowance(most, most - counted.used, counted.seconds)

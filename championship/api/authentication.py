"""The person of a token. No session and no cookie counts, so no other site can ask in a reader's name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.request import Request

from championship import clock
from championship.accounts.models import User
from championship.api import selectors, services
from championship.api.models import Token
from championship.api.problems import Problem

if TYPE_CHECKING:
    from championship.api.endpoint import ApiView

SCHEME = b"bearer"
LONGEST = 200
"""Characters of a token that is looked for at all."""


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer pf_...`, in one query, which also reads what the view asks ahead."""

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        """The person and the token; None where none is shown.

        Raises: Problem (401) for a token that opens nothing.
        """
        words = get_authorization_header(request).split()
        if not words or words[0].lower() != SCHEME:
            return None
        text = words[1].decode("ascii", "replace") if len(words) == 2 and len(words[1]) <= LONGEST else ""
        view: ApiView = request.parser_context["view"]
        asked = view.asks_ahead(request) if text.startswith(services.MARK) else ()
        token, rows = selectors.token_by_text(text, *asked)
        now = clock.now()
        if token is None or not token.works(now) or not token.person.is_active:
            raise Problem("no-token", detail="This token is unknown, revoked or expired.")
        services.note_use(token, now)
        view.read_ahead = rows if asked else None
        return token.person, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="api"'

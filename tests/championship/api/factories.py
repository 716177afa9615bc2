"""Tokens, and programs that use them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from django.test import Client

from championship.accounts.models import User
from championship.api.services import make_token
from championship.clubs.models import Club

BASE = "/api/v1"


@dataclass
class Program:
    """A program that uses a token. A server error is a response with status 500 for it, as for a real program."""

    token: str = ""
    client: Client = field(default_factory=lambda: Client(raise_request_exception=True))

    def ask(self, method: str, path: str, sent: Any = None, **headers: str) -> Any:
        """Return the response to a request. `sent` is sent as JSON. Names of headers have underscores instead of
        hyphens.
        """
        told = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.token:
            told["Authorization"] = f"Bearer {self.token}"
        body = {} if sent is None else {"data": json.dumps(sent), "content_type": "application/json"}
        return self.client.generic(method, path if path.startswith("/") else f"{BASE}/{path}", headers=told, **body)

    def get(self, path: str, **headers: str) -> Any:
        return self.ask("GET", path, **headers)

    def post(self, path: str, sent: Any = None, **headers: str) -> Any:
        return self.ask("POST", path, {} if sent is None else sent, **headers)


def program_of(person: User, *scopes: str, club: Club | None = None, name: str = "Overlay") -> Program:
    """Return a program with a token of that person."""
    _token, text = make_token(by=person, name=name, scopes=scopes or ("read",), days=30, club=club)
    return Program(text)


def every_page(program: Program, path: str) -> list[Any]:
    """Return all rows of a list, following the Link headers."""
    rows: list[Any] = []
    while path:
        answer = program.get(path)
        assert answer.status_code == 200, answer.content
        rows += answer.json()
        link = answer.headers.get("Link", "")
        path = link.partition("<")[2].partition(">")[0].replace("http://testserver", "")
    return rows

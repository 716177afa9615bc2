"""Nonsense in every form and every address: refused with a message or not found, never a server error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from championship.accounts.models import User
from tests.browser.every_page import DRIVER, FRESH, ORGANISER, STEWARD, Season, season
from tests.factories import freshly_signed_in, signed_in

pytestmark = pytest.mark.django_db

NONSENSE = ["", "\x00", "-1", "9" * 300, '{"do": [', "💥\u202e" * 40, "2026-02-30", "1e309", "'\"><b>"]
ANSWERS = (200, 201, 204, 302, 303, 400, 403, 404, 409, 422, 429)
CONTROLS, TOKEN = ("input", "textarea", "select", "button"), "csrfmiddlewaretoken"
WHO = (DRIVER, FRESH, ORGANISER, STEWARD)


class Forms(HTMLParser):
    """The forms of a page: their addresses, and each field with its value."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, dict[str, str]] = {}
        self._fields: dict[str, str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            sent = given.get("method", "").lower() == "post"
            self._fields = self.found.setdefault(given.get("action", ""), {}) if sent else None
        elif tag in CONTROLS and self._fields is not None and given.get("name", TOKEN) != TOKEN:
            self._fields.setdefault(given["name"], given.get("value", ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._fields = None


def client_of(user: User, who: str) -> Client:
    """Return a signed-in client that shows an error by its status, as a server does."""
    client = (freshly_signed_in if who == FRESH else signed_in)(user)
    client.raise_request_exception = False
    return client


def forms_of(client: Client, path: str) -> dict[str, dict[str, str]]:
    """Return the forms on a page, by address."""
    reader = Forms()
    answer = client.get(path)
    if answer.status_code == 200 and not answer.streaming:
        reader.feed(answer.text)
    return {action or path: fields for action, fields in reader.found.items()}


def spoiled(fields: dict[str, str], number: int) -> Iterator[dict[str, str]]:
    """Yield bad values for the form with this number: nothing, everything nonsense of three kinds, and each field in
    turn as one kind while the others are unchanged. The kinds rotate over forms and fields.
    """
    yield {}
    for kind in range(3):
        yield dict.fromkeys(fields, NONSENSE[(number + 3 * kind) % len(NONSENSE)])
    for place, name in enumerate(fields):
        yield {**fields, name: NONSENSE[(number + place) % len(NONSENSE)]}


def shape(path: str) -> str:
    """Return the address without its keys: the form of one rally is tried for all rallies."""
    return re.sub(r"/[0-9A-Za-z_-]{12,}(?=/)|/\d+(?=/)", "/…", path)


def answer_to(client: Client, action: str, sent: dict[str, str]) -> int:
    """Return the status of the response to the form. All changes are rolled back."""
    with transaction.atomic():
        status = client.post(action, sent).status_code
        transaction.set_rollback(True)
    return status


@pytest.fixture(scope="module")
def club(django_db_setup: None, django_db_blocker: Any) -> Iterator[Season]:
    """The club and its pages, created once. Changes of a test are rolled back."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield season()
        transaction.set_rollback(True)


@pytest.mark.slow
def test_no_form_is_a_way_to_break_us(club):
    people: dict[str, User] = {who: club.people[who] for who in WHO}
    clients = {who: client_of(user, who) for who, user in people.items()}
    forms: dict[tuple[str, frozenset[str]], tuple[str, str, dict[str, str]]] = {}
    for page in club.pages:
        if page.who not in clients:
            continue
        for action, fields in forms_of(clients[page.who], page.path).items():
            forms.setdefault((shape(action), frozenset(fields)), (page.who, action, fields))
    assert len(forms) > 40
    broken = [
        f"{who} {action} {sent}: {answer}"
        for number, (who, action, fields) in enumerate(forms.values())
        for sent in spoiled(fields, number)
        if (answer := answer_to(clients[who], action.partition("#")[0], sent)) not in ANSWERS
    ]
    assert not broken, "\n".join(broken)


@pytest.mark.slow
@pytest.mark.parametrize("query", ["?plan=%00", "?plan=9:9.9.l+x", "?at=-1&x=nan&y=inf", "?page=-1&" + "a=1&" * 500])
def test_no_query_is_a_way_to_break_us(club, query):
    clients = {who: client_of(club.people[who], who) for who in WHO}
    for page in club.pages:
        if page.who in clients:
            assert clients[page.who].get(page.path.partition("?")[0] + query).status_code < 500, page

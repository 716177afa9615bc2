"""A foreign tester sends each operation of the schema everything that the schema allows, and things that it does not:
no server error, and no response that the schema does not describe.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.cache import cache
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, given, seed
from hypothesis import settings as how
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from championship.api import schema
from championship.api.models import Token
from championship.api.scopes import Scope
from championship.api.services import become_bot, make_token
from championship.rallies import services as rallies
from championship.rallies.models import Rally
from championship.runs.models import Run
from championship.seasons.services import create_championship
from tests.championship.rallies.factories import make_rally, organiser_of
from tests.factories import make_member
from tests.random_examples import examples

pytestmark = [pytest.mark.slow, pytest.mark.django_db]

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
TAKEN = ("authorization", "host", "content-length", "content-type", "accept-encoding", "transfer-encoding")
"""Headers that are not generated."""
EXAMPLES = 6
"""Requests for an operation with each way of generating them."""


def holder(scope: str) -> tuple[str, dict[str, str]]:
    """Return a token of that scope, of a person who can use it, and the names of existing objects."""
    rally = make_rally(stages=("1/1",))
    olga = organiser_of(rally)
    bot = become_bot(by=make_member(rally.club, name="Robo"))
    for driver in (olga, bot):
        entry = rallies.enter_rally(by=driver, rally=rally, crew=driver.name)
        rallies.confirm_entry(by=olga, entry=entry)
    rallies.start_rally(by=olga, rally=rally)
    cup = create_championship(by=olga, club=rally.club, name="Cup", classes=[], drop=0)
    _token, text = make_token(by=bot if scope == Scope.BOT else olga, name="Tester", scopes=[scope])
    return text, {"rally": rally.key, "run": Run.objects.get().key, "club": rally.club.slug, "cup": cup.key}


def real_parts(path: str, names: dict[str, str]) -> dict[str, Any]:
    """Return values for an address with which it leads to something."""
    owner = {"runs": "run", "rallies": "rally", "clubs": "club", "championships": "cup"}.get(path.split("/")[1], "")
    return {"key": names.get(owner, "none"), "slug": names["club"], "number": 1, "entry": "0" * 16, "act": "resume"}


@pytest.fixture(autouse=True)
def schema_with_present_limits() -> Iterator[None]:
    """Have the schema computed again after the test: it contains the limits, which the test changes."""
    yield
    schema.document.cache_clear()


@pytest.fixture(autouse=True)
def one_connection() -> Iterator[None]:
    """Keep the connection of the test open after requests, because they all use its transaction."""
    ends = (request_started, request_finished)
    for end in ends:
        end.disconnect(close_old_connections)
    yield
    for end in ends:
        end.connect(close_old_connections)


@pytest.mark.parametrize("scope", Scope.values)
def test_no_server_error_and_no_response_outside_the_schema(scope, settings: Any):
    settings.API_LIMITS = {"read": 10**9, "write": 10**9, "address": 10**9}
    token, names = holder(scope)
    shown = {"Authorization": f"Bearer {token}", "Accept-Encoding": "identity"}
    tested = 0
    for found in schemathesis.openapi.from_wsgi("/api/v1/openapi.json", get_wsgi_application()).get_all_operations():
        operation = found.ok()
        try_out(operation, shown, real_parts(operation.path, names))
        tested += 1
    assert tested >= 40 and Rally.objects.exists() and Token.objects.get().name == "Tester"


def try_out(operation: Any, shown: dict[str, str], parts: dict[str, Any]) -> None:
    """Send an operation many requests. Its changes are rolled back."""
    named = {each.name for each in operation.path_parameters}
    known = {name: value for name, value in parts.items() if name in named}
    made_up = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
    wrong = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)

    @seed(2026)
    @how(examples(EXAMPLES), database=None, suppress_health_check=list(HealthCheck))
    @given(st.one_of(made_up, wrong) if named or operation.body or operation.query else made_up, st.booleans())
    def ask(case: Any, there: bool) -> None:
        if there and known:
            case.path_parameters = dict(known)
        case.query = {name: value for name, value in (case.query or {}).items() if name != "wait"}
        case.headers = {
            name: value for name, value in (case.headers or {}).items() if name.lower() not in TAKEN
        } | shown
        with transaction.atomic():
            answer = case.call()
            transaction.set_rollback(True)
        cache.clear()
        case.validate_response(answer, checks=CHECKS)

    ask()

"""Requests with an Idempotency-Key whose process dies or is slow: their changes and the stored response are committed
together or not at all.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from django.db import connection, transaction

from championship.accounts.models import User
from championship.api.models import KeptAnswer, Token
from championship.api.services import TokensOfPeople
from championship.clubs.models import Role
from championship.platform import clock
from championship.rallies.models import Penalty, Rally
from tests.championship.api.factories import Program, program_of
from tests.championship.rallies.factories import started
from tests.championship.runs.threads import PATIENCE, lose_patience
from tests.factories import make_member

pytestmark = pytest.mark.django_db(transaction=True)

Execute = Callable[..., Any]
A_WHILE = timedelta(minutes=2)


class Killed(BaseException):
    """The process is killed: no code catches this."""


class KilledBefore:
    """From the first statement that contains these words, no statement of this process reaches the database."""

    def __init__(self, words: str) -> None:
        self.words, self.dead = words, False

    def __call__(self, execute: Execute, sql: str, params: Any, many: bool, context: Any) -> Any:
        self.dead = self.dead or self.words in sql
        if self.dead:
            raise Killed
        return execute(sql, params, many, context)


class Scene:
    """Sten is a steward. His program gives Ana a penalty with the key k1."""

    def __init__(self) -> None:
        self.rally, [ana, *_others] = started()
        sten = make_member(self.rally.club, name="Sten", roles=[Role.STEWARD])
        self.sten, self.program = sten, program_of(sten, "steward")
        entries = self.program.get(f"rallies/{self.rally.key}/entries").json()
        key = next(each["key"] for each in entries if each["crew"] == ana.crew)
        self.sent = {"entry": key, "amount": 5, "reason": "Late", "stage": 1}

    def give(self, program: Program | None = None) -> Any:
        path = f"rallies/{self.rally.key}/penalties"
        return (program or self.program).post(path, self.sent, Idempotency_Key="k1")


@pytest.mark.parametrize("before", ['INSERT INTO "rallies_penalty"', 'UPDATE "api_keptanswer"'])
def test_a_process_killed_before_the_response_is_stored_has_changed_nothing(
    before: str, at: Callable[..., None]
) -> None:
    scene = Scene()
    with pytest.raises(Killed), connection.execute_wrapper(KilledBefore(before)):
        scene.give()
    connection.close()
    assert not Penalty.objects.exists()
    assert scene.give().status_code == 409, "for all that one knows it is being carried out"

    at(clock.now() + A_WHILE)
    answers = [scene.give() for _twice in range(2)]

    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[1]["Idempotent-Replayed"] == "true"
    assert Penalty.objects.count() == 1


def test_a_request_that_takes_long_is_not_carried_out_beside_itself(at: Callable[..., None]) -> None:
    scene = Scene()
    reached = Event()

    def slow() -> Any:
        def look(execute: Execute, sql: str, params: Any, many: bool, context: Any) -> Any:
            if "FOR UPDATE" in sql and '"rallies_rally"' in sql:
                reached.set()
            return execute(sql, params, many, context)

        try:
            lose_patience()
            with connection.execute_wrapper(look):
                return scene.give(Program(scene.program.token))
        finally:
            reached.set()
            connection.close()

    with ThreadPoolExecutor() as pool:
        with transaction.atomic():
            Rally.objects.select_for_update(of=("self",)).get(pk=scene.rally.pk)
            waits = pool.submit(slow)
            assert reached.wait(PATIENCE)
            assert scene.give().status_code == 409
            at(clock.now() + A_WHILE)
            assert scene.give().status_code == 409
        first = waits.result(timeout=2 * PATIENCE)

    again = scene.give()
    assert first.status_code == again.status_code == 201
    assert again["Idempotent-Replayed"] == "true"
    assert Penalty.objects.count() == 1


def test_a_request_whose_row_was_taken_over_does_nothing() -> None:
    scene = Scene()
    taken: list[int] = []

    def update() -> int:
        try:
            lose_patience()
            return KeptAnswer.objects.update(asked_at=clock.now() + A_WHILE)
        finally:
            connection.close()

    def take_it_over(execute: Execute, sql: str, params: Any, many: bool, context: Any) -> Any:
        if not taken and "FOR UPDATE" in sql and '"api_keptanswer"' in sql:
            with ThreadPoolExecutor() as pool:
                taken.append(pool.submit(update).result(timeout=2 * PATIENCE))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(take_it_over):
        answer = scene.give()

    assert taken == [1] and answer.status_code == 409
    assert not Penalty.objects.exists()
    assert KeptAnswer.objects.get().status is None, "it is the other's"


def test_a_temporary_failure_is_rolled_back_and_can_be_retried() -> None:
    scene = Scene()

    def no_time(execute: Execute, sql: str, params: Any, many: bool, context: Any) -> Any:
        found = execute(sql, params, many, context)
        if 'INSERT INTO "rallies_penalty"' in sql:
            execute("SET LOCAL statement_timeout = 1", None, False, context)
            execute("SELECT pg_sleep(1)", None, False, context)
        return found

    with connection.execute_wrapper(no_time):
        assert scene.give().status_code == 503
    assert not Penalty.objects.exists() and not KeptAnswer.objects.exists()
    assert scene.give().status_code == 201


def test_an_account_is_closed_while_a_request_of_its_program_waits() -> None:
    """The request holds its key and waits for the rally. The account's closing holds the rally and needs no key."""
    scene = Scene()
    scene.give()
    with ThreadPoolExecutor() as pool, transaction.atomic():
        KeptAnswer.objects.select_for_update().get()
        waits = pool.submit(leave, scene.sten)
        waits.result(timeout=PATIENCE)
    assert KeptAnswer.objects.count() == 1, "the nightly sweep takes it"
    assert not Token.objects.filter(person=scene.sten, revoked_at=None).exists()


def leave(person: User) -> None:
    """Do what the API does for an account that is closed, on a separate connection."""
    try:
        lose_patience()
        with transaction.atomic():
            TokensOfPeople().account_closed(person)
    finally:
        connection.close()

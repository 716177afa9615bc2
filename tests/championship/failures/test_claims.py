"""Work that takes long is done by one worker at a time, and what is too slow waits longer each time."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event

import pytest
from django.db import connection

from championship.failures.models import Claim, Failure
from championship.failures.services import FIRST_WAIT
from championship.failures.services.claims import LONGEST_WAIT, TooSlow, _claimed, alone, forget_old, taken
from championship.platform import clock
from tests.championship.runs.threads import PATIENCE

KIND = "forecast of a stage"


@pytest.mark.django_db(transaction=True)
def test_a_unit_that_a_worker_has_is_begun_by_no_other():
    begun, end = Event(), Event()

    def long_work() -> str:
        begun.set()
        assert end.wait(PATIENCE)
        return "done"

    def worker() -> str | None:
        try:
            return alone(KIND, 7, long_work, wanted=lambda: True)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(worker)
        try:
            assert begun.wait(PATIENCE)
            assert taken(KIND) == ["7"]
            assert alone(KIND, 7, lambda: "twice", wanted=lambda: True) is None
            assert alone(KIND, 8, lambda: "another", wanted=lambda: True) == "another"
        finally:
            end.set()
        assert first.result() == "done"
    assert taken(KIND) == []


@pytest.mark.django_db
def test_what_is_too_slow_waits_longer_each_time_without_a_failure(at, caplog):
    def slow():
        raise TooSlow("3 simulations of at least 10 in 40 s")

    waits = []
    for _time in range(6):
        with caplog.at_level(logging.INFO):
            assert alone(KIND, 7, slow, wanted=lambda: True) is None
        waits.append(Claim.objects.get().again_at - clock.now())
        assert taken(KIND) == ["7"]
        assert alone(KIND, 7, lambda: "early", wanted=lambda: True) is None
        at(Claim.objects.get().again_at)
    assert waits == [*(FIRST_WAIT * times for times in (1, 2, 4, 8)), LONGEST_WAIT, LONGEST_WAIT]
    assert [(line.levelname, line.exc_info) for line in caplog.records] == [("WARNING", None)] * 6
    assert "is too slow for the 6. time" in caplog.text and "3 simulations" in caplog.text
    assert not Failure.objects.exists(), "operators need not look after it"
    assert alone(KIND, 7, lambda: "done", wanted=lambda: True) == "done"
    assert Claim.objects.get().slow == 0
    at(clock.now() + timedelta(days=1))
    assert forget_old(before=clock.now()) == 1


@pytest.mark.django_db
def test_a_worker_that_died_or_failed_keeps_nobody_for_long(at):
    def fails():
        raise ValueError

    with pytest.raises(ValueError):
        alone(KIND, 7, fails, wanted=lambda: True)
    assert taken(KIND) == [], "a failure is put off by its own rule"

    assert _claimed(KIND, "7", lambda: True) is not None  # and the process is killed
    assert alone(KIND, 7, lambda: "too early", wanted=lambda: True) is None
    at(clock.now() + FIRST_WAIT)
    assert alone(KIND, 7, lambda: "done", wanted=lambda: True) == "done"

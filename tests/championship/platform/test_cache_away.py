"""The Redis of CACHE_URL is down or frozen: people sign in all the same, and rate limits count in the database."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from django.core.cache import cache, caches
from django.core.management import call_command
from django.test import Client

from championship.deadlines.tasks import sweep
from championship.platform import cache as redis_cache
from championship.platform import retention
from championship.settings import base
from tests.championship.accounts.test_sign_in_views import code_sent_to
from tests.championship.faults import BUSY_SECONDS, HOST, dead_port, silent_server, timed
from tests.deploy.programs import tool
from tests.deploy.test_several_machines import answers, free_port, until
from tests.factories import make_user

pytestmark = pytest.mark.django_db

SECONDS = 0.5


@pytest.fixture(autouse=True)
def entrance(settings):
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
    yield
    redis_cache.breaker.answered()


@pytest.fixture
def count_at(settings):
    """Let rate limits count in the Redis at a port, as CACHE_URL does."""

    def use(port):
        settings.CACHES = {
            "default": redis_cache.settings_of(f"redis://:s3cret@{HOST}:{port}/0", seconds=SECONDS),
            redis_cache.FALLBACK: base.CACHES.get(redis_cache.FALLBACK, base.CACHES["default"]),
        }
        call_command("createcachetable", verbosity=0)
        redis_cache.breaker.answered()

    return use


@contextmanager
def redis_server(folder: Path) -> Iterator[tuple[int, psutil.Process]]:
    """Yield the port and the process of a Redis."""
    port = free_port()
    where = ("--port", str(port), "--bind", HOST, "--save", "", "--dir", str(folder), "--requirepass", "s3cret")
    server = subprocess.Popen([tool("redis-server"), *where], stdout=subprocess.DEVNULL)
    try:
        until(lambda: answers(port), "Redis does not answer")
        yield port, psutil.Process(server.pid)
    finally:
        server.kill()
        server.wait()


def comes_in(address: str) -> None:
    """Sign in with a code, as a person does."""
    client = Client()
    answer = client.post("/account/login/", {"login": address})
    assert answer.status_code == 302, answer.text
    answer = client.post(answer["Location"], {"code": code_sent_to(address)})
    assert answer.status_code == 302, answer.text
    assert client.get("/me/").status_code == 200


def is_limited(address: str) -> bool:
    """Whether a person who asks for codes again and again is refused in the end."""
    return 429 in [Client().post("/account/login/", {"login": address}).status_code for _time in range(5)]


def problems() -> dict[str, str]:
    return Client().get("/readyz").json()["problems"]


@pytest.mark.parametrize("away", [dead_port, silent_server])
def test_people_sign_in_without_the_cache_and_limits_stay(count_at, away, caplog):
    sweep.delay()
    with away() as port:
        count_at(port)
        make_user("Ana", email="ana@example.org")
        with timed() as watch:
            comes_in("ana@example.org")
        assert watch.seconds < BUSY_SECONDS, "a process waits once, and then not for a while"
        assert is_limited("ana@example.org")
        assert problems() == {"cache": "no answer"}
        assert Client().get("/readyz/web").status_code == 200, "pages are served all the same"
    assert "the database counts" in caplog.text
    assert "s3cret" not in caplog.text


def test_a_redis_that_freezes_while_people_come_in(count_at, folder):
    sweep.delay()
    for name in ("ana", "bo", "cem"):
        make_user(name, email=f"{name}@example.org")
    with redis_server(folder) as (port, server):
        count_at(port)
        comes_in("ana@example.org")
        assert problems() == {}
        server.suspend()
        comes_in("bo@example.org")
        assert is_limited("bo@example.org")
        assert problems() == {"cache": "no answer"}
        server.resume()
        redis_cache.breaker.answered()
        cache.set("seen", 1)
        assert caches[redis_cache.FALLBACK].get("seen") is None, "Redis counts again"
        cache.clear()  # Redis has now set a lock for which nobody waited any more. It would expire after ten seconds.
        comes_in("cem@example.org")
        assert problems() == {}


def test_each_call_of_a_cache_is_answered_by_the_database(count_at):
    with dead_port() as port:
        count_at(port)
        assert cache.add("a", 1) and not cache.add("a", 2)
        assert cache.incr("a") == 2
        cache.set_many({"b": 1, "c": 2})
        assert cache.get_many(["b", "c"]) == {"b": 1, "c": 2}
        assert cache.has_key("b") and cache.touch("b") and cache.delete("b")
        cache.delete_many(["a", "c"])
        assert cache.get("a") is None and not cache.has_key("c")
        with pytest.raises(ValueError, match="not found"):
            cache.incr("absent")
        cache.set("d", 1)
        cache.clear()
        assert cache.get("d", "gone") == "gone"


def test_counts_in_the_database_expire_also_where_redis_counts(count_at, at):
    with dead_port() as port:
        count_at(port)
        at("2026-11-19T12:00")
        cache.set("attempts", 3, timeout=1)
    assert retention.delete_expired(now=at("2036-11-21T12:00"))["throttles"] == 1

"""Another transaction locks a row, or a statement takes too long: a page gives up in time with a message, and has
changed nothing.
"""

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psycopg
import pytest
from django.conf import settings as django_settings
from django.db import DataError, connection
from django.test import Client

from championship.platform import database_timeouts
from tests.championship.api.factories import program_of
from tests.championship.faults import BUSY_SECONDS, PAGE_SECONDS, timed
from tests.championship.runs.factories import all_of, careful_turn, desk_of, on_the_road, open_turn, post

pytestmark = pytest.mark.django_db(transaction=True)


def other_connection():
    """Yield another connection to the same database."""
    known = connection.get_connection_params()
    names = ("dbname", "user", "password", "host", "port")
    return psycopg.connect(**{name: known[name] for name in names if known.get(name)})


@contextmanager
def held(table, pk):
    """Lock this row in a transaction of another connection while the block runs."""
    with other_connection() as other:
        other.execute(f"SELECT 1 FROM {table} WHERE id = %s FOR UPDATE", [pk])
        yield
        other.rollback()


@pytest.fixture
def serving(settings, monkeypatch):
    """This process serves pages, as with wsgi.py. The time limits of the database apply to its connections."""

    def serve(**seconds):
        settings.DATABASE_WAITS = {**django_settings.DATABASE_WAITS}
        settings.DATABASE_WAITS["web"] = {**django_settings.DATABASE_WAITS["web"], **seconds}
        monkeypatch.setattr(database_timeouts, "process", database_timeouts.WEB)
        connection.close()

    yield serve
    connection.close()


def careful(run):
    """Return the fields of a post for a whole turn."""
    return {"do": "standing", "plan": careful_turn(run)["plan"], "roll": "one by one", "stop_at": "2"}


def browser_of(entry):
    """Return the driver's client. An exception on the server becomes a response, as in production."""
    client = desk_of(entry)
    client.raise_request_exception = False
    return client


def test_a_post_for_a_run_that_somebody_holds_is_a_503_and_changes_nothing(serving):
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    fields, before, client = careful(run), all_of(run), browser_of(ana)
    serving()
    with held("runs_run", run.pk):
        with timed() as watch:
            answer = post(client, run, key="mine", **fields)
        assert all_of(run) == before
    assert answer.status_code == 503
    assert watch.seconds < BUSY_SECONDS
    assert answer["Retry-After"] == str(database_timeouts.RETRY_AFTER)
    assert "What you sent may not have been carried out: look before you send it again." in answer.content.decode()
    assert post(client, run, key="mine", **fields).status_code == 302, "the same post, once the row is free"
    assert open_turn(run).number == 2


def test_htmx_is_answered_with_the_words_alone(serving):
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    fields, client = careful(run), browser_of(ana)
    serving(lock=0.1)
    version = {"version": 0, "key": "mine"}
    with held("runs_run", run.pk):
        answer = client.post(f"/runs/{run.key}/turn/", {**version, **fields}, headers={"HX-Request": "true"})
    assert answer.status_code == 503
    assert answer["Retry-After"]
    page = answer.content.decode()
    assert "look before you send it again" in page
    assert "<html" not in page


def test_a_wait_in_a_view_is_no_fault_of_the_site(serving):
    """An error would be raised by this client, and reported to the operator in production."""
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    fields, client = careful(run), desk_of(ana)
    serving(lock=0.1)
    with held("runs_run", run.pk):
        assert post(client, run, key="mine", **fields).status_code == 503


def test_pages_without_the_row_are_served_while_posts_wait_for_it(serving):
    """A small server with two threads, and four posts for the locked run before all other requests."""
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    fields, client = {**careful(run), "version": 0}, browser_of(ana)
    serving(lock=0.3)
    cookies = client.cookies

    def ask(number):
        browser = Client(raise_request_exception=False)
        browser.cookies = cookies
        try:
            if number == 4:
                return browser.get("/").status_code
            return browser.post(f"/runs/{run.key}/turn/", {**fields, "key": f"post {number}"}).status_code
        finally:
            connection.close()

    with held("runs_run", run.pk), ThreadPoolExecutor(2) as threads, timed() as watch:
        answers = list(threads.map(ask, range(5)))
    assert answers == [503] * 4 + [302]
    assert watch.seconds < BUSY_SECONDS


def test_a_session_that_cannot_be_read_in_time_is_a_503_too(serving):
    """The error is raised in a middleware, outside any view."""
    _run, (ana, _bo) = on_the_road("Ana", "Bo")
    client = browser_of(ana)
    serving(statement=0.2)
    with other_connection() as other:
        other.execute("LOCK TABLE django_session IN ACCESS EXCLUSIVE MODE")
        with timed() as watch:
            answer = client.get("/turns/")
        other.rollback()
    assert answer.status_code == 503
    assert watch.seconds < BUSY_SECONDS


def test_a_missing_database_is_a_503(serving):
    _run, (ana, _bo) = on_the_road("Ana", "Bo")
    client = browser_of(ana)
    serving()
    kept = connection.settings_dict["PORT"], connection.settings_dict["HOST"]
    connection.settings_dict.update(PORT="1", HOST="127.0.0.1")
    try:
        answer = client.get("/turns/")
    finally:
        connection.settings_dict.update(PORT=kept[0], HOST=kept[1])
        connection.close()
    assert answer.status_code == 503


def test_a_program_that_asks_for_news_of_a_database_in_trouble_reads_a_problem(serving):
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    program = program_of(ana.driver)
    program.client.raise_request_exception = False
    tag = program.get(f"runs/{run.key}")["ETag"]
    serving(statement=0.2)
    with other_connection() as other:
        other.execute("LOCK TABLE api_token IN ACCESS EXCLUSIVE MODE")
        answer = program.get(f"runs/{run.key}", If_None_Match=tag)
        other.rollback()
    assert answer.status_code == 503
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["type"].endswith("/busy/")


def test_a_fault_of_ours_is_a_500_still():
    assert not database_timeouts.is_database_unavailable(ValueError("a fault"))
    with pytest.raises(DataError) as caught, connection.cursor() as cursor:
        cursor.execute("SELECT 1/0")
    assert not database_timeouts.is_database_unavailable(caught.value)


@pytest.mark.parametrize("process", ["web", "worker", "command"])
def test_every_kind_of_process_is_held_to_its_own_limits(process, monkeypatch):
    monkeypatch.setattr(database_timeouts, "process", process)
    connection.close()
    found = {}
    with connection.cursor() as cursor:
        for what, name in database_timeouts.SESSION_LIMITS.items():
            cursor.execute("SELECT setting::int FROM pg_settings WHERE name = %s", [name])
            found[what] = cursor.fetchone()[0] / 1000
    connection.close()
    assert found == {what: django_settings.DATABASE_WAITS[process][what] for what in ("lock", "statement", "idle")}


def test_a_page_waits_less_than_three_seconds_and_less_than_a_worker():
    web, worker = django_settings.DATABASE_WAITS["web"], django_settings.DATABASE_WAITS["worker"]
    assert web["lock"] < PAGE_SECONDS
    assert all(0 < web[what] < worker[what] for what in web)
    assert worker["statement"] < django_settings.CELERY_TASK_TIME_LIMIT

"""The event feed after a cursor: nothing is lost or repeated, and nothing hidden from the reader appears."""

import threading

import pytest
from django.db import connection, transaction

from championship.api import feed
from championship.runs.models import Post
from tests.championship.api.factories import program_of
from tests.championship.rallies.factories import make_rally, organiser_of
from tests.championship.runs.factories import careful_turn, on_the_road, open_turn, play
from tests.championship.runs.hidden_run import built
from tests.contract import tables
from tests.contract.conftest import toys
from tests.factories import make_user

__all__ = ["toys"]

pytestmark = pytest.mark.django_db(transaction=True)


def read_feed(program, after="", **more):
    """Return the rows after a cursor, and the next cursor."""
    query = "&".join(f"{name}={value}" for name, value in {"after": after, **more}.items() if value)
    answer = program.get(f"events?{query}")
    assert answer.status_code == 200, answer.content
    return answer.json()["events"], answer.json()["cursor"]


def test_a_reader_begins_now_and_reads_on():
    run, [ana, _bo] = on_the_road("Ana", "Bo")
    program = program_of(ana.driver)
    rows, cursor = read_feed(program)
    assert rows == [] and read_feed(program, cursor) == ([], cursor)
    seats = []
    for _turn in range(2):
        entry = open_turn(run).seat.entry
        play(run, entry, **careful_turn(run))
        seats.append(str(entry.start_number))
    rows, later = read_feed(program, cursor)
    assert [row["seat"] for row in rows] == seats
    assert {row["run"] for row in rows} == {run.key} and later != cursor
    first, middle = read_feed(program, cursor, limit=1)
    assert first + read_feed(program, middle)[0] == rows


def test_it_is_for_members_and_for_the_club_of_the_token():
    run, [ana] = on_the_road("Ana")
    other = make_rally(by=make_user("Eve"))
    play(run, ana, **careful_turn(run))
    start = feed.cursor_of(0)
    assert read_feed(program_of(ana.driver), start)[0]
    assert read_feed(program_of(organiser_of(other)), start)[0] == []
    assert read_feed(program_of(make_user()), start)[0] == []


class Elsewhere:
    """A separate connection that makes a turn in a run, and commits when told to."""

    def __init__(self, run, entry):
        self.posted, self.go_on, self.wrong = threading.Event(), threading.Event(), []
        self.thread = threading.Thread(target=self._turn, args=(run, entry))
        self.thread.start()
        assert self.posted.wait(120) and not self.wrong, self.wrong

    def _turn(self, run, entry):
        try:
            with transaction.atomic():
                play(run, entry, **careful_turn(run))
                self.posted.set()
                assert self.go_on.wait(120)
        except Exception as error:
            self.wrong.append(error)
        finally:
            self.posted.set()
            connection.close()

    def commit(self):
        self.go_on.set()
        self.thread.join()
        assert not self.wrong, self.wrong


def test_a_post_committed_after_a_later_one_of_another_run_is_in_the_feed():
    """The turn that commits first began first, so that neither row numbers nor transaction ids show the order of
    commits.
    """
    first, [ana] = on_the_road("Ana")
    club = first.special_stage.rally.club
    second, [bo] = on_the_road("Bo", by=organiser_of(first.special_stage.rally), club=club)
    program = program_of(ana.driver)
    _rows, cursor = read_feed(program)
    with transaction.atomic():
        with connection.cursor() as ask:
            ask.execute("SELECT pg_current_xact_id()")
        slow = Elsewhere(first, ana)
        play(second, bo, **careful_turn(second))
    numbers = dict(Post.objects.values_list("run__key", "pk"))
    assert set(numbers) == {second.key}, "the slow one is numbered and not committed"
    assert read_feed(program, cursor) == ([], cursor)
    _none, beginning = read_feed(program)
    slow.commit()
    for begun in (cursor, beginning):
        rows, last = read_feed(program, begun)
        assert [row["run"] for row in rows] == [first.key, second.key]
        assert read_feed(program, last) == ([], last)


def test_a_secret_post_moves_neither_rows_nor_cursor_before_the_round_closes(toys):
    run, [ana, bo, cem] = tables.on_the_road("hush", "Ana", "Bo", "Cem")
    watching = program_of(organiser_of(run.special_stage.rally))
    _rows, cursor = read_feed(watching)
    programs = {entry: program_of(entry.driver, "play") for entry in (ana, bo, cem)}
    choices = programs[ana].get(f"runs/{run.key}/choices").json()
    sent = {"orders": choices["ways"][1]["orders"], "version": choices["version"]}
    assert programs[ana].post(f"runs/{run.key}/turns", sent).status_code == 200
    before = read_feed(watching, cursor)
    assert before == ([], cursor) or [row["seat"] for row in before[0]] == [str(ana.start_number)]
    for entry in (bo, cem):
        assert programs[entry].post(f"runs/{run.key}/turns", sent).status_code == 200
    rows, _later = read_feed(watching, cursor)
    assert len(rows) == 3


def test_a_run_that_the_reader_may_not_watch_is_not_in_the_feed():
    scene = built()
    start = feed.cursor_of(0)
    for role in ("a member", "a steward", "a driver who is to drive"):
        rows, _cursor = read_feed(program_of(scene.people[role]), start)
        assert scene.hidden.key not in {row["run"] for row in rows}, role
    rows, _cursor = read_feed(program_of(scene.people["a driver who is in"]), start)
    assert scene.hidden.key in {row["run"] for row in rows}


def test_a_waiting_request_returns_as_soon_as_something_happens(live_server, monkeypatch):
    import json
    import urllib.request

    monkeypatch.setattr(feed, "POLL_SECONDS", 0.05)
    run, [ana, _bo] = on_the_road("Ana", "Bo")
    program = program_of(ana.driver)
    _rows, cursor = read_feed(program)
    answers = []

    def wait():
        asked = urllib.request.Request(
            f"{live_server.url}/api/v1/events?after={cursor}&wait=10",
            headers={"Authorization": f"Bearer {program.token}"},
        )
        with urllib.request.urlopen(asked, timeout=120) as answer:
            answers.append(json.load(answer))

    worker = threading.Thread(target=wait)
    worker.start()
    while feed.WAITING._value == 2 and worker.is_alive():
        pass
    play(run, ana, **careful_turn(run))
    worker.join()
    assert [row["run"] for row in answers[0]["events"]] == [run.key]


def test_a_request_returns_at_once_when_too_many_wait(monkeypatch):
    _run, [ana] = on_the_road("Ana")
    program = program_of(ana.driver)
    _rows, cursor = read_feed(program)
    monkeypatch.setattr(feed, "WAITING", threading.BoundedSemaphore(1))
    assert feed.WAITING.acquire()
    monkeypatch.setattr(feed.time, "sleep", lambda _seconds: pytest.fail("it waits"))
    assert read_feed(program, cursor, wait=10) == ([], cursor)


@pytest.mark.parametrize("pk", [0, 1, 12345, 2**40])
def test_a_cursor_can_be_used_again_and_reveals_no_number(pk):
    assert feed.row_of_cursor(feed.cursor_of(pk)) == pk
    assert f"{pk:x}" not in feed.cursor_of(pk) or pk < 16


@pytest.mark.parametrize("query", ["after=x", "after=" + "f" * 16, "after=%00", "wait=11", "wait=x", "limit=0"])
def test_nonsense_parameters_are_refused(query):
    answer = program_of(make_user()).get(f"events?{query}")
    assert answer.status_code == 422 and answer.json()["field"] == query.partition("=")[0]
    assert not Post.objects.exists()

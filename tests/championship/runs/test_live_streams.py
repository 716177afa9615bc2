"""Streams of open pages: they say "changed" when a run moves, to those who may watch it, while people are there."""

import socket

import pytest
from django.test import Client

from championship.platform import clock
from championship.platform.web import live_streams
from championship.platform.web.live_streams import PARKS, Follower, Parked, Parking, Streams, followed, parking
from championship.rallies.services import pause_rally
from championship.runs.models import Run, Seat
from championship.runs.play import give_more, note_open_page
from championship.runs.watch import live, present_runs
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs.evening import in_an_evening
from tests.championship.runs.factories import careful_turn, desk_of, on_the_road, play

CHANGED = b"f\r\ndata: changed\n\n\r\n"


@pytest.fixture(autouse=True)
def nothing_known():
    present_runs.forget()
    yield
    present_runs.forget()


class ParkingClient(Client):
    """A browser at a server that can park sockets."""

    def __init__(self):
        super().__init__(**{PARKS: True})


def looked(streams, times):
    """Wait until the streams have looked so often."""
    for _look in range(200):
        if streams.looks >= times:
            return
        streams.looked.wait(20)
        streams.looked.clear()
    raise AssertionError("the streams do not look")


def version(run):
    return live.stream_versions([f"run {run.key}"])


@pytest.mark.django_db(transaction=True)
def test_a_parked_socket_hears_of_a_turn_and_of_nothing_else():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    ours, theirs = socket.socketpair()
    theirs.settimeout(20)
    streams = Streams()
    assert streams.park(Parking((f"run {run.key}",)), ours)
    ours.close()
    assert theirs.recv(100) == CHANGED, "what came before the first look is not missed"
    looked(streams, streams.looks + 2)
    play(run, ana, **careful_turn(run))
    assert theirs.recv(100) == CHANGED
    looked(streams, streams.looks + 2)
    theirs.setblocking(False)
    with pytest.raises(BlockingIOError):
        theirs.recv(1)
    theirs.close()
    streams.end()
    assert streams.thread is None


@pytest.mark.django_db
def test_everything_that_a_spectator_sees_move_moves_the_version(at):
    run, (ana, bo) = in_an_evening("Ana", "Bo")
    before = version(run)
    play(run, ana, **careful_turn(run))
    played = version(run)
    assert played != before
    give_more(by=ana.driver if run.state["queue"][0] == str(bo.start_number) else bo.driver, run=run)
    more = version(run)
    assert more != played
    pause_rally(by=organiser_of(ana.rally), rally=ana.rally, reason="Pizza")
    assert version(run) != more
    assert live.stream_versions(["rally x"]) == live.stream_versions([]) == {}


@pytest.mark.django_db
def test_a_run_whose_draws_are_shared_has_no_version():
    run, _entries = on_the_road("Ana")
    Run.objects.filter(pk=run.pk).update(common=b"x" * 32)
    assert version(run) == {}
    run.refresh_from_db()
    assert desk_of(_entries[0]).get(f"/runs/{run.key}/live/").status_code == 204


@pytest.mark.django_db
def test_without_a_server_that_parks_the_page_is_told_to_poll():
    run, _entries = on_the_road("Ana", "Bo")
    assert Client().get(f"/runs/{run.key}/live/").status_code == 204
    answer = ParkingClient().get(f"/runs/{run.key}/live/")
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/event-stream")
    assert "Content-Length" not in answer, "a browser would take a stream with a length for a whole answer"
    assert answer["X-Accel-Buffering"] == "no"
    assert ParkingClient().get("/runs/nothing/live/").status_code == 404


@pytest.mark.django_db
def test_a_stream_is_not_compressed_as_pages_are():
    run, _entries = on_the_road("Ana", "Bo")
    browser = {"HTTP_ACCEPT_ENCODING": "gzip, deflate, br"}
    assert Client().get(f"/runs/{run.key}/", **browser)["Content-Encoding"] == "gzip"
    answer = ParkingClient().get(f"/runs/{run.key}/live/", **browser)
    assert "Content-Encoding" not in answer, "what is written to the parked socket later is not compressed"
    assert b"".join(answer.streaming_content) == b"retry: 1000\n\n"


@pytest.mark.django_db
def test_polls_name_the_stream_only_while_two_drivers_are_there(at):
    run, (ana, bo) = on_the_road("Ana", "Bo")
    changes = f"/runs/{run.key}/changes/"
    note_open_page(key=run.key, person_id=ana.driver_id, now=clock.now())
    assert "Live" not in Client().get(changes)
    Seat.objects.filter(run=run, entry=bo).update(seen_open_at=clock.now())
    present_runs.forget()
    assert Client().get(changes)["Live"] == f"/runs/{run.key}/live/"
    at(clock.now() + 2 * present_runs.OPEN_FOR)
    assert "Live" not in Client().get(changes)


@pytest.mark.django_db
def test_in_an_evening_the_page_opens_the_stream_at_once():
    run, _entries = in_an_evening("Ana", "Bo")
    assert f'data-live="/runs/{run.key}/live/"' in Client().get(run.get_absolute_url()).content.decode()
    tag = Client().get(f"/runs/{run.key}/changes/")
    assert tag["Live"] == f"/runs/{run.key}/live/"


def test_the_head_of_a_stream_is_written_and_then_its_socket_is_parked(rf):
    class Sock:
        parked = None

    request = rf.get("/", **{PARKS: True})
    environ = {"SERVER_PROTOCOL": "HTTP/1.1", "gunicorn.socket": Sock()}
    body = iter(parking(lambda *_all: followed(request, "run x"))(environ, None))
    assert next(body) == b"retry: 1000\n\n"
    with pytest.raises(Parked):
        next(body)
    assert environ["gunicorn.socket"].parked.topics == ("run x",)


@pytest.mark.django_db
def test_spectators_share_one_answer_and_a_driver_gets_their_own(at, django_assert_max_num_queries):
    run, (ana, bo) = in_an_evening("Ana", "Bo")
    asks = {"HX-Request": "true", "HX-Target": "run"}
    changes = f"/runs/{run.key}/changes/"
    first = Client().get(changes, headers=asks)
    with django_assert_max_num_queries(2):
        again = Client().get(changes, headers=asks)
    assert again.content == first.content
    assert again["Live"] == f"/runs/{run.key}/live/"
    own = desk_of(ana if str(ana.start_number) == run.state["queue"][0] else bo).get(changes, headers=asks)
    assert b"csrfmiddlewaretoken" in own.content
    assert b"csrfmiddlewaretoken" not in first.content
    play(run, ana if str(ana.start_number) == run.state["queue"][0] else bo, **careful_turn(run))
    assert Client().get(changes, headers=asks).content != first.content


def parked(streams, of, times):
    """Park so many sockets of one follower: the far ends, and whether each was taken."""
    ends, taken = [], []
    for _each in range(times):
        ours, theirs = socket.socketpair()
        taken.append(streams.park(Parking(("run x",), of), ours))
        ours.close()
        ends.append(theirs)
    return ends, taken


@pytest.fixture
def streams(monkeypatch):
    """Streams of a process that looks at nothing."""
    found = Streams()
    monkeypatch.setattr(found, "_run", lambda: None)
    monkeypatch.setattr(live_streams, "streams", found)
    yield found
    found.end()


def test_a_person_and_an_address_have_so_many_streams_and_hear_why(rf, streams, monkeypatch):
    monkeypatch.setattr(live_streams, "MOST_OF_PERSON", 2)
    monkeypatch.setattr(live_streams, "MOST_OF_ADDRESS", 3)
    ana, bo = Follower("192.0.2.1", 1), Follower("192.0.2.1", 2)
    ends, taken = parked(streams, ana, 3)
    assert taken == [True, True, False], "the third came at the same moment"
    assert "You have 2 pages" in streams.too_many_of(ana)
    assert streams.too_many_of(bo) == ""
    more, taken = parked(streams, bo, 2)
    assert taken == [True, False]
    assert "3 pages of your network" in streams.too_many_of(Follower("192.0.2.1"))
    assert streams.too_many_of(Follower("192.0.2.2")) == ""
    refused = followed(rf.get("/", REMOTE_ADDR="192.0.2.1", **{PARKS: True}), "run x")
    assert (refused.status_code, refused["Content-Type"]) == (429, "text/plain; charset=utf-8")
    assert "of your network" in refused.content.decode()
    assert followed(rf.get("/", REMOTE_ADDR="192.0.2.2", **{PARKS: True}), "run x").status_code == 200
    for end in (*ends, *more):
        end.close()
    assert streams.too_many_of(ana) == "", "pages that were left do not count"

"""A run that is over as a silent film: who may have it, what it shows, how it is delivered, and what it costs."""

from __future__ import annotations

import re
import time

import pytest
from django.test import Client

from championship.clubs.models import Club
from championship.films import services
from championship.films.cuts import Cut, cut_named, runs_of
from championship.films.encoding import MOST_BYTES
from championship.films.script import MOST_CAPTIONS, MOST_SHOTS, Shot, _few, _side_by_side, script_of, told_of
from championship.papers.models import BigFile
from championship.papers.services import keeping
from championship.platform import clock
from championship.rallies.models import Entry, Rally
from championship.runs.models import Run
from championship.runs.play import begin_practice
from championship.runs.watch.car_ways import TurnWay
from tests.championship.films.watching import make_all, played
from tests.championship.runs.factories import driven, driven_to_the_end, on_the_road
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db


def page_of(run: Run) -> str:
    return f"/runs/{run.key}/film/"


def file_of(run: Run) -> str:
    return f"/runs/{run.key}/film.mp4"


def made(run: Run, **fields: str) -> None:
    """Press the button of the page, and let the worker work."""
    assert Client().post(page_of(run), fields).status_code == 302
    make_all()


def test_a_spectator_has_a_film_made_and_watches_it():
    run, _entries = driven("Ana", "Bo", "Cem")
    stranger = Client()
    before = stranger.get(page_of(run)).content.decode()
    assert "Make the film" in before and "<video" not in before
    assert stranger.get(file_of(run)).status_code == 404, "nothing is made by looking"
    assert stranger.post(page_of(run)).status_code == 302
    waits = stranger.get(page_of(run)).content.decode()
    assert 'hx-trigger="every 3s"' in waits and '<noscript><meta http-equiv="refresh" content="3"></noscript>' in waits
    began = time.process_time()
    make_all()
    assert time.process_time() - began < 10, "seconds of a worker's processor"
    page = stranger.get(page_of(run))
    video = re.search(r"<video ([^>]*)>", page.content.decode())
    assert video and "controls" in video[1] and "muted" in video[1] and "autoplay" not in video[1]
    assert "media-src 'self'" in page["Content-Security-Policy"]
    part = stranger.get(page_of(run), headers={"HX-Request": "true"}).content.decode()
    assert "<video" in part and "<html" not in part
    answer = stranger.get(file_of(run))
    film = played(answer.content)
    assert (answer.status_code, answer["Content-Type"]) == (200, "video/mp4")
    assert (film.codec, film.size, film.sounds) == ("h264", (720, 720), 0)
    assert 10 < film.seconds < 150
    assert len(answer.content) <= MOST_BYTES
    assert answer.content.index(b"moov") < answer.content.index(b"mdat"), "it plays while it loads"
    poster = stranger.get(f"/runs/{run.key}/film.png?lang=en")
    assert poster["Content-Type"] == "image/png" and poster.content.startswith(b"\x89PNG")
    assert poster["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert "attachment" in stranger.get(f"{file_of(run)}?save")["Content-Disposition"]


def test_the_story_stands_beside_the_film_in_words():
    run, entries = driven("Ana", "Bo", "Cem")
    stage = run.special_stage
    told = told_of(stage, runs_of(stage, run.pk), Cut(stage.pk, run.pk))
    script = script_of(stage, runs_of(stage, run.pk), Cut(stage.pk, run.pk))
    assert 0 < len(told) <= MOST_CAPTIONS
    assert script.told == [one.text for one in told]
    page = Client().get(page_of(run)).content.decode()
    assert page.count('<li data-kind="') == len(told)
    own = entries[0]
    seat = run.seats.get(entry=own).name
    cut = Cut(stage.pk, run.pk, seat=seat)
    shots = script_of(stage, runs_of(stage, run.pk), cut).shots
    assert shots and {shot.car for shot in shots} == {(run.pk, seat)}
    middle = Cut(stage.pk, run.pk, first=4, last=6)
    assert [shot.number for shot in script_of(stage, runs_of(stage, run.pk), middle).shots] == [4, 5, 6]


def test_a_film_of_one_car_is_another_file():
    run, _entries = driven("Ana", "Bo", "Cem")
    seat = run.seats.order_by("position").first().name
    made(run)
    made(run, car=seat, **{"from": "2", "to": "9"})
    whole = played(Client().get(file_of(run)).content)
    part = played(Client().get(file_of(run), {"car": seat, "from": 2, "to": 9}).content)
    assert part.seconds < whole.seconds
    assert Client().get(file_of(run), {"car": seat}).status_code == 404, "nobody has ordered it"


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"car": "no such car"}, "car"),
        ({"car": "\x00"}, "car"),
        ({"from": "-1"}, "from"),
        ({"from": "9" * 400}, "from"),
        ({"to": "x"}, "to"),
        ({"from": "9", "to": "3"}, "to"),
    ],
)
def test_nonsense_is_answered_at_its_field(asked, field):
    run, _entries = driven("Ana", "Bo")
    for answer in (Client().get(page_of(run), asked), Client().post(page_of(run), asked)):
        assert answer.status_code == 422
        assert re.search(rf'name="{field}"[^>]*aria-invalid="true"', answer.content.decode())
    assert Client().get(file_of(run), asked).status_code == 404
    assert not BigFile.objects.exists()


def test_a_player_asks_for_parts_of_the_file():
    run, _entries = driven("Ana", "Bo")
    made(run)
    whole = Client().get(file_of(run))
    size, tag = len(whole.content), whole["ETag"]
    for asked, first, last in (
        ("0-1", 0, 1),
        ("100-", 100, size - 1),
        ("-9", size - 9, size - 1),
        ("5-9999999", 5, size - 1),
    ):
        part = Client().get(file_of(run), headers={"Range": f"bytes={asked}"})
        assert part.status_code == 206, asked
        assert part["Content-Range"] == f"bytes {first}-{last}/{size}"
        assert part.content == whole.content[first : last + 1]
    beyond = Client().get(file_of(run), headers={"Range": f"bytes={size}-"})
    assert (beyond.status_code, beyond["Content-Range"]) == (416, f"bytes */{size}")
    for nonsense in ("bytes=-", "bytes=9-3", "bytes=0-1,4-5", "bytes=x-", "lines=0-1", "bytes=" + "9" * 99 + "-"):
        assert Client().get(file_of(run), headers={"Range": nonsense}).content == whole.content
    same = Client().get(file_of(run), headers={"Range": "bytes=0-1", "If-Range": tag})
    other = Client().get(file_of(run), headers={"Range": "bytes=0-1", "If-Range": '"other"'})
    assert (same.status_code, other.status_code) == (206, 200)
    assert Client().get(file_of(run), headers={"If-None-Match": tag}).status_code == 304
    assert Client().head(file_of(run)).status_code == 200


def test_nobody_has_the_film_of_a_run_on_the_road():
    run, entries = on_the_road("Ana", "Bo")
    for address in (page_of(run), file_of(run), f"/runs/{run.key}/film.png", f"/runs/{run.key}/lines/"):
        for reader in (Client(), signed_in(entries[0].driver)):
            assert reader.get(address).status_code in (403, 404), address
    assert signed_in(entries[0].driver).post(page_of(run)).status_code == 403
    assert "/film/" not in Client().get(f"/runs/{run.key}/replay/").content.decode()
    assert not BigFile.objects.exists()


def test_with_shared_draws_the_film_waits_for_the_last_car_of_the_stage():
    run, entries = on_the_road("Ana", "Bo", mode="open road", options={"dice": "duplicate"})
    driven_to_the_end(run, *entries)
    stage = f"/rallies/{run.special_stage.rally.key}/stages/1/film/"
    assert [signed_in(entries[0].driver).get(address).status_code for address in (page_of(run), stage)] == [403, 403]
    [other] = Run.objects.filter(special_stage=run.special_stage).exclude(pk=run.pk)
    driven_to_the_end(other, Entry.objects.select_related("driver").get(seats__run=other))
    assert [Client().get(address).status_code for address in (page_of(run), stage)] == [200, 200]


def test_the_film_of_a_club_for_members_is_for_those_who_may_see_the_rally():
    run, _entries = driven("Ana", "Bo")
    made(run)
    Club.objects.update(visibility=Club.Visibility.MEMBERS)
    for address in (page_of(run), file_of(run), f"/runs/{run.key}/film.png?lang=en"):
        assert [Client().get(address).status_code, signed_in(make_user()).get(address).status_code] == [403, 404]


def test_what_is_driven_for_practice_has_no_film():
    person = make_user()
    run = begin_practice(by=person, game="dirt")
    assert signed_in(person).get(page_of(run)).status_code == 404


def test_a_new_name_of_a_driver_asks_for_a_new_film(at):
    at(clock.now())
    run, entries = driven("Ana", "Bo")
    made(run)
    Entry.objects.filter(pk=entries[0].pk).update(crew="Anastasia / Zoe")
    assert Client().get(file_of(run)).status_code == 200, "within the minute"
    at(clock.now() + keeping.FRESH)
    assert Client().get(file_of(run)).status_code == 404
    assert "Make the film" in Client().get(page_of(run)).content.decode()


def test_an_order_is_made_once_and_few_wait_at_a_time():
    run, _entries = driven("Ana", "Bo")
    for _twice in range(2):
        assert Client().post(page_of(run)).status_code == 302
    assert BigFile.objects.filter(kind="film").count() == 1
    for first in range(2, 1 + services.MOST_QUEUED):
        assert Client().post(page_of(run), {"from": first}).status_code == 302
    refused = Client().post(page_of(run), {"from": 9})
    assert refused.status_code == 422 and "Try again in a minute" in refused.content.decode()
    make_all()
    assert Client().post(page_of(run), {"from": 9}).status_code == 302


def test_a_club_keeps_a_bounded_number_of_films(monkeypatch):
    monkeypatch.setattr(services, "MOST_KEPT", 2)
    run, _entries = driven("Ana", "Bo")
    for first in ("1", "2", "3"):
        made(run, **{"from": first})
    assert sorted(BigFile.objects.values_list("kind", flat=True)) == ["film", "film", "film poster", "film poster"]
    assert Client().get(file_of(run), {"from": "1"}).status_code == 404, "the oldest gave way"


def test_too_many_orders_in_a_minute_are_refused(settings):
    settings.PAPERS_A_MINUTE = 1
    run, _entries = driven("Ana", "Bo")
    reader = signed_in(make_user())
    assert [reader.post(page_of(run), {"from": first}).status_code for first in (1, 2, 3)] == [302, 429, 429]


def test_cars_of_the_open_road_drive_side_by_side():
    runs = [
        [TurnWay(1, 0), *(TurnWay(1, number, seat="1") for number in (1, 2, 3))],
        [TurnWay(2, 0), *(TurnWay(2, number, seat="2") for number in (1, 2))],
    ]
    order = [(turn.run, turn.number) for turn in _side_by_side(runs)]
    assert order == [(1, 0), (2, 0), (1, 1), (2, 1), (1, 2), (2, 2), (1, 3)]


def test_a_long_stage_has_few_shots():
    shots = [Shot((1, "1"), number, [{}, {}], [f"told {number}"]) for number in range(1, 1000)]
    few = _few(shots)
    assert len(few) <= MOST_SHOTS
    assert [caption for shot in few for caption in shot.captions] == [f"told {number}" for number in range(1, 1000)]


def test_the_film_of_a_stage_shows_all_its_runs():
    run, _entries = on_the_road("Ana", "Bo", mode="open road")
    for each in Run.objects.filter(special_stage=run.special_stage):
        driven_to_the_end(each, Entry.objects.select_related("driver").get(seats__run=each))
    stage = run.special_stage
    script = script_of(stage, runs_of(stage), Cut(stage.pk))
    assert len({shot.car for shot in script.shots if shot.car}) == 2
    address = f"/rallies/{stage.rally.key}/stages/1/film/"
    assert Client().post(address).status_code == 302
    make_all()
    assert played(Client().get(f"/rallies/{stage.rally.key}/stages/1/film.mp4").content).pictures > 20
    stage_page = Client().get(f"/rallies/{stage.rally.key}/stages/1/").content.decode()
    assert (f'href="{address}"' in stage_page) == (stage.__class__.objects.get(pk=stage.pk).status == "done")


def test_a_cut_is_kept_under_its_name():
    cut = Cut(2_147_483_647, 2_147_483_647, "12345678", 1234, 5678)
    assert len(cut.subject) <= 40
    assert cut_named(cut.subject) == cut
    assert cut_named(Cut(5).subject) == Cut(5)


def test_a_page_makes_as_many_queries_for_many_cars(django_assert_max_num_queries):
    run, _entries = driven("Ana", "Bo", "Cem")
    Client().get(page_of(run))
    with django_assert_max_num_queries(16):
        Client().get(page_of(run))


def test_a_rally_at_the_table_has_no_link():
    run, _entries = driven("Ana", "Bo")
    assert page_of(run) in Client().get(f"/runs/{run.key}/replay/").content.decode()
    Rally.objects.filter(pk=run.special_stage.rally_id).update(practice=True)
    assert page_of(run) not in Client().get(f"/runs/{run.key}/replay/").content.decode()

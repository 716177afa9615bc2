"""The pages of runs: what each viewer sees, what nobody sees, and how few queries that takes."""

import re
from datetime import UTC, datetime

import pytest
from django.test import Client

from championship.accounts.models import User
from championship.rallies import services as rally_services
from championship.runs.models import Post, Run
from championship.runs.watch import selectors
from championship.runs.watch.selectors import LOG_POSTS
from tests.championship.rallies.factories import drive, make_rally, organiser_of
from tests.championship.runs.factories import (
    all_but_the_first_are_home,
    careful_turn,
    desk_of,
    driven,
    on_the_road,
    open_turn,
    play,
    starters,
)
from tests.factories import make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


def page_of(client, run, status=200, path=""):
    answer = client.get(run.get_absolute_url() + path)
    assert answer.status_code == status
    return answer.content.decode()


# Who sees what ----------------------------------------------------------------------------------------


def test_everybody_with_the_address_may_watch():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    lookers = [Client(), signed_in(make_user("Stranger")), signed_in(make_member(ana.rally.club)), desk_of(bo)]
    for looker in lookers:
        page = page_of(looker, run)
        assert f"{ana.crew} is to play." in page
        assert "<svg" in page
        assert "Road order" in page
        assert "/turn/" not in page, "nothing to post"
        assert f'data-poll="/runs/{run.key}/changes/' in page, "the page asks what is new"
    mine = page_of(desk_of(ana), run)
    assert "is to play." not in mine
    assert "The first move" in mine


def test_the_page_of_a_finished_run_says_so_and_shows_how_it_was_driven():
    run, entries = driven("Ana", "Bo", stages=("4/1",))
    for looker in (Client(), desk_of(entries[0])):
        page = page_of(looker, run)
        assert "The stage is over." in page
        assert "Over the finish line!" in page
        assert "/turn/" not in page
        assert "/changes/" not in re.sub(r"/turns/changes/", "", page), "nothing more is to be expected"
    log = page_of(Client(), run, path="log/")
    assert log.count("<li data-kind") >= run.posts.count() - 1
    for entry in entries:
        assert entry.crew in log


def test_a_crew_with_a_strange_name_breaks_no_page():
    rally = make_rally()
    driver = make_member(rally.club, name="Ana")
    rally_services.enter_rally(by=driver, rally=rally, crew="<b>Ana</b> & Ölaf %s {{ x }}")
    olga = organiser_of(rally)
    rally_services.confirm_all(by=olga, rally=rally)
    rally_services.start_rally(by=olga, rally=rally)
    run = Run.objects.get()
    (ana,) = starters(run)
    play(run, ana, **careful_turn(run))
    for page in (page_of(Client(), run), page_of(Client(), run, path="log/"), page_of(desk_of(ana), run)):
        assert "&lt;b&gt;Ana&lt;/b&gt; &amp; Ölaf %s {{ x }}" in page
        assert "<b>Ana" not in page


@pytest.mark.parametrize("language", ["en", "pl", "de"])
def test_the_pages_work_in_every_language(language):
    run, (ana, bo) = on_the_road("Ana", "Bo")
    User.objects.filter(pk__in=[ana.driver_id, bo.driver_id]).update(language=language, time_zone="Europe/Warsaw")
    play(run, ana, **careful_turn(run))
    for entry in (ana, bo):
        desk = signed_in(User.objects.get(pk=entry.driver_id))
        assert f'<html lang="{language}">' in page_of(desk, run)
        page_of(desk, run, path="log/")
        page_of(desk, run, status=422, path="?plan=1:99.9.l") if open_turn(run).seat.entry == entry else None
        assert desk.get("/turns/").status_code == 200


def test_times_are_shown_in_the_readers_zone():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    turn = open_turn(run)
    turn.deadline = datetime(2031, 7, 1, 22, 30, tzinfo=UTC)
    turn.save()
    User.objects.filter(pk=ana.driver_id).update(time_zone="Europe/Warsaw")
    page = page_of(signed_in(User.objects.get(pk=ana.driver_id)), run)
    assert "2031-07-01T22:30:00+00:00" in page
    assert "Wed 2 Jul, 00:30" in page


# My turns ---------------------------------------------------------------------------------------------


def test_my_turns_lists_what_waits_and_what_does_not():
    waiting, (ana, _bo) = on_the_road("Ana", "Bo", name="Rajd One")
    rally = make_rally(name="Rajd Two")
    rally_services.enter_rally(by=make_member(rally.club, user=ana.driver), rally=rally, crew="Ana")
    page = desk_of(ana).get("/turns/").content.decode()
    assert waiting.get_absolute_url() in page
    assert "Rajd One" in page
    assert "Rajd Two" in page, "entered, not started"
    play(waiting, ana, **careful_turn(waiting))
    while waiting.state["queue"][0] == str(ana.start_number):
        play(waiting, ana, **careful_turn(waiting))
    page = desk_of(ana).get("/turns/").content.decode()
    assert "Nobody waits for you." in page
    assert "On the road, not your turn" in page


def test_my_turns_are_for_those_who_are_signed_in():
    answer = Client().get("/turns/")
    assert answer.status_code == 302
    assert "next=/turns/" in answer["Location"]
    assert "Nobody waits for you." in signed_in(make_user("Zoe")).get("/turns/").content.decode()


def test_time_control_waits_among_my_turns():
    _run, (ana,) = on_the_road("Ana")
    drive(ana.rally, 1, {ana: 200})
    page = desk_of(ana).get("/turns/").content.decode()
    assert f"/rallies/{ana.rally.key}/stages/1/control/" in page


def test_every_page_counts_the_turns_that_wait_for_the_reader():
    run, (ana, bo) = on_the_road("Ana", "Bo")

    def count_on(client, path):
        found = re.search(r'<span class="count" aria-hidden="true">(\d+)</span>', client.get(path).content.decode())
        return int(found.group(1)) if found else 0

    for path in ("/clubs/", "/turns/", run.get_absolute_url(), "/me/"):
        assert count_on(desk_of(ana), path) == 1
        assert count_on(desk_of(bo), path) == 0
    on_the_road("Zoe")
    rally_services.set_driven_by(by=ana.driver, entry=ana, driven_by="codriver")
    assert count_on(desk_of(ana), "/clubs/") == 0
    assert count_on(Client(), run.get_absolute_url()) == 0


def test_a_missing_page_counts_too():
    _run, (ana, _bo) = on_the_road("Ana", "Bo")
    answer = desk_of(ana).get("/runs/nobody/")
    assert answer.status_code == 404
    assert 'class="count"' in answer.content.decode()


# Secrets ----------------------------------------------------------------------------------------------


def secrets_of(run):
    """The secret in every notation in which it could appear."""
    secret = bytes(run.secret)
    return [secret.hex(), secret.hex(" "), secret.hex("-"), str(secret)[2:-1], str(int.from_bytes(secret, "big"))]


def test_neither_the_secret_nor_anything_still_to_be_drawn_is_on_any_page():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    play(run, ana, **careful_turn(run))
    stage = run.special_stage
    paths = [run.get_absolute_url(), f"{run.get_absolute_url()}log/", "/turns/"]
    paths += [stage.get_absolute_url(), stage.rally.get_absolute_url()]
    for looker in (Client(), desk_of(ana), desk_of(bo)):
        for path in paths:
            page = looker.get(path, follow=True).content.decode()
            assert not [shape for shape in secrets_of(run) if shape in page]
            assert "crash 1/2/3" not in page, "a deck"
            assert "gear/mud" not in page, "the bag"
            assert not re.search(r"\b(decks|bag)\b", page)
    assert run.commitment in page_of(Client(), run)


def test_the_admin_shows_runs_without_secret_and_state_and_changes_nothing():
    run, _entries = on_the_road("Ana", "Bo")
    operator = make_user("Operator")
    User.objects.filter(pk=operator.pk).update(is_staff=True, is_superuser=True)
    admin = signed_in(User.objects.get(pk=operator.pk))
    turn = open_turn(run)
    for path in (
        "/admin/runs/run/",
        f"/admin/runs/run/{run.pk}/change/",
        f"/admin/runs/run/{run.pk}/history/",
        "/admin/runs/turn/",
        f"/admin/runs/turn/{turn.pk}/change/",
    ):
        answer = admin.get(path)
        assert answer.status_code == 200, path
        page = answer.content.decode()
        assert not [shape for shape in secrets_of(run) if shape in page]
        assert "crash 1/2/3" not in page
        assert "gear/mud" not in page
    assert admin.get("/admin/runs/run/add/").status_code == 403
    assert admin.post(f"/admin/runs/run/{run.pk}/change/", {"version": 7}).status_code == 403
    assert admin.post(f"/admin/runs/run/{run.pk}/delete/", {"post": "yes"}).status_code == 403
    assert Run.objects.get(pk=run.pk).version == 0


# Queries ----------------------------------------------------------------------------------------------

PAGE = 17
"""Queries that any page may take."""


def queries_of(assert_num, client, path):
    """How many queries a page takes, PAGE at most."""
    with assert_num(PAGE) as counted:
        assert client.get(path).status_code == 200
    return len(counted)


@pytest.mark.parametrize("rallies", [1, 12])
def test_my_turns_takes_as_many_queries_for_twelve_turns_as_for_one(django_assert_max_num_queries, rallies):
    ana = make_user("Ana")
    for number in range(rallies):
        rally = make_rally(name=f"Rajd {number}", stages=("4/1",), mode="open road")
        rally_services.enter_rally(by=make_member(rally.club, user=ana), rally=rally, crew="Ana")
        rally_services.confirm_all(by=organiser_of(rally), rally=rally)
        rally_services.start_rally(by=organiser_of(rally), rally=rally)
    client = signed_in(ana)
    assert queries_of(django_assert_max_num_queries, client, "/turns/") == 6
    assert queries_of(django_assert_max_num_queries, client, "/turns/") == 3, "what was told is kept"
    assert client.get("/turns/").content.decode().count('class="card turn-card') == rallies


def test_the_stage_page_takes_as_many_queries_for_six_cars_as_for_one(django_assert_max_num_queries):
    counts = set()
    for names in (("Ana",), ("Ana", "Bo", "Cem", "Dag", "Eva", "Fin")):
        run, entries = on_the_road(*names)
        for _turn in range(2 * len(names)):
            play(run, open_turn(run).seat.entry, **careful_turn(run))
        lookers = (desk_of(entries[0]), signed_in(make_user()), Client())
        counts.add(tuple(queries_of(django_assert_max_num_queries, who, run.get_absolute_url()) for who in lookers))
    ((driver, person, guest),) = counts
    assert driver == person + 1, "a driver's odds know the cards that were seen"
    assert person > guest


def test_a_long_log_takes_no_more_queries_than_a_short_one(django_assert_max_num_queries):
    short, (ana, _bo) = on_the_road("Ana", "Bo", stages=("4/1",))
    long, _entries = driven("Ana", "Bo", "Cem", stages=("4/1",))
    play(short, ana, do="standing", plan=all_but_the_first_are_home(short))
    assert short.status == long.status == Run.Status.FINISHED
    assert Post.objects.filter(run=long).count() > LOG_POSTS
    post_told = re.compile(r'<li data-kind="\w+" id="p\d+">')
    for run in (short, long):
        page = page_of(Client(), run)
        assert 'class="story"' in page and not post_told.findall(page), "a stage that is over tells its story"
    assert len(post_told.findall(page_of(Client(), long, path="log/"))) == Post.objects.filter(run=long).count()
    for path in ("", "log/"):
        counts = {
            queries_of(django_assert_max_num_queries, Client(), run.get_absolute_url() + path) for run in (short, long)
        }
        assert len(counts) == 1


@pytest.mark.parametrize("hidden", [False, True])
def test_a_log_has_pages_and_shows_each_post_once(monkeypatch, hidden):
    run, _entries = driven("Ana", "Bo", stages=("4/1",))
    Run.objects.filter(pk=run.pk).update(hidden=hidden)  # then posts and events are counted for each reader
    told = re.compile(r'<li data-kind="\w+" id="([pe]\d+)">')
    whole = told.findall(page_of(Client(), run, path="log/"))

    monkeypatch.setattr(selectors, "LOG_PAGE", 8)
    pages, older = [], "log/"
    while older:
        shown = page_of(Client(), run, path=older)
        pages.append(told.findall(shown))
        link = re.search(r'rel="next" href="([^"]+)"', shown)
        older = f"log/{link.group(1)}" if link else ""

    assert len(pages) > 3
    assert [each for page in reversed(pages) for each in page] == whole, "the newest page comes first"
    assert all(sum(each.startswith("p") for each in page) <= 10 for page in pages)
    assert told.findall(page_of(Client(), run, path="log/?page=nonsense")) == pages[0]


def test_the_last_post_of_a_stage_ends_with_a_page_for_everybody():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    play(run, ana, do="standing", plan=all_but_the_first_are_home(run))
    for client in (desk_of(ana), desk_of(bo), Client()):
        assert "The stage is over." in page_of(client, run)
        page_of(client, run, path="log/")

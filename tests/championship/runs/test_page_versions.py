"""Pages that poll for news: one small query and 304 while nothing is new, otherwise the page."""

from __future__ import annotations

import html
import re
from datetime import timedelta

import pytest
from django.test import Client

from championship.platform import clock
from championship.rallies import services as rally_services
from championship.runs.play.turn_deadlines import act_on_deadlines
from championship.runs.watch import page_versions
from tests.championship.rallies.factories import drive, organiser_of, started
from tests.championship.runs.factories import careful_turn, desk_of, on_the_road, open_turn, play
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db


def polls_of(client, path, part):
    """The address that a part of a page polls, and the tag of the part."""
    text = client.get(path).content.decode()
    found = re.search(rf'id="{part}"[^>]* data-poll="([^"]*)" data-tag="([^"]*)"', text)
    assert found, f"{part} of {path} asks nothing"
    return html.unescape(found.group(1)), html.unescape(found.group(2))


def ask(client, polls):
    """The response to one poll."""
    address, tag = polls
    return client.get(address, headers={"If-None-Match": tag})


def nothing_new(client, polls, assert_num):
    """The response to a poll that finds nothing new. It takes one query in all, session and account included."""
    with assert_num(1):
        answer = ask(client, polls)
    assert answer.status_code == 304
    assert answer.content == b""
    assert answer["ETag"] == polls[1]
    assert {"Cookie", "Accept-Language"} <= {word.strip() for word in answer["Vary"].split(",")}
    return answer


# The stage page -----------------------------------------------------------------------------------------


def test_while_nobody_moves_polling_takes_one_query(django_assert_num_queries):
    run, (ana, bo) = on_the_road("Ana", "Bo")
    for client in (desk_of(ana), desk_of(bo), signed_in(make_user()), Client()):
        polls = polls_of(client, run.get_absolute_url(), "run")
        ask(client, polls)  # the first poll of a minute notes that the page is open
        nothing_new(client, polls, django_assert_num_queries)


def test_after_a_move_everybody_gets_their_own_page(django_assert_num_queries):
    run, (ana, bo) = on_the_road("Ana", "Bo")
    lookers = [desk_of(ana), desk_of(bo), Client()]
    polls = [polls_of(client, run.get_absolute_url(), "run") for client in lookers]
    play(run, ana, do="lay", plan="1:1.2.l 2:1.3.l", roll="one by one")
    for client, asked in zip(lookers, polls, strict=True):
        answer = ask(client, asked)
        assert answer.status_code == 200
        assert 'id="run"' in answer.content.decode()
        fresh = polls_of(client, run.get_absolute_url(), "run")
        assert fresh[1] in html.unescape(answer.content.decode()), "the fragment brings its tag along"
        nothing_new(client, fresh, django_assert_num_queries)
    assert "/turn/" in ask(lookers[0], polls[0]).content.decode()
    assert "/turn/" not in ask(lookers[2], polls[2]).content.decode()


def test_a_move_in_another_tab_is_news_to_the_first():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    tab = desk_of(ana)
    polls = polls_of(tab, run.get_absolute_url(), "run")
    play(run, ana, **careful_turn(run))
    assert ask(tab, polls).status_code == 200


def test_a_new_deadline_is_news_though_nobody_has_moved(django_assert_num_queries):
    run, (_ana, bo) = on_the_road("Ana", "Bo")
    client = desk_of(bo)
    polls = polls_of(client, run.get_absolute_url(), "run")
    turn = open_turn(run)
    turn.deadline += timedelta(minutes=1)
    turn.save(update_fields=["deadline"])
    assert ask(client, polls).status_code == 200


def test_a_turn_that_the_clock_makes_is_news():
    run, (_ana, bo) = on_the_road("Ana", "Bo")
    client = desk_of(bo)
    polls = polls_of(client, run.get_absolute_url(), "run")
    turn = open_turn(run)
    turn.since = turn.deadline = clock.now()
    turn.save(update_fields=["since", "deadline"])
    assert act_on_deadlines(now=clock.now()) == 1
    assert ask(client, polls).status_code == 200


def test_a_tag_is_good_for_one_reader_only():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    polls = polls_of(desk_of(ana), run.get_absolute_url(), "run")
    for other in (desk_of(bo), Client()):
        assert ask(other, polls).status_code == 200
    nobody = Client(headers={"Accept-Language": "de"})
    german = polls_of(nobody, run.get_absolute_url(), "run")
    nobody.cookies["django_language"] = "pl"
    answer = ask(nobody, german)
    assert answer.status_code == 200
    assert 'lang="pl"' in answer.content.decode()


def test_news_come_in_the_readers_language_and_zone():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    bo.driver.language = "pl"
    bo.driver.save()
    client = desk_of(bo)
    polls = polls_of(client, run.get_absolute_url(), "run")
    play(run, ana, do="lay", plan="1:1.2.l 2:1.3.l", roll="one by one")
    answer = ask(client, polls)
    assert 'lang="pl"' in answer.content.decode()
    assert answer["Content-Language"] == "pl"


@pytest.mark.parametrize("tag", ["", "*", 'W/"0"', '"', "\x00", 'W/"0", ' * 500])
def test_a_damaged_tag_gets_the_page(tag):
    run, _entries = on_the_road("Ana", "Bo")
    assert Client().get(f"/runs/{run.key}/changes/", headers={"If-None-Match": tag}).status_code == 200


def test_polling_an_unknown_run_gets_404():
    assert Client().get("/runs/nobody/changes/", headers={"If-None-Match": 'W/"0"'}).status_code == 404


def test_page_and_poll_agree_on_what_a_page_depends_on():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    for _turn in range(6):
        client = desk_of(ana)
        assert ask(client, polls_of(client, run.get_absolute_url(), "run")).status_code == 304
        play(run, open_turn(run).seat.entry, **careful_turn(run))


# The badge, and my turns ---------------------------------------------------------------------------------


def test_the_badge_polls_with_one_query_for_everybody_who_is_signed_in(django_assert_num_queries):
    _run, (ana, bo) = on_the_road("Ana", "Bo")
    for entry in (ana, bo):
        client = desk_of(entry)
        nothing_new(client, polls_of(client, "/clubs/", "waiting"), django_assert_num_queries)


def test_the_badge_and_the_title_show_how_many_turns_wait():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    page = desk_of(ana).get("/clubs/").content.decode()
    assert "<title>(1) " in page
    theirs = desk_of(bo)
    assert "<title>(" not in theirs.get("/clubs/").content.decode()
    polls = polls_of(theirs, "/clubs/", "waiting")
    while open_turn(run).seat.entry != bo:
        play(run, open_turn(run).seat.entry, **careful_turn(run))
    answer = ask(theirs, polls)
    assert answer.status_code == 200
    assert 'data-count="1"' in answer.content.decode()
    assert "1 turn waits for you" in answer.content.decode()
    assert len(answer.content) < 1000


def test_the_signed_names_of_readers_cannot_be_forged():
    _run, (ana, bo) = on_the_road("Ana", "Bo")
    name = page_versions.signed_name_of(ana.driver)
    for made_up in (f"{bo.driver.pk}", name.replace(str(ana.driver.pk), str(bo.driver.pk), 1), name + "x", "x:y"):
        assert Client().get(f"/turns/changes/{made_up}/").status_code == 404
        assert desk_of(bo).get("/turns/", {"of": made_up}).status_code == 200, "the page stands, it only asks nothing"


def test_the_first_poll_after_signing_out_leads_to_the_sign_in_page():
    _run, (ana, _bo) = on_the_road("Ana", "Bo")
    client = desk_of(ana)
    polls = polls_of(client, "/turns/", "content")
    client.logout()
    answer = ask(client, polls)
    assert answer.status_code == 302
    assert "/account/login/" in answer["Location"]


def test_every_move_in_my_runs_and_no_other_is_news_to_my_turns(django_assert_num_queries):
    run, (ana, bo) = on_the_road("Ana", "Bo")
    other, (zoe,) = on_the_road("Zoe")
    client = desk_of(bo)
    polls = polls_of(client, "/turns/", "content")
    play(other, zoe, **careful_turn(other))
    nothing_new(client, polls, django_assert_num_queries)
    play(run, ana, do="lay", plan="1:1.2.l 2:1.3.l", roll="one by one")
    assert ask(client, polls).status_code == 200


# The pages of a rally ------------------------------------------------------------------------------------

PAGES = ("", "stages/1/", "sheet/", "podium/")


def test_the_pages_of_a_rally_poll_with_one_query(django_assert_num_queries):
    rally, (ana, *_others) = started()
    pages = [(client, page) for client in (desk_of(ana), Client()) for page in PAGES]
    for client, page in [*pages, (signed_in(organiser_of(rally)), "desk/")]:
        polls = polls_of(client, rally.get_absolute_url() + page, "content")
        nothing_new(client, polls, django_assert_num_queries)


@pytest.mark.slow
def test_every_change_of_a_rally_is_news_on_its_pages():
    rally, entries = started("Ana", "Bo", stages=("1/1", "1/2"), mode="open road", auto_start=False)
    ana, bo = entries
    olga = organiser_of(rally)
    looker, organiser = Client(), signed_in(olga)
    acts = [
        lambda: drive(rally, 1, {ana: 200}),
        lambda: rally_services.set_driven_by(by=bo.driver, entry=bo, driven_by="codriver"),
        lambda: drive(rally, 1, {bo: None}),
        lambda: rally_services.close_time_control(by=olga, special_stage=rally.stages.get(number=1)),
        lambda: rally_services.give_penalty(
            by=olga, entry=ana, special_stage=rally.stages.get(number=1), amount=5, reason="Jump start"
        ),
        lambda: rally_services.start_next_stage(by=olga, rally=rally),
    ]
    for act in acts:
        asked = [(looker, polls_of(looker, rally.get_absolute_url() + page, "content")) for page in PAGES]
        asked.append((organiser, polls_of(organiser, rally.get_absolute_url() + "desk/", "content")))
        act()
        for client, polls in asked:
            assert ask(client, polls).status_code == 200

"""The schools: progress, tries that nothing stores, hostile addresses, and the exam."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import signing
from django.test import Client

from championship.accounts.models import User
from championship.platform import clock
from championship.rallies.models import Entry, Rally
from championship.runs.models import Run, SceneDone
from championship.runs.play import drive_codrivers, end_forgotten, mark_done
from championship.runs.play.guest_runs import delete_forgotten
from championship.runs.watch import scenes
from engine import registry
from tests.championship.runs import schooling
from tests.championship.runs.factories import fresh_key
from tests.championship.runs.threads import at_once
from tests.factories import BACKEND, make_user, signed_in

pytestmark = pytest.mark.django_db

MEANT = [{"do": "lay", "plan": "3:1.3.l 4:2.1.l 5:2.2.l", "roll": "flat out"}]
SHORT = [{"do": "lay", "plan": "3:1.3.l", "roll": "flat out"}]


def progress(client: Client) -> str:
    """What the page of the schools says of DIRT."""
    text = schooling.words_of(client.get("/practice/"))
    return text[text.index("Rallyman: DIRT") :][: len("Rallyman: DIRT 10 of 29")].strip()


def test_the_page_shows_each_school_with_progress_and_the_next_scene_one_tap_away():
    client = schooling.stranger()
    assert "0 of 29" in progress(client)
    schooling.drive(client, "dirt", "win", MEANT)
    page = client.get("/practice/")
    assert "1 of 29" in progress(client)
    assert 'href="/practice/dirt/plan/new/"' in page.content.decode()
    assert "0 of 23" in schooling.words_of(page) and "0 of 17" in schooling.words_of(page)
    again = Client()
    assert "0 of 29" in progress(again), "somebody else's progress is their own"


def test_looking_and_failing_write_nothing_and_one_who_has_an_account_keeps_what_is_done():
    ana = make_user("Ana")
    client = signed_in(ana)
    schooling.drive(client, "dirt", "win", SHORT)
    assert not SceneDone.objects.exists() and not User.objects.filter(is_guest=True).exists()
    for _time in range(2):
        schooling.drive(client, "dirt", "win", MEANT)
    assert SceneDone.objects.get().person == ana
    assert not Rally.objects.exists() and not Run.objects.exists()
    assert not User.objects.filter(is_guest=True).exists()


@pytest.mark.django_db(transaction=True)
def test_done_at_the_same_moment_counts_once():
    ana = make_user("Ana")
    at_once(*[lambda: mark_done(by=ana, game="dirt", scene="win")] * 2)
    assert SceneDone.objects.count() == 1


def test_many_scenes_cost_as_few_queries_as_none(django_assert_num_queries):
    ana = make_user("Ana")
    with django_assert_num_queries(1):
        assert scenes.schools(ana)[0].done == 0
    for game in scenes.schooled_games():
        for scene in scenes.scene_school(game).SCENES:
            mark_done(by=ana, game=game, scene=scene.name)
    with django_assert_num_queries(1):
        shown = scenes.schools(ana)
    assert all(school.done == len(school.scenes) and school.following is None for school in shown)
    assert len(shown) >= 3


# Addresses ---------------------------------------------------------------------------------------------------


def test_a_form_sent_twice_leads_to_the_same_page_and_another_try_to_other_dice():
    client, form = schooling.stranger(), {"version": "0", "key": "once", **SHORT[0]}
    address = "/practice/dirt/loss/new/turn/"
    form |= {"plan": "4:3.1.r", "roll": "flat out"}
    first, second = (client.post(address, form)["Location"] for _time in range(2))
    pages = [client.get(each.partition("#")[0]).content for each in (first, second)]
    assert scenes.given_in(first.split("/")[4]) == scenes.given_in(second.split("/")[4])
    assert [b"verdict" in page for page in pages] == [True, True]


@pytest.mark.parametrize("game", ["dirt", "formula_d", "dust", "chess"])
@pytest.mark.parametrize("name", ["win", "nothing"])
@pytest.mark.parametrize("so_far", ["new", "x", "0" * 7000, "[]", "signed"])
def test_tired_and_hostile_addresses_lead_to_the_beginning_or_to_nothing(game, name, so_far):
    client = Client()
    so_far = signing.dumps([["k", {}]]) if so_far == "signed" else so_far  # signed by us, but for something else
    answer = client.get(f"/practice/{game}/{name}/{so_far}/")
    if game == "chess" or name == "nothing":
        assert answer.status_code == 404
    elif so_far == "new":
        assert answer.status_code == 200
    else:
        assert answer["Location"] == f"/practice/{game}/{name}/new/"
    for form in ("turn", "draft"):
        sent = client.post(f"/practice/{game}/{name}/{so_far}/{form}/", {"do": "no such", "plan": "\x00[{" * 50})
        assert sent.status_code in (302, 404, 422)
        assert client.get(f"/practice/{game}/{name}/{so_far}/{form}/").status_code in (302, 404)
    assert client.get(f"/practice/{game}/{name}/{so_far}/at/?x=nan&y=1").status_code == 404
    assert not SceneDone.objects.exists()


def test_a_refusal_names_the_rule_and_keeps_what_was_laid():
    client = schooling.stranger()
    form = {"version": "0", "key": fresh_key(), "do": "lay", "plan": "3:1.3.l 3:2.1.l", "roll": "flat out"}
    answer = client.post("/practice/dirt/win/new/turn/", form)
    assert answer.status_code == 422
    said = schooling.words_of(answer)
    assert "D2" in said and "Move 2:" in said
    assert 'name="plan" value="3:1.3.l"' in answer.content.decode(), "the legal part is kept"
    laid = client.post("/practice/dirt/win/new/draft/", {"version": "0", "plan": "3:1.3.l", "move": "4:2.1.l"})
    assert laid["Location"].startswith("/practice/dirt/win/new/?plan=3%3A1.3.l+4%3A2.1.l")
    far = client.post("/practice/dirt/win/new/draft/", {"version": "0", "plan": "", "to": "2.1.l"})
    assert "2.1.l" in far["Location"], "a tap on a far space lays the way there"


def test_more_posts_than_a_scene_needs_are_refused():
    with pytest.raises(Exception, match="more than this scene needs"):
        scenes.so_far([("key", {"do": "roll"})] * (scenes.MOST_POSTS + 1))


def test_an_answer_that_is_none_is_refused():
    client = schooling.stranger()
    sent = client.post("/practice/dirt/order/new/turn/", {"version": "0", "key": fresh_key(), "answer": "x"})
    assert sent.status_code == 422 and "Choose one of the answers." in schooling.words_of(sent)


def test_after_an_answer_the_page_tells_which_one_it_was():
    scene, client = scenes.scene_of("dirt", "order"), schooling.stranger()
    for name, words in scene.answers:
        form = {"version": "0", "key": fresh_key(), "answer": name}
        page = client.post("/practice/dirt/order/new/turn/", form, follow=True)
        assert f"Your answer: {words}" in schooling.words_of(page)


@pytest.mark.parametrize("language", ["pl", "de"])
def test_every_scene_opens_in_every_language(language):
    client = signed_in(make_user("Ana", language=language))
    for game in scenes.schooled_games():
        for scene in scenes.scene_school(game).SCENES:
            page = client.get(schooling.start(game, scene.name))
            assert page.status_code == 200 and f'lang="{language}"' in page.content.decode(), scene.name


# Guests ------------------------------------------------------------------------------------------------------


def test_what_a_guest_has_done_comes_along_once_and_stays_while_the_guest_learns(at):
    at("2026-11-19T12:00")
    client = schooling.stranger()
    schooling.drive(client, "dirt", "win", MEANT)
    guest = User.objects.get(is_guest=True)
    mark_done(by=guest, game="dirt", scene="plan")
    at("2026-11-25T12:00")
    assert delete_forgotten(clock.now() - timedelta(days=7)) == 0
    ana = make_user("Ana")
    mark_done(by=ana, game="dirt", scene="win")
    client.force_login(ana, backend=BACKEND)
    assert set(SceneDone.objects.values_list("person", "scene")) == {(ana.pk, "win"), (ana.pk, "plan")}
    assert not User.objects.filter(is_guest=True).exists()
    other = schooling.stranger()
    schooling.drive(other, "dirt", "win", MEANT)
    at("2026-12-03T12:00")
    assert delete_forgotten(clock.now() - timedelta(days=7)) == 1
    assert SceneDone.objects.count() == 2


def test_where_no_more_guests_are_taken_one_learns_all_the_same(settings):
    settings.GUESTS_AT_ONCE = 0
    page = schooling.drive(schooling.stranger(), "dirt", "win", MEANT)
    assert schooling.verdict(page).startswith("Done.")
    assert not SceneDone.objects.exists()


# The exam ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seconds", [1, 999])
def test_the_exam_is_passed_when_the_codriver_is_not_better(seconds):
    ana = make_user("Ana")
    client = signed_in(ana)
    assert client.post("/practice/", {"game": "dirt", "exercise": "exam"}).status_code == 302
    run = Run.objects.get()
    assert "You pass when you finish" in schooling.words_of(client.get(run.get_absolute_url()))
    rules = registry.get("dirt")
    for _turn in range(200):
        drive_codrivers(run_id=run.pk)
        run.refresh_from_db()
        if not rules.to_play(run.state):
            break
        orders = dict(rules.autopilot(run.state, "1"))
        state = {**run.state, "drivers": {**run.state["drivers"]}}
        state["drivers"]["1"] = {**state["drivers"]["1"], "cards": [seconds]}
        Run.objects.filter(pk=run.pk).update(state=state)
        form = {key: ("yes" if value else "no") if key == "take" else value for key, value in orders.items()}
        form = {key: value for key, value in form.items() if value is not False}
        sent = client.post(f"{run.get_absolute_url()}turn/", {"version": run.version, "key": fresh_key(), **form})
        assert sent.status_code == 302
        run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    assert SceneDone.objects.filter(person=ana, scene="exam").exists() == (seconds == 1)
    said = schooling.words_of(client.get(run.get_absolute_url()))
    assert ("Passed. You are ready" in said) == (seconds == 1)
    assert "The stage is over. Exam:" in said, "the verdict is at the top of the finish card"
    assert (b'class="badge done">passed' in client.get("/practice/").content) == (seconds == 1)
    mark_done(by=ana, game="dirt", scene="exam")
    said = schooling.words_of(client.get(run.get_absolute_url()))
    assert ("Passed. You are ready" in said) == (seconds == 1), "an earlier pass is not this attempt's"
    assert ("the codriver was better. You have passed before" in said) == (seconds == 999)
    assert "Try again" in said
    assert end_forgotten(now=clock.now()) == 0


@pytest.mark.parametrize("game", ["dirt", "formula_d", "dust"])
def test_each_exam_begins_against_one_codriver_and_shows_no_lessons(game):
    client = signed_in(make_user("Ana"))
    run = client.post("/practice/", {"game": game, "exercise": "exam"})["Location"]
    page = client.get(run)
    assert page.status_code == 200
    said = schooling.words_of(page)
    assert "You pass when you finish and the codriver is not better." in said and "lessons" not in said
    assert len(Run.objects.get().state["cars" if game == "formula_d" else "drivers"]) == 2
    assert [entry.manner for entry in Entry.objects.order_by("start_number")] == ["", "learner"]

"""Guided practice: a private stage on which nothing counts, with lessons that say what to try next."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client

from championship.clubs.models import Club, Membership
from championship.deadlines.services.sweeping import remind
from championship.games.dirt import lessons
from championship.notices.models import Notice
from championship.platform import clock
from championship.platform.refusals import Refused
from championship.rallies.models import Entry, Rally
from championship.runs.models import Practice, Run, Turn
from championship.runs.play import (
    act_on_deadlines,
    begin_practice,
    end_forgotten,
    play_turn,
    skip_lesson,
)
from championship.runs.watch import practice, proof
from championship.runs.watch.practice import DONE, NOW, SKIPPED, TO_COME, Seen, standings
from engine import chance, record, registry
from engine.dirt import legal_moves
from tests.championship.runs.factories import before_the_finish, fresh_key, put
from tests.championship.runs.threads import at_once
from tests.factories import make_club, make_user, signed_in

pytestmark = pytest.mark.django_db


def practising(name="Ana"):
    """A person who has begun practice, their browser and their run."""
    ana = make_user(name)
    client = signed_in(ana)
    answer = client.post("/practice/")
    assert answer.status_code == 302
    run = Run.objects.get(special_stage__rally__practised__person=ana, special_stage__rally__practised__ended_at=None)
    assert answer["Location"] == run.get_absolute_url()
    return ana, client, run


def drive(by, run, **orders):
    """Play a step of a turn, and refresh `run`."""
    run.refresh_from_db()
    play_turn(by=by, run=run, orders=orders, version=run.version, key=fresh_key())
    run.refresh_from_db()


def panel_of(client, run, **query):
    """The lessons on the stage page: how many are done, their total, the current one's title, and the panel's text."""
    text = client.get(run.get_absolute_url(), query).content.decode()
    panel = re.search(r'<section class="card practice".*?</section>', text, re.S)
    assert panel, "no lessons on the page"
    said = " ".join(re.sub(r"<[^>]+>", " ", panel.group()).split())
    done, total = map(int, re.search(r"(\d+) of (\d+) lessons", said).groups())
    current = re.search(r"<h3>\d+\. (.*?)</h3>", panel.group())
    return done, total, current and current.group(1), said


# On the stage --------------------------------------------------------------------------------------------


def test_one_press_leads_to_the_practice_stage():
    _ana, client, run = practising()
    done, total, current, said = panel_of(client, run)
    assert (done, total, current) == (0, len(lessons.LESSONS), "Lay a plan")
    assert "D3" in said
    page = client.get(run.get_absolute_url()).content.decode()
    assert 'class="deadline' not in page, "nobody is in a hurry"


def test_pressing_again_leads_to_the_same_stage_and_starting_over_to_a_new_one():
    ana, client, run = practising()
    drive(ana, run, do="standing", plan="1:1.2.l 2:1.3.l", roll="flat out")
    assert client.post("/practice/")["Location"] == run.get_absolute_url()
    other_stage = client.post("/practice/", {"anew": "yes"})["Location"]
    assert other_stage != run.get_absolute_url()
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    assert Practice.objects.filter(person=ana, ended_at=None).count() == 1
    assert Rally.objects.filter(practice=True, status=Rally.Status.RUNNING).count() == 1


def test_a_visitor_reads_the_list_of_lessons_and_begins_without_an_account():
    page = Client().get("/practice/").content.decode()
    for lesson in lessons.LESSONS:
        assert str(lesson.title) in page.replace("&#x27;", "'")
    assert "You need no account here" in page
    assert not Rally.objects.exists()
    answer = Client().post("/practice/")
    assert answer["Location"] == Run.objects.get().get_absolute_url()


def test_the_stage_is_legal_and_can_be_driven_to_the_end():
    rules = registry.get("dirt")
    stage = rules.read_course(lessons.STAGE)
    options = rules.alone(rules.clean_options({}))
    for number in range(20):
        state = rules.setup(stage, [{"id": "1", "car": rules.new_luggage(options)}], options)
        luck = chance.SeededChance(bytes([number]) * chance.SECRET_BYTES)
        while rules.to_play(state):
            state, _events = rules.play(state, "1", rules.autopilot(state, "1"), luck)
        assert 3 <= state["drivers"]["1"]["turns"] <= 15
        assert not state["drivers"]["1"]["retired"]


# Lessons ---------------------------------------------------------------------------------------------------


def event(kind, **data):
    return {"kind": kind, "driver": "1", **data}


SHOWN_BY = {
    "plan": [event("turn", plan="1:1.2.l 2:1.3.l")],
    "one by one": [event("roll", faces=[False])],
    "time card": [event("card", side="front", gear=2)],
    "slide": [event("move", space="3.1.s1", gear=3), event("end of turn")],
    "bend": [event("move", space="3.2.i1", gear=3), event("end of turn")],
    "drift": [event("move", space="3.2.o1", gear=3), event("end of turn")],
    "flat out": [event("roll all", faces=[[False]])],
    "loss of control": [event("loss", rule="M1")],
    "finish": [event("finish", seconds=60)],
}


def test_every_lesson_is_done_by_its_own_events_and_not_by_less():
    assert set(SHOWN_BY) == {lesson.name for lesson in lessons.LESSONS}
    for lesson in lessons.LESSONS:
        assert not lesson.done(Seen([])), f"{lesson.name} is done before anything has happened"
        assert lesson.done(Seen(SHOWN_BY[lesson.name])), lesson.name
    by_name = {lesson.name: lesson for lesson in lessons.LESSONS}
    assert not by_name["plan"].done(Seen([event("turn", plan="1:1.2.l")], plan="1:1.2.l"))
    assert by_name["plan"].done(Seen([], plan="1:1.2.l 2:1.3.l")), "a draft is enough"
    assert not by_name["time card"].done(Seen([event("card", side="back", gear=2)]))
    for lost in (event("loss", rule="M1"), event("phase", phase="lost", rule="M1")):
        assert not by_name["bend"].done(Seen([event("move", space="3.2.i1", gear=5), lost]))
    assert not by_name["drift"].done(Seen(SHOWN_BY["bend"]))
    assert not by_name["slide"].done(Seen([event("move", space="2.1.l", gear=3), event("end of turn")]))


def test_the_first_lesson_that_is_neither_done_nor_skipped_is_the_next():
    names = [lesson.name for lesson in lessons.LESSONS]
    seen = Seen([*SHOWN_BY["one by one"]])
    shown = {each.lesson.name: each.standing for each in standings(lessons.LESSONS, seen, ["plan", "one by one"])}
    assert shown["plan"] == SKIPPED
    assert shown["one by one"] == DONE, "what was skipped and done after all is done"
    assert shown["time card"] == NOW
    assert [shown[name] for name in names[3:]] == [TO_COME] * len(names[3:])


def test_the_panel_follows_what_the_driver_does():
    ana, client, run = practising()
    assert panel_of(client, run, plan="1:1.2.l 2:1.3.l")[:3] == (1, 9, "Roll one by one")
    drive(ana, run, do="lay", plan="1:1.2.l 2:1.3.l", roll="one by one")
    drive(ana, run, do="roll")
    assert panel_of(client, run)[2] == "End a turn in control"
    drive(ana, run, do="stop")
    assert panel_of(client, run)[:3] == (3, 9, "Slide")
    line = re.search(r'class="asks"><summary>(.*?)</summary>', client.get(run.get_absolute_url()).content.decode())
    assert line and "4. Slide" in line[1], "the line over the map asks for the same"


def test_a_loss_of_control_is_offered_and_explained_when_it_has_happened():
    ana, client, run = practising()
    for lesson in lessons.LESSONS:
        if lesson.name != "loss of control":
            skip_lesson(by=ana, name=lesson.name)
    put(run, Entry.objects.get(driver=ana), space="3.1.l", gear=5, started=True, on_track=True, sisu=False)
    said = panel_of(client, run)[3]
    assert "Right now it is certain on 3.2" in said
    rules = registry.get("dirt")
    (move, *_more) = [move.text for move in legal_moves.choices(run.state, "1", "").moves if move.loses == "M1"]
    orders = {"do": "standing", "plan": move, "roll": "one by one"}
    explained = set()
    for back, words in (("spin", "said spin"), ("crash", "said crash"), ("sisu", "said SISU")):
        deck = {name: int(name.startswith(back)) for name in run.state["decks"]["4"]}
        state = {**run.state, "decks": dict.fromkeys(run.state["decks"], deck)}
        _state, events = rules.play(state, "1", orders, chance.SeededChance(b"x" * chance.SECRET_BYTES))
        explained.add(lessons.happened(events))
        assert words in lessons.happened(events)
    assert len(explained) == 3
    drive(ana, run, **orders)
    done, _total, current, said = panel_of(client, run)
    assert current is None
    assert done >= 1
    assert "You lost control and the card said" in said


def test_a_lesson_is_skipped_once_and_nonsense_is_refused():
    ana, client, run = practising()
    for _time in range(2):
        answer = client.post("/practice/skip/", {"lesson": "plan"})
        assert answer["Location"] == run.get_absolute_url()
    assert panel_of(signed_in(ana), run)[2] == "Roll one by one"
    assert Practice.objects.get(person=ana).skipped == ["plan"]
    assert client.post("/practice/skip/", {"lesson": "no such"}).status_code == 422
    with pytest.raises(Refused):
        skip_lesson(by=ana, name="x" * 10_000)
    client.post("/practice/skip/", {"all": "yes"})
    assert panel_of(client, run)[2] is None
    assert "drive on as you like" in panel_of(client, run)[3]
    assert signed_in(make_user()).post("/practice/skip/", {"lesson": "plan"}).status_code == 404


def test_at_the_end_the_page_shows_what_was_learned_and_what_comes_next():
    ana, client, run = practising()
    there, move = before_the_finish(run)
    put(run, Entry.objects.get(driver=ana), cards=[100], **there)
    drive(ana, run, do="standing", plan=move, roll="flat out")
    assert run.status == Run.Status.FINISHED
    assert Rally.objects.get().status == Rally.Status.FINISHED, "no time control, nothing left to wait for"
    assert Practice.objects.get().ended_at is not None
    _done, _total, _current, said = panel_of(client, run)
    assert "Join a club" in said
    assert "Drift" in said, "what the stage did not come to"
    card = client.get(run.get_absolute_url()).text
    assert "<dt>Time</dt>" in card and "<dt>Place</dt>" not in card, "a driver alone has no place"
    assert client.post("/practice/")["Location"] != run.get_absolute_url()


def test_leaving_ends_it_and_leaving_again_changes_nothing():
    ana, client, run = practising()
    drive(ana, run, do="lay", plan="1:1.2.l 2:1.3.l", roll="one by one")
    for _time in range(2):
        assert client.post("/practice/leave/")["Location"] == "/practice/"
        run.refresh_from_db()
        assert run.status == Run.Status.FINISHED
    assert record.verify(proof.record_of(run)) is None, "its chance can be checked as any other's"
    assert practice.under_way(ana) is None


def test_only_the_pupil_sees_lessons_and_drives():
    _ana, _client, run = practising()
    for looker in (Client(), signed_in(make_user())):
        page = looker.get(run.get_absolute_url()).content.decode()
        assert 'class="card practice"' not in page
        assert "/turn/" not in page


# What practice leaves alone -------------------------------------------------------------------------------


def test_practice_is_on_no_list_counts_as_no_turn_and_writes_to_nobody():
    ana, client, run = practising()
    drive(ana, run, do="standing", plan="1:1.2.l 2:1.3.l", roll="flat out")
    page = client.get("/turns/").content.decode()
    assert run.get_absolute_url() not in page
    assert 'class="card turn"' not in page
    assert "Drive on" in page
    assert 'class="count"' not in page
    assert "<title>(" not in page
    assert not Notice.objects.exists()
    school = Club.objects.get()
    assert not Membership.objects.filter(club=school).exists()
    for path in ("", "members/", "log/", "invitations/", "rallies/new/", "stages/"):
        assert client.get(f"/clubs/{school.slug}/{path}").status_code == 404
    assert school.name not in client.get("/clubs/").content.decode()
    other = make_club()
    olgas = signed_in(other.memberships.get().user)
    assert "Practice: dirt" not in olgas.get(f"/clubs/{other.slug}/rallies/new/").content.decode()


def test_a_club_may_have_the_same_name_as_the_driving_school():
    _ana, _client, _run = practising()
    assert make_club(name="Driving school").slug == "driving-school"
    begin_practice(by=make_user())
    assert Rally.objects.filter(practice=True).values("club").distinct().count() == 1


def test_the_clock_leaves_practice_alone_until_it_is_forgotten():
    ana, _client, run = practising()
    drive(ana, run, do="standing", plan="1:1.2.l 2:1.3.l", roll="flat out")
    now = clock.now()
    later = now + timedelta(days=29)
    assert remind(now=later) == act_on_deadlines(now=later) == end_forgotten(now=later) == 0
    Turn.objects.filter(run=run, ended_at=None).update(deadline=now)
    assert act_on_deadlines(now=later) == 0
    much_later = now + timedelta(days=31)
    assert act_on_deadlines(now=much_later) == 0
    assert end_forgotten(now=much_later) == 1
    assert end_forgotten(now=much_later) == 0
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    assert not Notice.objects.exists()


def test_starting_over_too_often_is_refused(monkeypatch):
    monkeypatch.setattr("championship.runs.play.practice_runs.MOST_AN_HOUR", 3)
    ana, client, _run = practising()
    for _again in range(2):
        client.post("/practice/", {"anew": "yes"})
    last = Practice.objects.get(person=ana, ended_at=None)
    answer = client.post("/practice/", {"anew": "yes"})
    assert answer.status_code == 422
    assert "many times within an hour" in answer.content.decode()
    assert Practice.objects.get(person=ana, ended_at=None) == last, "the stage that is driven stays"
    assert client.post("/practice/").status_code == 302, "and can be driven on"
    Practice.objects.update(begun_at=clock.now() - timedelta(minutes=61))
    assert client.post("/practice/", {"anew": "yes"}).status_code == 302


@pytest.mark.django_db(transaction=True)
def test_two_presses_at_once_lead_to_one_stage():
    ana = make_user("Ana")
    runs = at_once(*[lambda: begin_practice(by=ana).pk] * 2)
    assert len(set(runs)) == 1
    assert Practice.objects.count() == 1


@pytest.mark.parametrize(("language", "word"), [("en", "Practice"), ("pl", "Trening")])
def test_a_stage_begun_in_german_is_called_practice_in_the_language_of_its_reader(language, word):
    ana, client, run = practising()
    Rally.objects.filter(practice=True).update(name="Übung")
    ana.language = language
    ana.save(update_fields=["language"])
    pages = [client.get(f"{run.get_absolute_url()}{part}").content.decode() for part in ("", "log/", "replay/")]
    assert [word in page and "Übung" not in page for page in pages] == [True, True, True]


@pytest.mark.parametrize("language", ["en", "pl", "de"])
def test_practice_speaks_every_language(language):
    ana = make_user("Ana", language=language)
    client = signed_in(ana)
    assert f'lang="{language}"' in client.get("/practice/").content.decode()
    address = client.post("/practice/")["Location"]
    assert client.get(address).status_code == 200


def test_a_practice_stage_takes_few_queries(django_assert_max_num_queries):
    ana, client, run = practising()
    drive(ana, run, do="standing", plan="1:1.2.l 2:1.3.l", roll="flat out")
    with django_assert_max_num_queries(15):
        assert client.get(run.get_absolute_url()).status_code == 200

"""The talk beside a run: who reads and says what, limits, hiding, and what streams tell."""

from __future__ import annotations

import html
import re

import pytest
from django.http import Http404
from django.test import Client

from championship.accounts.models import User
from championship.archive.own_data import own_data
from championship.clubs.models import Role
from championship.evenings.models import LONGEST_WORD, Circle, Word
from championship.evenings.talk import services
from championship.evenings.talk.selectors import part_of, stream_versions, talk_of
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused
from championship.rallies.models import Rally, SpecialStage
from championship.runs.models import Run
from championship.runs.watch.live import SPECTATOR, topics_for
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs.evening import in_an_evening
from tests.championship.runs.factories import careful_turn, open_turn, play
from tests.factories import make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def table():
    """A run in an evening, its two drivers, and a member who watches."""
    run, (ana, bo) = in_an_evening("Ana", "Bo")
    return run, ana.driver, bo.driver, make_member(run.special_stage.rally.club, roles=[Role.DRIVER])


def heard(run, viewer):
    return [word.says for word in talk_of(Run.objects.get(pk=run.pk), viewer).words]


def over(run):
    SpecialStage.objects.filter(pk=run.special_stage_id).update(status=SpecialStage.Status.DONE, closed_at=clock.now())


def test_drivers_and_spectators_are_apart_until_the_stage_is_over(table):
    run, ana, bo, fan = table
    services.say(by=ana, run=run, text="  Careful at the bridge ")
    services.say(by=fan, run=run, text="She will crash there")
    assert list(Word.objects.values_list("circle", flat=True)) == [Circle.DRIVERS, Circle.SPECTATORS]
    assert heard(run, bo) == ["Careful at the bridge"] == heard(run, SPECTATOR)
    assert heard(run, fan) == ["She will crash there", "Careful at the bridge"]
    assert "crash" not in signed_in(bo).get(f"/runs/{run.key}/talk/").text
    assert "crash" not in Client().get(f"/runs/{run.key}/talk/").text
    assert "crash" in signed_in(fan).get(f"/runs/{run.key}/talk/").text
    over(run)
    assert heard(run, bo) == ["She will crash there", "Careful at the bridge"] == heard(run, SPECTATOR)
    with pytest.raises(Forbidden):
        services.say(by=ana, run=run, text="Too late")


def test_a_driver_does_not_hear_that_spectators_talk(table):
    run, ana, bo, fan = table
    client = signed_in(bo)
    tag = re.findall(r'data-tag="(W/"\w+")"', html.unescape(client.get(f"/runs/{run.key}/talk/").text))[-1]
    topics = [f"talk drivers {run.key}", f"run {run.key}", f"talk all {run.key}"]
    before = stream_versions(topics)
    services.say(by=fan, run=run, text="Psst")
    after = stream_versions(topics)
    assert [before[topic] == after[topic] for topic in topics] == [True, True, False]
    assert client.get(f"/runs/{run.key}/talk/", headers={"If-None-Match": tag}).status_code == 304
    services.say(by=ana, run=run, text="Hello")
    assert [after[topic] == stream_versions(topics)[topic] for topic in topics] == [False, False, False]
    assert client.get(f"/runs/{run.key}/talk/", headers={"If-None-Match": tag}).status_code == 200
    heard_by = {person: topics_for(run, person) for person in (bo, SPECTATOR, fan)}
    assert heard_by[bo] == heard_by[SPECTATOR] == [f"run {run.key}"], "the page of a run has one stream"
    assert heard_by[fan] == [f"run {run.key}", f"talk all {run.key}"]


def test_the_talk_is_closed_while_results_are_sealed(table):
    run, ana, bo, fan = table
    services.say(by=ana, run=run, text="The first one is icy")
    Run.objects.filter(pk=run.pk).update(common=b"x" * 32)
    run = Run.objects.get(pk=run.pk)
    for person in (ana, bo):
        assert part_of(run, person).sealed and heard(run, person) == []
        with pytest.raises(Forbidden):
            services.say(by=person, run=run, text="It rolls high")
    assert signed_in(ana).post(f"/runs/{run.key}/talk/", {"text": "It rolls high"}).status_code == 403
    assert Word.objects.count() == 1
    assert "icy" not in signed_in(fan).get(f"/runs/{run.key}/talk/").text
    assert stream_versions([f"talk all {run.key}"]) == {f"talk all {run.key}": []}


def test_only_people_of_the_evening_talk(table):
    run, ana, _bo, fan = table
    rally = run.special_stage.rally
    bot, guest = make_member(rally.club), make_member(rally.club, roles=[Role.GUEST])
    User.objects.filter(pk=bot.pk).update(is_bot=True)
    for person in (User.objects.get(pk=bot.pk), guest):
        with pytest.raises(Forbidden):
            services.say(by=person, run=run, text="Hello")
    with pytest.raises((Forbidden, Http404)):
        services.say(by=make_user("Stranger"), run=run, text="Hello")
    assert Client().post(f"/runs/{run.key}/talk/", {"text": "Hello"}).status_code == 302
    Rally.objects.filter(pk=rally.pk).update(evening_since=None)
    for person in (ana, fan):
        with pytest.raises(Forbidden):
            services.say(by=person, run=run, text="Hello")
    assert not Word.objects.exists()


def test_words_belong_to_a_turn_and_the_same_twice_is_once(table):
    run, ana, _bo, _fan = table
    first = services.say(by=ana, run=run, phrase="well driven")
    assert services.say(by=ana, run=run, phrase="well driven") == first
    assert first.turn == 0
    driver = open_turn(run).seat.entry
    while open_turn(run).seat.entry == driver:
        play(run, driver, **careful_turn(run))
    again = services.say(by=ana, run=run, phrase="well driven")
    assert again != first
    assert again.turn == run.turns.filter(ended_at__isnull=False).count() > 0


@pytest.mark.parametrize("text", ["", "  ", "x" * (LONGEST_WORD + 1), "a\x00b", "two\nlines", "\u202eabc"])
def test_hostile_words_are_refused_and_kept_in_the_field(table, text):
    run, ana, _bo, _fan = table
    with pytest.raises(Refused) as refused:
        services.say(by=ana, run=run, text=text)
    assert refused.value.field == "text"
    answer = signed_in(ana).post(f"/runs/{run.key}/talk/", {"text": text})
    assert answer.status_code == 422
    assert not Word.objects.exists()


def test_an_unknown_phrase_and_too_many_words_are_refused(table, monkeypatch):
    run, ana, bo, _fan = table
    with pytest.raises(Refused, match="phrases"):
        services.say(by=ana, run=run, phrase="boo")
    for number in range(services.MOST_A_MINUTE):
        services.say(by=ana, run=run, text=f"{number}")
    with pytest.raises(Refused, match="a minute"):
        services.say(by=ana, run=run, text="one more")
    services.say(by=bo, run=run, text="I may")
    monkeypatch.setattr(services, "MOST_A_MINUTE", 99)
    monkeypatch.setattr(services, "MOST_A_DAY", services.Word.objects.filter(author=ana).count())
    with pytest.raises(Refused, match="a day"):
        services.say(by=ana, run=run, text="one more")
    monkeypatch.setattr(services, "MOST", Word.objects.count())
    with pytest.raises(Refused, match="no room"):
        services.say(by=bo, run=run, text="one more")


def test_a_steward_hides_and_an_author_takes_back(table):
    run, ana, bo, fan = table
    rude = services.say(by=ana, run=run, text="You idiot")
    mine = services.say(by=ana, run=run, text="Sorry")
    for person in (bo, fan):
        assert signed_in(person).post(f"/words/{rude.pk}/hide/", {"reason": "x"}).status_code == 404
        assert signed_in(person).post(f"/words/{rude.pk}/take-back/").status_code == 404
    steward = signed_in(organiser_of(run.special_stage.rally))
    assert steward.post(f"/words/{rude.pk}/hide/", {"reason": ""}).status_code == 422
    assert steward.post(f"/words/{rude.pk}/hide/", {"reason": "Rude"}).status_code == 302
    assert steward.post(f"/words/{rude.pk}/hide/", {"reason": "Again"}).status_code in (302, 404)
    rude.refresh_from_db()
    assert rude.hidden_reason == "Rude"
    assert heard(run, bo) == ["Sorry"]
    assert heard(run, ana) == ["Sorry", "You idiot"]
    assert "Rude" in signed_in(ana).get(f"/runs/{run.key}/talk/").text
    signed_in(ana).post(f"/words/{rude.pk}/take-back/")
    assert Word.objects.filter(pk=rude.pk).exists(), "hidden words stay"
    for _twice in range(2):
        assert signed_in(ana).post(f"/words/{mine.pk}/take-back/").status_code == 302
    assert not Word.objects.filter(pk=mine.pk).exists()
    assert any(name.startswith("evenings.word") for name in own_data(ana))


def test_a_spectators_words_are_no_address_for_a_driver(table):
    run, _ana, bo, fan = table
    secret = services.say(by=fan, run=run, text="Psst")
    assert signed_in(bo).get(f"/words/{secret.pk}/hide/").status_code == 404
    assert signed_in(bo).post(f"/words/{secret.pk}/take-back/").status_code == 404
    club = run.special_stage.rally.club
    club.memberships.filter(user=bo).update(roles=[Role.STEWARD])
    assert signed_in(bo).get(f"/words/{secret.pk}/hide/").status_code == 404, "a steward who drives"


@pytest.mark.parametrize("words", [1, 6])
def test_the_page_takes_as_many_queries_for_many_words(table, words, django_assert_max_num_queries):
    run, ana, bo, _fan = table
    for number in range(words):
        services.say(by=ana if number % 2 else bo, run=run, text=f"{number}")
    run = Run.objects.select_related("special_stage__rally__club").get(pk=run.pk)
    with django_assert_max_num_queries(4):
        assert len(talk_of(run, bo).words) == words

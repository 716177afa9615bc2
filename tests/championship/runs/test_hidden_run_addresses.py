"""What was rolled and laid in a run with shared dice is hidden: every address, by role, method and kind of request.

People who may not watch Ana's run (door.py) learn nothing about it anywhere on the site.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.urls import get_resolver, reverse
from django.utils import timezone

from championship.accounts.models import User
from championship.notices.models import Notice
from championship.papers import services as paper_cache
from championship.papers.models import KeptPaper
from championship.papers.services import keeping
from championship.platform import clock
from championship.platform.refusals import Refused
from championship.rallies.models import StageTime, TimeByHand
from championship.rallies.templatetags.times import stage_time
from championship.runs.models import Run, Turn
from championship.runs.play import keep_missing_ledgers
from championship.stewards.services import decide
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs.factories import driven_to_the_end
from tests.championship.runs.hidden_run import (
    AROUND,
    CREW,
    ELSEWHERE,
    FILES_OF_FILMS,
    KEPT_OUT,
    LEDGERS,
    LET_IN,
    POSTED,
    POSTING,
    RUN,
    SECONDS,
    Scene,
    addresses,
    asked,
    built,
    leaks,
    refusals,
    routes,
    text_of,
)
from tests.factories import make_member, signed_in

pytestmark = pytest.mark.django_db

OF_STAGES = {name for name in RUN if name.startswith(("runs:stage_", "films:stage_"))}
TIMES_ON = {"papers:sheet_pdf", "papers:results_pdf", "papers:results_csv"}
PAPERS = TIMES_ON | {"papers:results_xlsx", "papers:podium_png", "papers:start_list_pdf", "papers:stage_start_list_pdf"}


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[Scene]:
    """The scene, built once for this module. It is rolled back at the end."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield built()
        transaction.set_rollback(True)


@pytest.fixture
def scene(world: Scene) -> Scene:
    """The scene as it was built, with an empty cache."""
    cache.clear()
    return copy.deepcopy(world)


def test_every_address_is_listed_as_one_that_shows_a_run_or_not():
    names = {name for name, _route in routes(get_resolver())}
    unlisted = {name for name in names - RUN - AROUND if not ELSEWHERE.fullmatch(name)}
    assert not unlisted, "put these into RUN, AROUND or ELSEWHERE"
    assert not (RUN | AROUND) - names, "these are no more"


def test_every_address_with_the_key_of_a_run_or_a_rally_is_tested():
    """`runs:proof` is not in RUN: it is shown while the run is hidden, but without its secrets."""
    found = list(routes(get_resolver()))
    assert {name for name, route in found if route.startswith("runs/<")} == RUN - OF_STAGES | {"runs:proof"}
    kinds = ("rallies/<", "championships/<", "protests/<", "decisions/<")
    about = {name for name, route in found if route.startswith(kinds)}
    assert about - RUN - AROUND == {
        "seasons:class_table",
        "seasons:class_scores",
        "seasons:team_scores",
        "seasons:withdraw_points",
        "seasons:registration",
        "seasons:nominate",
        "seasons:withdraw",
        "lists:remove_round",
    }


@pytest.mark.slow
@pytest.mark.parametrize("role", KEPT_OUT)
def test_every_address_of_the_run_refuses_people_who_may_not_watch_in_the_same_way(scene, role):
    wrong, client = [], scene.client(scene.people[role])
    for name, address in addresses(scene, RUN):
        for way, whole, answer in refusals(scene, name, address, client):
            at_sign_in = answer.status_code == 302 and "/account/" in answer["Location"] and role == "a stranger"
            refused = answer.status_code == 403 and (
                way == "head" or "runs/not_yet.html" in [each.name for each in answer.templates]
            )
            if not (refused or at_sign_in or answer.status_code == 405) or leaks(scene, answer):
                wrong.append((way, whole, name, answer.status_code, leaks(scene, answer)))
    assert not wrong


@pytest.mark.slow
@pytest.mark.parametrize("role", KEPT_OUT)
def test_pages_around_the_run_say_nothing_about_it(scene, role):
    wrong, shown, client = [], 0, scene.client(scene.people[role])
    for name, address in addresses(scene, AROUND):
        for way in ("get", "post") if role in POSTING else ("get",):
            answer = asked(client, way, address, {}, {})
            shown += answer.status_code == 200
            if answer.status_code >= 500 or answer.status_code == 429 or leaks(scene, answer):
                wrong.append((way, name, answer.status_code, leaks(scene, answer)))
    assert not wrong
    assert shown > 15, "pages are shown at all"


@pytest.mark.slow
def test_the_administration_shows_no_time_of_the_hidden_run(scene):
    """An operator may drive too, so neither a list nor a page of a row shows the time.

    Single notices are not checked: a notice belongs to its recipient.
    """
    operator = scene.people["a member"]
    operator.is_staff = operator.is_superuser = True
    operator.save()
    client = scene.client(operator)
    wrong, shown = [], 0
    for model in admin.site._registry:
        site = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        rows = model.objects.values_list("pk", flat=True) if model is not Notice else []
        for address in [reverse(f"{site}_changelist"), *(reverse(f"{site}_change", args=[pk]) for pk in rows[:20])]:
            answer = client.get(address)
            shown += answer.status_code == 200
            if answer.status_code >= 500 or leaks(scene, answer):
                wrong.append((address, answer.status_code, leaks(scene, answer)))
    assert not wrong
    assert shown > len(admin.site._registry)


def test_drivers_who_have_finished_see_the_whole_run(scene):
    for role in LET_IN:
        client = scene.client(scene.people[role])
        for name, address in addresses(scene, RUN):
            if name not in {*POSTED, "evenings:more", "runs:record"} | LEDGERS:
                assert client.get(address).status_code in (200, 204), (role, name)
        log = client.get(reverse("runs:log", args=[scene.hidden.key])).content.decode()
        assert any(word in log for word in scene.words[2:]), "what the search above looks for is on the page"
        stage = client.get(reverse("rallies:stage", args=[scene.rally.key, 1])).content.decode()
        assert stage_time(SECONDS) in stage
        assert stage_time(SECONDS) in client.get(reverse("rallies:overall", args=[scene.rally.key, 1])).content.decode()


def test_everybody_sees_the_run_when_every_car_has_finished(scene):
    for run in Run.objects.filter(special_stage=scene.hidden.special_stage, status=Run.Status.RUNNING):
        driven_to_the_end(run, run.seats.select_related("entry__driver").get().entry)
    assert keep_missing_ledgers()
    stranger = Client()
    for name, address in addresses(scene, RUN - {*POSTED, "evenings:more"} - FILES_OF_FILMS):
        assert stranger.get(address).status_code in (200, 204), name
    for name in ("rallies:stage", "papers:results_csv", "papers:sheet_pdf"):
        ((_name, address),) = addresses(scene, {name})
        assert stage_time(SECONDS) in text_of(stranger.get(address)) or str(SECONDS) in text_of(stranger.get(address))
    assert stranger.get(reverse("rallies:stage", args=[scene.rally.key, 1])).context["page"].times_in == 5


def test_the_number_of_finished_cars_is_public(scene):
    page = Client().get(reverse("rallies:stage", args=[scene.rally.key, 1]))
    assert "2 of 5 cars are in." in page.content.decode()
    assert CREW in page.content.decode(), "the start list stays"
    desk = signed_in(organiser_of(scene.rally)).get(reverse("rallies:desk", args=[scene.rally.key]))
    assert "2 of 5 cars are in" in desk.content.decode()


def test_the_board_hides_from_an_organiser_who_is_to_drive_how_far_others_are(scene):
    def behind(person: User) -> set[int | None]:
        board = signed_in(person).get(reverse("runs:board", args=[scene.rally.key])).context["board"]
        return {row.behind for each in board.on_the_road for row in each.waiting}

    assert behind(scene.people["the organiser who is to drive"]) == {None}


def test_an_old_tag_does_not_tell_whether_the_run_has_moved(scene):
    """People who may not watch learn nothing with an old tag: neither Bo with Dag's tag, nor Dag after another driver
    has taken over his entry.
    """
    run = Run.objects.get(seats__entry__driver=scene.people["a driver on the way"])
    dag, bo = scene.people["a driver who is in"], scene.people["a driver who is to drive"]
    client = signed_in(dag)
    tag = client.get(run.get_absolute_url()).context["news_tag"]
    address = reverse("runs:changes", args=[run.key])
    assert client.get(address, headers={"If-None-Match": tag}).status_code == 304
    other = signed_in(bo)
    other.cookies["sessionid"].set("sessionid", other.cookies["sessionid"].value, other.cookies["sessionid"].value)
    assert other.get(address, headers={"If-None-Match": tag}).status_code == 403
    run.seats.filter(entry__driver=dag).delete()
    place = Run.objects.get(seats__entry__driver=dag).seats.get()
    place.entry.driver = make_member(scene.rally.club, name="Dag's successor")
    place.entry.save()
    assert client.get(address, headers={"If-None-Match": tag}).status_code == 403


@pytest.mark.slow
def test_a_stored_paper_hides_the_run_from_everybody_and_is_made_again_when_all_have_finished(scene, settings, at):
    settings.PAPER_CELLS_AT_ONCE = 1
    at(timezone.now())
    papers = [address for _name, address in addresses(scene, PAPERS)]
    dag, stranger = scene.client(scene.people["a driver who is in"]), Client()
    tags = {}
    assert {dag.get(address).status_code for address in papers} == {202}
    assert _make_requested_papers() == len(papers)
    for address in papers:
        answer = dag.get(address)
        assert (answer.status_code, leaks(scene, answer)) == (200, [])
        assert stranger.get(address).content == answer.content
        tags[address] = answer["ETag"]
    for run in Run.objects.filter(special_stage=scene.hidden.special_stage, status=Run.Status.RUNNING):
        driven_to_the_end(run, run.seats.select_related("entry__driver").get().entry)
    at(clock.now() + keeping.FRESH)
    assert {stranger.get(each, headers={"If-None-Match": tags[each]}).status_code for each in papers} == {202}
    assert _make_requested_papers() == len(papers)
    told = [text_of(stranger.get(address)) for _name, address in addresses(scene, TIMES_ON)]
    assert all(stage_time(SECONDS) in each or str(SECONDS) in each for each in told)


def _make_requested_papers() -> int:
    """Make the requested papers, as workers do. Returns how many were made."""
    wanted = KeptPaper.objects.exclude(asked_for="").values_list("pk", flat=True)
    return sum(paper_cache.make_paper(paper_id=pk) for pk in list(wanted))


def test_the_podium_picture_does_not_depend_on_the_hidden_time(scene):
    address = reverse("papers:podium_png", args=[scene.rally.key])
    before = Client().get(address).content
    StageTime.objects.update(measure=77)
    assert Client().get(address).content == before


def test_stewards_cannot_set_a_time_that_is_still_hidden(scene):
    entry = scene.hidden.seats.get().entry
    with pytest.raises(Refused) as refusal:
        decide(
            by=scene.people["a steward"], rally=scene.rally, kind="stage time", text="The clock.", entry=entry,
            special_stage=scene.hidden.special_stage, amount=300,
        )  # fmt: skip
    assert refusal.value.field == "special_stage"
    TimeByHand.objects.create(
        special_stage=scene.hidden.special_stage,
        entry=entry,
        measure=SECONDS,
        reason="Before",
        given_by=scene.people["a steward"],
    )
    assert stage_time(SECONDS) not in Client().get(reverse("rallies:stage", args=[scene.rally.key, 1])).content.decode()


def test_notices_to_other_people_say_nothing_about_the_hidden_run(scene):
    ana = scene.people["the driver"]
    said = [str(notice.context) + notice.link for notice in Notice.objects.exclude(recipient=ana)]
    assert said, "there are letters"
    assert not [word for word in scene.words for letter in said if word in letter]
    assert not Turn.objects.filter(run=scene.hidden, ended_at=None).exists()

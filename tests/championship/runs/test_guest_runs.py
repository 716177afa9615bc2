"""What guests drive: for their own eyes, taken along at sign-in, and deleted when they do not come back."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.test import Client
from django.urls import URLPattern, get_resolver

from championship.accounts.models import User
from championship.accounts.services import guests as services
from championship.audit.models import Record
from championship.notices.models import Notice
from championship.platform import clock, retention
from championship.rallies.models import Entry, Rally, SpecialStage, StageTime
from championship.rallies.results import measures
from championship.runs.models import Draft, Event, Post, Practice, Run
from championship.runs.play import play_turn
from championship.runs.play.guest_runs import delete_forgotten
from tests.championship.accounts.test_guests import guest_on_the_road
from tests.championship.runs.factories import before_the_finish, fresh_key, put
from tests.championship.runs.threads import at_once
from tests.factories import BACKEND, make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db

FLAT_OUT = {"do": "standing", "plan": "1:1.2.l 2:1.3.l", "roll": "flat out"}


def drive(by: User, run: Run, **orders: str) -> None:
    """Play a step of a turn, and refresh `run`."""
    run.refresh_from_db()
    play_turn(by=by, run=run, orders=orders or FLAT_OUT, version=run.version, key=fresh_key())
    run.refresh_from_db()


def finish(guest: User, run: Run) -> None:
    """Drive the run to its end."""
    there, move = before_the_finish(run)
    put(run, Entry.objects.get(driver=guest), cards=[100], **there)
    drive(guest, run, do="standing", plan=move, roll="flat out")
    assert run.status == Run.Status.FINISHED


def paths(patterns=None, before: str = "") -> set[str]:
    """Return the routes of all pages whose address has a key, without those of the administration."""
    found: set[str] = set()
    for each in get_resolver().url_patterns if patterns is None else patterns:
        route = before + str(each.pattern)
        if isinstance(each, URLPattern):
            found |= {route} if "key>" in route and "^" not in route else set()
        else:
            found |= paths(each.url_patterns, route)
    return found


# For their own eyes --------------------------------------------------------------------------------------------


def test_a_stranger_drives_without_an_account_on_every_page_of_the_run():
    client, guest, run = guest_on_the_road()
    drive(guest, run)
    finish(guest, run)
    for rest in ("", "log/", "replay/", "gaps/", "proof/", "record.json", "at/?x=10&y=10"):
        answer = client.get(f"{run.get_absolute_url()}{rest}")
        assert answer.status_code == 200, rest
        text = answer.content.decode()
        assert run.special_stage.rally.get_absolute_url() not in text, f"{rest} links to what a guest may not see"


def test_a_guest_plays_lays_and_leaves_through_the_pages():
    client, guest, run = guest_on_the_road()
    version = {"version": run.version, "key": fresh_key()}
    answer = client.post(f"{run.get_absolute_url()}turn/", {**FLAT_OUT, **version})
    assert answer.status_code == 302 and Post.objects.get(run=run).by == guest
    assert client.post("/practice/skip/", {"lesson": "plan"})["Location"] == run.get_absolute_url()
    assert client.post("/practice/leave/")["Location"] == "/practice/"
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED and client.get("/practice/").status_code == 200


def test_nobody_else_finds_what_a_guest_drives_at_any_address():
    _client, guest, run = guest_on_the_road()
    drive(guest, run)
    other, _guest, _run = guest_on_the_road()
    member = signed_in(make_user("Ana"))
    rally = run.special_stage.rally
    checked = 0
    for route in sorted(paths()):
        for key in (run.key, rally.key):
            path = re.sub(r"<int:\w+>", "1", re.sub(r"<(slug|str):key>", key, route))
            path = "/" + re.sub(r"<\w+:\w+>", "1", path)
            cache.clear()  # the API counts requests
            for looker in (Client(), other, member):
                answer = looker.get(path)
                text = answer.content.decode(errors="replace") if not answer.streaming else ""
                moved = answer.get("Location", "")  # an address of before leads to its new one, whatever its key
                assert answer.status_code in (401, 404, 405) or "/login/" in moved or moved.startswith("/lists/"), path
                assert guest.email not in text, path
                checked += 1
    assert checked > 150
    assert other.post(f"{run.get_absolute_url()}turn/", {**FLAT_OUT, "version": 1, "key": "x"}).status_code == 404
    assert member.post(f"{run.get_absolute_url()}turn/", {**FLAT_OUT, "version": 1, "key": "x"}).status_code == 404


def test_a_guest_is_on_no_list_gets_no_notice_and_is_in_no_log(at):
    club = make_club()
    ana = make_member(club, name="Ana")
    before = Record.objects.count()
    _client, guest, run = guest_on_the_road()
    drive(guest, run)
    finish(guest, run)
    browser = signed_in(ana)
    for path in (f"/clubs/{club.slug}/", f"/clubs/{club.slug}/members/", "/clubs/", "/clubs/open/", "/turns/"):
        assert "Guest<" not in browser.get(path).content.decode(), path
    assert not Notice.objects.exists() and Record.objects.count() == before
    assert not guest.memberships.exists() and not guest.sign_ins.exists() and not guest.api_tokens.exists()


# Keep or replace -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("who", ["guest", "member"])
def test_another_stage_replaces_the_one_under_way_only_after_a_question(who):
    client = Client() if who == "guest" else signed_in(make_user("Ana"))
    client.post("/practice/", {"game": "dirt"})
    run = Run.objects.get()
    answer = client.post("/practice/", {"game": "formula_d"})
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "If you begin Formula D, this one ends" in page and "Keep it, and drive on" in page
    run.refresh_from_db()
    assert run.status == Run.Status.RUNNING, "asking ends nothing"
    assert client.post("/practice/", {"game": "dirt"})["Location"] == run.get_absolute_url()
    assert client.post("/practice/", {"game": "formula_d", "anew": "yes"}).status_code == 302
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    assert Practice.objects.get(ended_at=None).rally.game == "formula_d"


def test_practice_is_found_on_the_front_page_and_on_my_turns():
    visitor = Client()
    assert 'name="game" value="dirt"' in visitor.get("/").content.decode()
    visitor.post("/practice/", {"game": "dirt"})
    assert "your car stands where you left it" in visitor.get("/").content.decode()
    club = make_club()
    ana = make_member(club, name="Ana")
    browser = signed_in(ana)
    assert "Practise Rallyman: DIRT" in browser.get("/turns/").content.decode()
    rally = Rally.objects.get(practice=True)
    Entry.objects.create(rally=_rally_of(club, rally), driver=ana, status=Entry.Status.REQUESTED, crew="Ana")
    assert 'href="/practice/"' in browser.get("/turns/").content.decode(), "also for drivers with rallies"


def _rally_of(club, like: Rally) -> Rally:
    return Rally.objects.create(
        club=club, name="Rally 1", game="dirt", ruleset_version=like.ruleset_version, reminder_hours=0
    )


# Taken along ---------------------------------------------------------------------------------------------------


def test_the_finish_asks_to_keep_the_stage_and_not_before():
    client, guest, run = guest_on_the_road()
    assert "Keep this stage" not in client.get(run.get_absolute_url()).content.decode()
    finish(guest, run)
    page = client.get(run.get_absolute_url()).content.decode()
    assert "Keep this stage: make an account" in page
    order = [page.index(f'<section class="{name}') for name in ("finish", "card practice", "card keep-stage")]
    assert order == sorted(order), "the end of the stage comes first, what to do next after it"
    time = StageTime.objects.get(special_stage=run.special_stage)
    result = measures.result(time.measure, run.special_stage.rally.measure)
    assert f'<p class="result">{result}</p>' in page, "the own result comes first"
    assert f"/account/signup/?next={run.get_absolute_url()}" in page
    assert "/clubs/" not in page[page.index('<section class="card practice"') : page.index("</article>")]


@pytest.mark.parametrize("finished", [False, True])
def test_who_signs_in_takes_the_stage_along_with_all_that_belongs_to_it(finished):
    client, guest, run = guest_on_the_road()
    drive(guest, run)
    if finished:
        finish(guest, run)
    Draft.objects.create(run=run, person=guest, laid="", version=run.version, updated_at=clock.now())
    ana = make_user("Ana")
    client.force_login(ana, backend=BACKEND)
    assert not User.objects.filter(is_guest=True).exists()
    run.refresh_from_db()
    entry = Entry.objects.get(rally=run.special_stage.rally)
    assert (entry.driver, entry.crew) == (ana, "Ana")
    assert set(Post.objects.filter(run=run).values_list("by", flat=True)) == {ana.pk}
    assert Draft.objects.get().person == ana and Practice.objects.get().person == ana
    page = client.get(run.get_absolute_url()).content.decode()
    assert "as a guest" not in page and "Keep this stage" not in page and 'class="card practice"' in page
    if not finished:
        drive(ana, run, **_another_turn(run))


def _another_turn(run: Run) -> dict[str, str]:
    from engine import registry

    rules = registry.get(run.game)
    return dict(rules.autopilot(run.state, rules.to_play(run.state)[0]))


def test_a_stranger_who_signs_up_at_the_finish_comes_back_to_the_own_stage(settings):
    from tests.championship.accounts.test_sign_in_views import ANA, code_sent_to

    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
    client, guest, run = guest_on_the_road()
    finish(guest, run)
    there = run.get_absolute_url()
    client.post(f"/account/signup/?next={there}", {**ANA, "next": there})
    assert User.objects.filter(is_guest=True).exists(), "an address that nobody has confirmed gets nothing"
    answer = client.post("/account/confirm-email/", {"code": code_sent_to("ana@example.org")})
    assert answer["Location"] == there
    assert "What you drove as a guest is yours now." in client.get(there).content.decode()
    assert "is yours now" not in client.get(there).content.decode(), "it is said once"
    assert Practice.objects.get().person.email == "ana@example.org"


def test_the_stage_under_way_of_the_account_ends_when_the_guests_comes_along():
    ana = make_user("Ana")
    signed_in(ana).post("/practice/", {"game": "dirt"})
    old = Run.objects.get()
    client, _guest, run = guest_on_the_road()
    client.force_login(ana, backend=BACKEND)
    old.refresh_from_db()
    run.refresh_from_db()
    assert (old.status, run.status) == (Run.Status.FINISHED, Run.Status.RUNNING)
    assert client.post("/practice/")["Location"] == run.get_absolute_url()


def test_a_finished_stage_of_the_guest_leaves_the_one_of_the_account_alone():
    ana = make_user("Ana")
    signed_in(ana).post("/practice/", {"game": "dirt"})
    old = Run.objects.get()
    client, guest, run = guest_on_the_road()
    finish(guest, run)
    client.force_login(ana, backend=BACKEND)
    old.refresh_from_db()
    assert old.status == Run.Status.RUNNING and Practice.objects.filter(person=ana).count() == 2


def test_it_is_taken_along_once_and_an_expired_session_takes_nothing():
    client, guest, _run = guest_on_the_road()
    ana, bo = make_user("Ana"), make_user("Bo")
    client.force_login(ana, backend=BACKEND)
    assert services.take_along(guest_id=guest.pk, person=bo) is False
    client.force_login(ana, backend=BACKEND)
    assert Practice.objects.get().person == ana
    lost, _guest, other = guest_on_the_road()
    lost.cookies.clear()
    assert lost.get(other.get_absolute_url()).status_code == 404
    lost.force_login(bo, backend=BACKEND)
    assert lost.get(other.get_absolute_url()).status_code == 404 and not Practice.objects.filter(person=bo).exists()


def test_a_second_tab_of_the_same_browser_drives_the_same_stage():
    client, _guest, run = guest_on_the_road()
    assert client.post("/practice/", {"game": "dirt"})["Location"] == run.get_absolute_url()
    assert User.objects.filter(is_guest=True).count() == 1
    early, ana = fresh_key(), make_user("Ana")
    client.force_login(ana, backend=BACKEND)
    answer = client.post(f"{run.get_absolute_url()}turn/", {**FLAT_OUT, "version": run.version, "key": early})
    assert answer.status_code == 302, "a tab that was opened by the guest posts for the person"
    assert Post.objects.get(run=run).by == ana


@pytest.mark.django_db(transaction=True)
def test_two_sign_ins_at_once_and_a_turn_at_the_same_moment_leave_one_owner():
    _client, guest, run = guest_on_the_road()
    ana, bo = make_user("Ana"), make_user("Bo")
    key = fresh_key()

    def play() -> str:
        play_turn(by=guest, run=run, orders=FLAT_OUT, version=run.version, key=key)
        return "played"

    at_once(
        lambda: services.take_along(guest_id=guest.pk, person=ana),
        lambda: services.take_along(guest_id=guest.pk, person=bo),
        play,
        before="UPDATE",
    )
    owner = Practice.objects.get().person
    assert owner in (ana, bo) and Entry.objects.get(rally__practised__person=owner).driver == owner
    assert set(Post.objects.values_list("by", flat=True)) <= {owner.pk}
    assert not User.objects.filter(is_guest=True).exists()


def test_nothing_that_points_to_a_person_stays_with_the_guest():
    """Whatever a guest may write is handed over: what is not would keep the guest from being deleted, or be lost."""
    client, guest, run = guest_on_the_road()
    drive(guest, run)
    form = {**FLAT_OUT, "version": run.version, "key": fresh_key()}
    client.post(f"{run.get_absolute_url()}draft/", form)
    relations = [each for each in User._meta.get_fields(include_hidden=True) if each.auto_created and not each.concrete]
    pointing = {
        f"{each.related_model._meta.label}.{each.field.name}"
        for each in relations
        if each.related_model._base_manager.filter(**{each.field.name: guest}).exists()
    }
    assert {"rallies.Entry.driver", "runs.Post.by", "runs.Practice.person"} <= pointing
    assert pointing <= {"rallies.Entry.driver", "runs.Post.by", "runs.Practice.person", "runs.Draft.person"}


# Deleted -------------------------------------------------------------------------------------------------------


def test_a_guest_who_does_not_come_back_is_deleted_with_all_that_was_driven(at):
    at("2026-11-19T12:00")
    _client, guest, run = guest_on_the_road()
    _other, idle, _run = guest_on_the_road()
    drive(guest, run)
    ana = make_user("Ana")
    signed_in(ana).post("/practice/", {"game": "dirt"})
    at("2026-11-20T11:00")
    assert retention.delete_expired()["guests"] == 0
    at("2026-11-20T12:30")
    assert retention.delete_expired()["guests"] == 1, "one that never played goes after a day"
    assert not User.objects.filter(pk=idle.pk).exists()
    at("2026-11-25T12:00")
    drive(guest, run, **_another_turn(run))
    at("2026-12-01T12:00")
    assert retention.delete_expired()["guests"] == 0, "the last turn is six days ago"
    at("2026-12-02T12:30")
    assert retention.delete_expired()["guests"] == 1
    assert retention.delete_expired()["guests"] == 0
    assert not User.objects.filter(is_guest=True).exists()
    left = Practice.objects.get()
    assert left.person == ana, "people with an account keep what they have"
    mine = Run.objects.get()
    assert Rally.objects.get() == left.rally == SpecialStage.objects.get().rally == mine.special_stage.rally
    drive(ana, mine)
    with pytest.raises(IntegrityError, match="DELETE refused"), transaction.atomic():
        Event.objects.filter(run=mine).delete()  # the database lets only events of guests go
    assert set(Entry.objects.values_list("driver", flat=True)) == {ana.pk}


def test_who_has_signed_in_meanwhile_loses_nothing(at):
    at("2026-11-19T12:00")
    client, guest, run = guest_on_the_road()
    drive(guest, run)
    client.force_login(make_user("Ana"), backend=BACKEND)
    at("2026-12-19T12:00")
    assert delete_forgotten(clock.now() - timedelta(days=7)) == 0
    assert Run.objects.filter(pk=run.pk).exists()


def test_a_guest_with_a_stage_cannot_be_deleted_by_mistake():
    _client, guest, _run = guest_on_the_road()
    with pytest.raises(ProtectedError):
        guest.delete()

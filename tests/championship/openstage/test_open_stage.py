"""A weekly stage for everybody: the clock opens and closes it. Everybody drives it once, alone, with the same dice."""

from __future__ import annotations

import hashlib
from datetime import date, timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import Http404

from championship.accounts.services import closing
from championship.archive.own_data import own_data
from championship.clubs.models import Ban, Club
from championship.deadlines import tasks as deadlines
from championship.notices.models import Notice
from championship.openstage import selectors, services
from championship.openstage.models import Week
from championship.openstage.services import Closings
from championship.platform import clock
from championship.platform.refusals import NotYet, Refused
from championship.rallies.models import Entry, Rally, SpecialStage, StageTime
from championship.rallies.results.selectors import results_of
from championship.rallies.services import enter_for_everybody, games_for_everybody, set_driven_by
from championship.runs.models import Post, Run, Turn
from championship.runs.play import after_restore
from championship.runs.watch import gaps, proof, watching
from championship.runs.watch import selectors as runs
from championship.stewards.services import file_protest
from engine import record
from tests.championship.openstage.factories import come_in, go_on, on_the_stage, open_and_close, opened
from tests.championship.runs.threads import at_once
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db


def test_the_clock_opens_one_stage_a_week_and_closes_it(at):
    at("2026-11-16T00:00")
    open_and_close()
    open_and_close()
    week = Week.objects.get()
    stage = week.rally.stages.get()
    assert str(week) == "2026-W47" and week.rally.title == "Open stage 2026-W47"
    assert stage.closes_at.isoformat() == "2026-11-23T00:00:00+00:00"
    seal = stage.seal
    assert seal.phrases == [] and seal.commitment == hashlib.sha256(bytes(seal.secret)).hexdigest()

    at("2026-11-22T23:59")
    open_and_close()
    assert Week.objects.count() == 1 and stage.status == SpecialStage.Status.RUNNING

    at("2026-11-23T00:00")
    open_and_close()
    stage.refresh_from_db()
    week.rally.refresh_from_db()
    assert (stage.status, week.rally.status) == ("done", "finished"), "nobody came, and it is over all the same"
    assert list(Week.objects.values_list("monday", flat=True)) == [date(2026, 11, 23), date(2026, 11, 16)]
    assert Week.objects.first().rally.stages.get().spec != stage.spec


def test_a_service_that_was_down_opens_the_week_late_and_never_a_week_that_is_over(at, settings):
    at("2026-11-19T12:00")
    assert str(opened()) == "2026-W47"
    at("2026-12-13T00:30")  # Sunday of the third week after: less than a day is left
    open_and_close()
    at("2026-12-17T08:00")
    settings.OPEN_STAGE = False
    open_and_close()
    assert [str(week) for week in Week.objects.all()] == ["2026-W47"], "an operator may want none"
    settings.OPEN_STAGE = True
    open_and_close()
    late = Week.objects.first()
    assert [str(week) for week in Week.objects.all()] == ["2026-W51", "2026-W47"]
    assert late.rally.stages.get().closes_at.isoformat() == "2026-12-21T00:00:00+00:00"


@pytest.mark.django_db(transaction=True)
def test_of_two_workers_at_once_one_opens_the_week_and_of_two_presses_one_begins_the_run(at):
    found = at_once(lambda: services.open_due(now=clock.now()), lambda: services.open_due(now=clock.now()))
    assert sum(week is not None for week in found) == 1
    assert (Week.objects.count(), Rally.objects.count()) == (1, 1)
    ana = make_user("Ana")
    first, second = at_once(lambda: services.drive(by=ana), lambda: services.drive(by=ana))
    assert first == second
    assert (Run.objects.count(), Entry.objects.count()) == (1, 1)


def test_everybody_has_the_same_dice_and_nobody_sees_them_before(at):
    week = opened()
    stage = week.rally.stages.get()
    ana, bo = make_user("Ana"), make_user("Bo")
    first = come_in(ana)
    second = on_the_stage(bo)

    for viewer in (bo, make_user("Stranger"), AnonymousUser()):
        assert not watching.may_watch(first, viewer)
        for look in (
            lambda who: runs.run_by_key(first.key, who),
            lambda who: gaps.of_stage(stage, who),
            lambda who: runs.run_page(first, who),
        ):
            with pytest.raises(NotYet):
                look(viewer)
        page = selectors.week_page(week, viewer)
        assert page.lines is None and not page.best and page.finished == 1 and page.secret == ""
        assert not results_of(week.rally, viewer.pk).driven
    assert watching.may_watch(second, ana), "she has seen all of the dice"
    assert [line.entry.driver for line in selectors.week_page(week, ana).lines] == [ana]
    with pytest.raises(proof.Forbidden):
        proof.record_of(first)
    assert proof.proof_of(first).seal == "" and proof.proof_of(first).common == ""

    go_on(second, bo)
    hers, his = dice(first), dice(second)
    assert len(hers.keys() & his.keys()) > 5
    assert all(hers[die] == his[die] for die in hers.keys() & his.keys()), "the same dice, whatever salt came with them"
    stage.refresh_from_db()
    assert stage.status == SpecialStage.Status.RUNNING, "others may still come"
    assert not watching.may_watch(first, AnonymousUser()), "all runs are over, and yet one may still begin"
    with pytest.raises(NotYet):
        gaps.of_stage(stage, make_user("Stranger"))
    assert proof.proof_of(first).seal == ""

    at("2026-11-23T00:01")
    open_and_close()
    shown = selectors.week_page(Week.objects.get(pk=week.pk), AnonymousUser())
    assert len(shown.lines) == 2 and len(shown.best) == 2
    assert hashlib.sha256(bytes.fromhex(shown.secret)).hexdigest() == shown.seal.commitment
    for run in (first, second):
        run.refresh_from_db()
        told = proof.proof_of(run)
        assert told.seal and not told.wrong
        assert not record.verify(proof.record_of(run), promised=shown.seal.commitment)
    signed_out = selectors.current_week(now=clock.now())
    assert signed_out is not None and signed_out != week


def dice(run):
    """The dice of a run, by the turn and the die."""
    draws = [draw for post in Post.objects.filter(run=run) for draw in post.draws]
    return {draw["what"]: draw["number"] for draw in draws if draw["by"] == "stage"}


def test_each_person_has_one_attempt_without_codriver_protests_or_notices_between_turns(at):
    opened()
    ana = make_user("Ana")
    run = on_the_stage(ana)
    assert services.drive(by=ana) == run
    entry = Entry.objects.get(driver=ana)
    with pytest.raises(Refused):
        set_driven_by(by=ana, entry=entry, driven_by="codriver")
    with pytest.raises(Refused):
        file_protest(by=ana, rally=entry.rally, text="The dice were unkind.")
    assert not Notice.objects.filter(recipient=ana).exists()
    assert Turn.objects.get(run=run, ended_at=None).deadline.isoformat() == "2026-11-23T00:00:00+00:00"
    go_on(run, ana)
    assert services.drive(by=ana) == run, "the button leads to what was driven"


@pytest.mark.parametrize("first", ["the deadlines", "the open stages"])
def test_drivers_on_the_road_when_it_closes_have_retired(at, first):
    week = opened()
    ana, bo = make_user("Ana"), make_user("Bo")
    on_the_stage(ana)
    services.drive(by=bo)
    at("2026-11-22T23:59:30")
    deadlines.sweep()
    assert Notice.objects.filter(recipient=ana, kind="turn closes soon").exists()
    at("2026-11-23T00:00:30")
    sweeps = [deadlines.sweep, open_and_close]
    for sweep in sweeps if first == "the deadlines" else sweeps[::-1]:
        sweep()
    open_and_close()
    times = StageTime.objects.filter(special_stage__rally=week.rally)
    assert [(time.entry.driver.name, time.retired) for time in times.order_by("entry")] == [("Ana", True), ("Bo", True)]
    week.rally.refresh_from_db()
    assert week.rally.status == Rally.Status.FINISHED
    assert Notice.objects.filter(kind="turn driven for you", context__done="closed").exists()
    with pytest.raises(Refused):
        enter_for_everybody(by=make_user("Cem"), rally=week.rally)


def test_people_who_may_not_drive_are_refused_and_nothing_is_stored(at):
    week = opened()
    bot, banned, late = make_user("Bot"), make_user("Banned"), make_user("Late")
    bot.is_bot = True
    bot.save()
    club = Club.objects.get(pk=week.rally.club_id)
    Ban.objects.create(club=club, person=banned, reason="Sold accounts", by=late)
    for person in (bot, banned):
        with pytest.raises(Refused):
            services.drive(by=person)
    at("2026-11-23T00:00")
    with pytest.raises(Refused):
        services.drive(by=late)
    open_and_close()
    week.rally.refresh_from_db()
    assert week.rally.status == Rally.Status.FINISHED
    assert not Entry.objects.exists()


def test_after_a_restore_nobody_drives_on_with_draws_that_may_be_known(at):
    week = opened()
    run = on_the_stage(make_user("Ana"))
    after_restore(now=clock.now())
    with pytest.raises(Refused):
        services.drive(by=make_user("Bo"))
    open_and_close()
    week.rally.refresh_from_db()
    run.refresh_from_db()
    assert (week.rally.status, run.status) == (Rally.Status.FINISHED, Run.Status.FINISHED)
    open_and_close()
    assert Week.objects.get() == week, "the next one opens on Monday"


def test_the_time_of_an_outage_is_given_back(at):
    deadlines.sweep()
    week = Week.objects.get()
    ana = make_user("Ana")
    run = on_the_stage(ana)
    at("2026-11-22T23:00")
    deadlines.sweep()
    at("2026-11-23T10:00")
    deadlines.sweep()
    run.refresh_from_db()
    assert run.status == Run.Status.RUNNING, "the outage is given back"
    assert str(selectors.current_week(now=clock.now())) == "2026-W48", "and the new week has begun"
    assert week.rally.stages.get().closes_at > clock.now()


@pytest.mark.django_db(transaction=True)
def test_a_stage_that_was_due_and_closes_later_by_now_keeps_its_cars(at):
    """A worker gets a closing that a sweep ordered. Meanwhile the outage before that sweep has been excused."""
    week = opened()
    run = on_the_stage(make_user("Ana"))
    at("2026-11-23T00:01")
    assert Closings().due(clock.now()) == [week.pk]
    week.rally.stages.update(closes_at=clock.now() + timedelta(hours=1))
    assert not Closings().act(week.pk, clock.now())
    run.refresh_from_db()
    assert run.status == Run.Status.RUNNING


def test_own_data_include_the_attempt_and_closing_the_account_removes_its_name_from_the_table(at):
    week = opened()
    ana = make_user("Ana Unmistakable")
    come_in(ana)
    told = own_data(ana)
    assert told["rallies.entry, driver"][0]["crew"] == "Ana Unmistakable" and told["rallies.stagetime"]
    closing.close(person=ana)
    assert Entry.objects.get(rally=week.rally).crew == name_of(ana) != "Ana Unmistakable"


def name_of(person):
    person.refresh_from_db()
    return person.name


@pytest.mark.slow
def test_pages_lead_to_the_stage_and_show_only_what_is_public(at, client, django_assert_max_num_queries):
    assert "No stage is open now" in client.get("/open-stage/").content.decode()
    week = opened()
    assert "/open-stage/" in client.get("/").content.decode()
    page = client.get("/open-stage/").content.decode()
    assert "next=/open-stage/" in page and "2026-W47" in page and week.rally.stages.get().seal.commitment in page
    assert "Drive it now" in page and "Start my attempt" not in page

    ana = make_user("Ana")
    browser = signed_in(ana)
    assert "Start my attempt" in browser.get("/open-stage/").content.decode()
    answer = browser.post("/open-stage/drive/")
    run = Run.objects.get()
    assert answer["Location"] == run.get_absolute_url() and browser.get(answer["Location"]).status_code == 200
    assert "Drive on" in browser.get("/open-stage/").content.decode()
    go_on(run, ana)
    with django_assert_max_num_queries(14):
        page = browser.get("/open-stage/").content.decode()
    assert f"/runs/{run.key}/replay/" in page and "You have finished." in page
    for _driver in range(3):
        come_in(make_user())
    with django_assert_max_num_queries(14):
        browser.get("/open-stage/")
    assert client.get(f"/runs/{run.key}/replay/").status_code == 403
    assert client.get(f"/api/v1/runs/{run.key}/").status_code in (401, 403, 404)

    at("2026-11-23T00:01")
    open_and_close()
    closed = client.get("/open-stage/2026-W47/").content.decode()
    best = selectors.week_page(week, AnonymousUser()).best
    assert len(best) == 3 and all(f"/runs/{each.key}/replay/" in closed for _line, each in best)
    assert "This week is over" in closed
    assert client.get(f"/runs/{run.key}/replay/").status_code == 200
    archive = client.get("/open-stage/weeks/").content.decode()
    assert "2026-W47" in archive and "2026-W48" not in archive
    leaders = [line.entry.crew for line, _run in best if line.place == 1]
    assert any(f'<td role="cell">{crew}</td>' in archive for crew in leaders)
    for wrong in ("2026-W99", "2026-W01", "nonsense", "0000-W01", "9999-W53"):
        assert client.get(f"/open-stage/{wrong}/").status_code == 404
    late = signed_in(make_user()).post("/open-stage/drive/")
    assert late.status_code == 302, "the next week is open"


def test_a_refusal_is_shown_on_the_page_of_the_stage(at):
    opened()
    bot = make_user("Bot")
    bot.is_bot = True
    bot.save()
    answer = signed_in(bot).post("/open-stage/drive/")
    assert answer.status_code == 422 and "Bots cannot drive" in answer.content.decode()
    Week.objects.get().rally.stages.update(closes_at=clock.now() - timedelta(minutes=1))
    answer = signed_in(bot).post("/open-stage/drive/")
    assert answer.status_code == 422 and "No open stage accepts" in answer.content.decode()


def test_only_games_that_draw_stages_for_everybody_are_used():
    assert games_for_everybody() == ("dirt",)
    with pytest.raises(Http404):
        selectors.week_named("2026-W47")

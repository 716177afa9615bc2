"""The open stage without an account: out of competition, with draws of its own, and never in the table."""

from __future__ import annotations

import pytest
from django.test import Client

from championship.accounts.models import User
from championship.openstage import selectors, services
from championship.platform import clock
from championship.platform.refusals import Refused
from championship.rallies.models import Entry, StageTime
from championship.runs.models import Practice, Run
from championship.runs.play import end_forgotten
from tests.championship.openstage.factories import come_in, go_on, open_and_close, opened
from tests.factories import BACKEND, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def week(at):
    at("2026-11-16T00:00")
    return opened()


def stranger() -> tuple[Client, User, Run]:
    """Return a browser of a stranger who drives the open stage, the guest and the run."""
    client = Client()
    answer = client.post("/open-stage/drive/")
    guest = User.objects.filter(is_guest=True).latest("pk")
    run = Run.objects.get(special_stage__rally__practised__person=guest)
    assert answer["Location"] == run.get_absolute_url()
    return client, guest, run


def test_a_stranger_drives_the_same_road_with_other_draws_and_no_lessons(week):
    client, _guest, run = stranger()
    ana = make_user("Ana")
    hers = services.drive(by=ana)
    assert run.special_stage.spec == hers.special_stage.spec and run.options == hers.options
    assert run.common != hers.common or run.common is None
    assert run.secret != hers.secret, "who drives as a guest first must not know what the table's drivers draw"
    page = client.get(run.get_absolute_url()).content.decode()
    assert "Out of competition" in page and "lessons" not in page
    assert "Open stage 2026-W47" in page and "You drive as a guest" in page
    assert client.post("/open-stage/drive/")["Location"] == run.get_absolute_url()


def test_the_result_is_beside_the_table_and_never_in_it(week, at):
    client, guest, run = stranger()
    go_on(run, guest)
    for _driver in range(2):
        come_in(make_user())
    stage = week.rally.stages.get()
    assert stage.start_places.count() == stage.times.count() == 2
    page = client.get("/open-stage/").content.decode()
    assert "2 cars have started" in page and "It is not in the table." in page
    assert "That would be place" not in page, "the table is sealed until the week is over"
    assert client.get(f"/runs/{come_in(make_user()).key}/replay/").status_code == 403

    at("2026-11-23T00:01")
    open_and_close()
    page = client.get("/open-stage/2026-W47/").content.decode()
    time = StageTime.objects.get(special_stage=run.special_stage)
    if time.measure is not None:
        better = stage.times.filter(measure__lt=time.measure).count()
        assert f"That would be place {better + 1}." in page
    assert "Guest" not in page[page.index("<table") : page.index("</table>")]
    assert "It is not in the table." not in Client().get("/open-stage/2026-W47/").content.decode()
    assert not Entry.objects.filter(rally=week.rally, driver__is_guest=True).exists()


def test_who_signs_in_keeps_the_drive_and_has_the_one_attempt_left(week):
    client, guest, run = stranger()
    go_on(run, guest)
    ana = make_user("Ana")
    client.force_login(ana, backend=BACKEND)
    page = client.get("/open-stage/").content.decode()
    assert "Out of competition" in page and "Start my attempt" in page
    assert not week.rally.entries.exists(), "what was driven as a guest does not count later either"
    answer = client.post("/open-stage/drive/")
    attempt = Run.objects.get(special_stage__rally=week.rally)
    assert answer["Location"] == attempt.get_absolute_url() != run.get_absolute_url()
    go_on(attempt, ana)
    assert client.post("/open-stage/drive/")["Location"] == attempt.get_absolute_url(), "and there is no second one"
    assert week.rally.entries.count() == 1


def test_a_guest_at_practice_is_asked_before_it_ends_and_the_other_way_round(week):
    client = Client()
    client.post("/practice/", {"game": "dust"})
    practice = Run.objects.get()
    answer = client.post("/open-stage/drive/")
    page = answer.content.decode()
    assert answer.status_code == 409 and "if you begin the open stage, that one ends" in page
    practice.refresh_from_db()
    assert practice.status == Run.Status.RUNNING
    assert client.post("/open-stage/drive/", {"anew": "yes"}).status_code == 302
    practice.refresh_from_db()
    assert practice.status == Run.Status.FINISHED
    answer = client.post("/practice/", {"game": week.rally.game})
    assert answer.status_code == 409 and "Open stage 2026-W47" in answer.content.decode(), "also in the same game"


def test_a_guest_may_drive_it_once_more_and_sees_the_last_result(week):
    client, guest, run = stranger()
    go_on(run, guest)
    assert "Drive it once more" in client.get("/open-stage/").content.decode()
    again = client.post("/open-stage/drive/")["Location"]
    assert again != run.get_absolute_url() and Practice.objects.filter(person=guest).count() == 2
    assert again in client.get("/open-stage/").content.decode()


def test_without_an_open_stage_nobody_drives_and_nobody_is_made(at):
    at("2026-11-16T00:00")
    assert Client().post("/open-stage/drive/")["Location"] == "/open-stage/"
    with pytest.raises(Refused):
        services.drive_out_of_competition(by=make_user("Ana"))
    assert not User.objects.filter(is_guest=True).exists()


def test_one_that_is_forgotten_ends_like_practice(week, at):
    client, guest, run = stranger()
    go_on(run, guest, posts=1)
    client.force_login(make_user("Ana"), backend=BACKEND)
    at("2026-12-20T00:00")
    assert end_forgotten(now=clock.now()) == 1
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED


def test_the_pages_queries_do_not_grow(week, django_assert_max_num_queries):
    client, guest, run = stranger()
    go_on(run, guest)
    for _driver in range(3):
        come_in(make_user())
    with django_assert_max_num_queries(14):
        client.get("/open-stage/")
    page = selectors.week_page(week, guest)
    with django_assert_max_num_queries(3):
        assert selectors.guest_drive(page, guest).run == run
    assert signed_in(make_user()).get("/open-stage/").status_code == 200

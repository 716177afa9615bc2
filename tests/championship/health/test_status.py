"""The status page for members."""

from datetime import timedelta

import pytest
from django.test import Client

from championship.deadlines.models import Sweep
from championship.deadlines.tasks import sweep
from championship.notices.models import Notice
from championship.platform import clock
from tests.championship.runs.factories import on_the_road, open_turn
from tests.factories import make_user, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at")]


def status_page() -> str:
    return " ".join(signed_in(make_user()).get("/status/").content.decode().split())


def test_members_see_the_status_and_others_sign_in_first():
    assert Client().get("/status/").status_code == 302
    assert 'href="/status/"' in status_page(), "the foot of every page leads there"


def test_all_goes_well_after_a_sweep():
    sweep.delay()
    assert "All goes well." in status_page()
    assert "They go out in time." in status_page()


def test_stopped_sweeps_are_explained_with_their_effect_on_deadlines(at):
    assert "They have not been checked yet." in status_page()
    sweep.delay()
    at(clock.now() + timedelta(minutes=3))
    assert "Something does not work as it should." in status_page()
    assert "They have not been checked since" in status_page()


def test_turns_and_notices_that_are_late_are_counted(at):
    run, _entries = on_the_road("Ana", "Bo")
    at(open_turn(run).deadline + timedelta(minutes=3))
    Sweep.objects.create(name="deadlines", at=clock.now(), heard_at=clock.now())
    Notice.objects.update(status="queued", sent_at=None, next_try_at=clock.now() - timedelta(hours=1))
    assert "1 deadline has passed and must still be handled." in status_page()
    assert "wait to go out, the oldest due since" in status_page() or "waits to go out, due since" in status_page()


def test_the_page_asks_the_database_little(django_assert_max_num_queries):
    client = signed_in(make_user())
    client.get("/status/")
    with django_assert_max_num_queries(8):
        client.get("/status/")

"""Metrics for monitoring: the numbers equal those of the tables, and the cost does not depend on how much was
played.
"""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from championship.deadlines.models import Sweep
from championship.deadlines.tasks import sweep
from championship.health.request_counters import COUNTS, Counts
from championship.notices.models import Notice
from championship.platform import clock
from championship.runs.models import Turn
from tests.championship.runs.factories import on_the_road, open_turn

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at")]

LINE = re.compile(r"(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{[^}]*\})? -?[0-9.e+-]+)")


def measured() -> dict[str, float]:
    """Return every number by its name and labels. Each line must be one that Prometheus can parse."""
    text = Client().get("/metrics").content.decode()
    for line in text.splitlines():
        assert LINE.fullmatch(line), line
    rows = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {name: float(number) for name, _blank, number in rows}


def test_a_turn_is_open_then_due_then_overdue(at):
    run, _entries = on_the_road("Ana", "Bo")
    sweep.delay()
    assert measured()["parc_ferme_open_turns"] == 1
    assert measured()['parc_ferme_due{what="turns"}'] == 0
    deadline = open_turn(run).deadline
    at(deadline + timedelta(minutes=1))
    assert measured()['parc_ferme_due{what="turns"}'] == 1
    assert measured()['parc_ferme_overdue{what="turns"}'] == 0
    at(deadline + timedelta(minutes=3))
    assert measured()['parc_ferme_overdue{what="turns"}'] == 1


def test_what_is_due_is_looked_for_once():
    on_the_road("Ana", "Bo")
    with CaptureQueriesContext(connection) as asked:
        measured()
    assert sum("UNION ALL" in query["sql"] for query in asked) == 1, "what is overdue is counted with what is due"


def test_a_run_without_an_open_turn_is_stuck():
    run, _entries = on_the_road("Ana", "Bo")
    assert measured()["parc_ferme_stuck_runs"] == 0
    Turn.objects.filter(run=run).update(ended_at=clock.now())
    assert measured()["parc_ferme_stuck_runs"] == 1


def test_notices_that_wait_are_counted_with_the_age_of_the_oldest(at):
    on_the_road("Ana", "Bo")
    Notice.objects.update(status="queued", sent_at=None, next_try_at=clock.now())
    count = Notice.objects.filter(channel="mail").count()
    assert count
    at(clock.now() + timedelta(minutes=7))
    found = measured()
    assert found['parc_ferme_notices{channel="mail",state="queued"}'] == count
    assert found['parc_ferme_notice_age_seconds{channel="mail",state="queued"}'] == 420


def test_the_sweeps_age_is_below_zero_when_the_clock_was_set_back(at):
    assert "parc_ferme_sweep_age_seconds" not in measured()
    sweep.delay()
    at(clock.now() + timedelta(seconds=90))
    assert measured()["parc_ferme_sweep_age_seconds"] == 90
    at(clock.now() - timedelta(hours=1))
    assert measured()["parc_ferme_sweep_age_seconds"] == -3510


def test_each_queue_has_a_length():
    found = measured()
    assert found["parc_ferme_broker_up"] == 1
    lengths = {name for name in found if name.startswith("parc_ferme_queue_length")}
    assert lengths == {
        f'parc_ferme_queue_length{{queue="{name}"}}' for name in ("clock", "mail", "posts", "simulation")
    }


def test_the_numbers_cost_the_same_queries_with_few_runs_and_many(django_assert_num_queries):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    Client().get("/metrics")
    with CaptureQueriesContext(
        connection,
    ) as few:
        measured()
    for number in range(4):
        on_the_road(f"Ana {number}", f"Bo {number}")
    with CaptureQueriesContext(connection) as many:
        measured()
    assert len(few) == len(many) <= 17


def test_requests_are_counted_by_the_name_of_their_address(client, folder, monkeypatch):
    """Uses a folder to which no other test process writes."""
    monkeypatch.setattr(COUNTS, "_folder", folder)
    before = measured()
    client.get("/account/login/")
    client.get("/no/such/page/")
    after = measured()

    def more(name):
        return after.get(name, 0) - before.get(name, 0)

    assert more('parc_ferme_requests_total{kind="account_login",method="GET",status="2xx"}') == 1
    assert more('parc_ferme_requests_total{kind="none",method="GET",status="4xx"}') == 1
    assert more('parc_ferme_request_processor_seconds_total{kind="account_login",method="GET"}') > 0
    assert more("parc_ferme_request_seconds_count") == 2
    assert more('parc_ferme_request_seconds_bucket{le="+Inf"}') == 2


def test_the_numbers_of_a_process_that_ended_are_kept(folder):
    (folder / "1-gone.json").write_text('{"parc_ferme_requests_total{}": 3}')
    counts = Counts(folder)
    assert counts.all() == {"parc_ferme_requests_total{}": 3}
    assert [file.name for file in folder.glob("*.json")] == ["ended.json"]
    (folder / "2-gone.json").write_text('{"parc_ferme_requests_total{}": 4}')
    counts.add(kind="a", method="GET", status=200, seconds=0.03, processor=0.01)
    found = counts.all()
    assert found["parc_ferme_requests_total{}"] == 7
    assert found['parc_ferme_requests_total{kind="a",method="GET",status="2xx"}'] == 1
    assert 'parc_ferme_request_seconds_bucket{le="0.025"}' not in found
    assert found['parc_ferme_request_seconds_bucket{le="0.05"}'] == 1
    assert counts.all() == found, "asked twice, nothing is counted twice"


def test_a_full_or_missing_folder_stops_no_page(folder):
    (folder / "file").write_text("")
    counts = Counts(folder / "file" / "metrics")
    counts.add(kind="a", method="GET", status=200, seconds=0.03, processor=0.01)
    assert counts.all() == {}
    assert Sweep.objects.count() == 0

"""What the nightly task deletes, and above all what it does not."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings as django_settings
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from championship.accounts.models import EntranceLetter
from championship.archive import models as archives
from championship.failures import batches
from championship.health import services as clocks
from championship.notices.models import Notice, SentMail
from championship.papers.models import KeptPaper
from championship.platform import clock, environment, retention
from championship.platform.tasks import delete_expired
from championship.rallies import services as rally_services
from championship.runs.models import Draft, Run
from championship.runs.watch.proof import proof_of
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs.factories import driven_to_the_end, on_the_road
from tests.factories import make_user, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at")]

GOES = {"sessions.session", "notices.notice", "notices.sentmail", "accounts.entranceletter", "runs.draft"} | {
    *("papers.keptpaper", "api.keptanswer"),
}
"""The only tables from which rows may be deleted."""


def test_the_document_says_how_long_everything_is_kept():
    """docs/clockwork.md tells operators the defaults of the settings, and what has no setting."""
    root = Path(django_settings.BASE_DIR)
    table = (root / "docs/clockwork.md").read_text().split("## What is deleted, and when")[1].split("Nothing else")[0]
    told = {
        row[2].strip("`"): row[1] for row in re.findall(r"^\| (.+) \| (.+) \| (`KEEP_\w+`) \|$", table, re.MULTILINE)
    }
    settings_with_days = {
        name: f"{each.default:g}" for name, each in environment.NUMBERS.items() if re.fullmatch(r"KEEP_\w+_DAYS", name)
    }
    assert told.keys() == settings_with_days.keys()
    for name, days in settings_with_days.items():
        assert told[name].startswith(f"{days} days"), name
    for what, days in (("archives", archives.KEPT.days), ("clocks", clocks.KEPT.days)):
        assert re.search(rf"^\| {what} .* \| {days} days \| \|$", table, re.MULTILINE), what


def after(**span):
    """Run the nightly task at a time so much later."""
    retention.delete_expired(now=clock.now() + timedelta(**span))


@pytest.fixture
def table_of_throttles(settings):
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "cache"}}
    call_command("createcachetable", verbosity=0)


def notice(status="sent", **about):
    sent = {"sent_at": clock.now()} if status == "sent" else {}
    return Notice.objects.create(
        recipient=make_user(), kind="turn waits", status=status, context={"rally": "Monte"}, link="/", **sent, **about
    )


def rows():
    """Return the number of rows of each table."""
    return {model._meta.label_lower: model._base_manager.count() for model in apps.get_models()}


def test_ten_years_later_all_that_a_proof_a_result_or_the_log_needs_is_there():
    run, entries = on_the_road("Ana", "Bo")
    rally_services.give_penalty(by=organiser_of(run.special_stage.rally), entry=entries[0], amount=5, reason="Late")
    driven_to_the_end(run, *entries)
    Draft.objects.create(run=run, person=entries[0].driver, laid="1:1.2.l", version=0, updated_at=clock.now())
    notice(subject_key="run 1 turn 1")
    before, proof = rows(), proof_of(run)

    after(days=3650)

    changed = {table for table, count in rows().items() if count != before[table]}
    assert changed <= GOES
    assert {"notices.notice", "runs.draft"} <= changed, "the test has thrown something away"
    assert proof_of(Run.objects.get(pk=run.pk)) == proof


def test_the_words_of_letters_go_before_the_rows_so_that_nothing_is_said_twice():
    old = notice(subject_key="run 1 turn 1")
    after(days=29)
    old.refresh_from_db()
    assert old.context == {"rally": "Monte"}
    after(days=31)
    old.refresh_from_db()
    assert (old.context, old.link, old.status) == ({}, "", "sent")
    after(days=366)
    assert not Notice.objects.exists()


@pytest.mark.parametrize("status", ["queued", "dead", "unsure"])
def test_what_waits_for_a_worker_or_for_the_operator_is_kept(status):
    waiting = notice(status=status, subject_key="run 1 turn 1")
    after(days=3650)
    waiting.refresh_from_db()
    assert waiting.context == {"rally": "Monte"}


def test_a_draft_goes_when_its_run_is_over_and_not_while_somebody_may_drive_it():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    draft = {"run": run, "person": ana.driver, "laid": "1:1.2.l", "version": 0, "updated_at": clock.now()}
    Draft.objects.create(**draft)
    after(days=365)
    assert Draft.objects.exists()
    driven_to_the_end(run, ana, bo)
    Draft.objects.get_or_create(run=run, person=ana.driver, defaults=draft)
    after(days=29)
    assert Draft.objects.exists()
    after(days=31)
    assert not Draft.objects.exists()


def test_sessions_that_have_expired_go_and_others_stay():
    here = signed_in(make_user())
    Session.objects.create(session_key="old", session_data="", expire_date=clock.now() - timedelta(days=3650))
    delete_expired()
    assert not Session.objects.filter(session_key="old").exists()
    assert here.get("/me/").status_code == 200


@pytest.mark.usefixtures("table_of_throttles")
def test_what_throttles_have_counted_goes_when_it_has_expired():
    cache.set("expired", 1, 60)
    cache.set("counts-still", 1, 60 * 60 * 24 * 30)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM cache")
        [before] = cursor.fetchone()
        retention.delete_expired(now=timezone.now() + timedelta(days=4))  # the cache uses the machine's clock
        cursor.execute("SELECT count(*) FROM cache WHERE cache_key LIKE '%%expired'")
        assert before >= 2
        assert cursor.fetchone() == (0,)
    assert cache.get("counts-still") == 1


def test_letters_about_signing_in_papers_and_the_mailbox_go_when_they_are_old():
    run, _entries = on_the_road("Ana", "Bo")
    moment = clock.now()
    EntranceLetter.objects.create(message_id="<a@b>", to="", expires_at=moment, outcome="sent", settled_at=moment)
    EntranceLetter.objects.create(message_id="<c@d>", to="ana@example.org", body="code", expires_at=moment)
    KeptPaper.objects.create(rally=run.special_stage.rally, kind="sheet", language="en", made_at=moment, content=b"x")
    SentMail.objects.create(message_id="<e@f>", to="a", subject="b", body="c", at=moment)
    after(days=6)
    assert (EntranceLetter.objects.count(), KeptPaper.objects.count(), SentMail.objects.count()) == (2, 1, 1)
    assert not EntranceLetter.objects.exclude(body="").exists(), "no code outlives its time"
    after(days=8)
    assert (EntranceLetter.objects.filter(message_id="<a@b>").count(), KeptPaper.objects.count()) == (0, 0)
    after(days=91)
    assert not SentMail.objects.exists()


def test_many_rows_go_in_batches(monkeypatch):
    monkeypatch.setattr(batches, "BATCH", 2)
    for number in range(5):
        notice(subject_key=f"run {number}")
    assert retention.delete_expired(now=clock.now() + timedelta(days=400))["letters"] == 5


def test_every_rule_has_its_days_and_beat_asks_for_it_each_night():
    assert set(retention.RULES) == set(django_settings.RETENTION_DAYS)
    night = django_settings.CELERY_BEAT_SCHEDULE["championship.platform.tasks.delete_expired"]
    assert night["schedule"].hour == {3}
    assert Client().get("/").status_code == 200

"""A small season on injected time: the books balance, and say so when they do not. The whole is `make chaos`."""

import json
import shutil
import subprocess
import sys
from datetime import timedelta

import pytest
from django.conf import settings as django_settings

from championship.notices.models import Notice, SentMail
from championship.runs.models import Turn
from tests.chaos import books, moment
from tests.chaos.habits import Size
from tests.chaos.season import Season, tick_here
from tests.chaos.town import found

WITHIN = timedelta(minutes=2)
LONGEST = 300
"""Seconds that a disturbed season may take on a busy machine."""


@pytest.fixture
def season(transactional_db, settings, monkeypatch, tmp_path) -> Season:
    """Three weeks of eight drivers in two clubs, over."""
    settings.CLOCK = "tests.chaos.moment.told"
    settings.EMAIL_BACKEND = "championship.notices.mailbox.Backend"
    monkeypatch.setenv(moment.FILE, str(tmp_path / "moment"))
    moment.turn_to(moment.BEGINNING)
    size = Size(clubs=2, drivers=8, rallies=1, days=21, seed=3)
    season = Season(size, found(size), tick=tick_here)
    season.run()
    return season


def faults() -> list[str]:
    return list(books.faults(copies=books.letters_by_notice(), within=WITHIN))


def test_every_reminder_and_deadline_of_a_season_is_kept_once_and_in_time(season: Season) -> None:
    told = books.tally()

    assert faults() == []
    assert told["turns"] > 16 and told["missed"] > 0, "the season has people who play and people who forget"
    assert season.played > 8

    # The books are no rubber stamp: each thing that went wrong is named.
    missed = Turn.objects.filter(missed=True).first()
    Turn.objects.filter(pk=missed.pk).update(ended_at=missed.deadline + timedelta(minutes=3))
    assert any("due" in fault for fault in faults())
    reminder = Notice.objects.filter(kind="turn closes soon").first()
    Turn.objects.filter(pk=reminder.context["turn"]).update(ended_at=reminder.sent_at - timedelta(minutes=1))
    assert any("reminded at" in fault for fault in faults())
    letter = SentMail.objects.first()
    same = {"to": letter.to, "headers": letter.headers}
    again = SentMail.objects.create(message_id=letter.message_id + "again", subject="", body="", **same)
    assert any("arrived 2 times" in fault for fault in faults())
    SentMail.objects.filter(pk__in=[letter.pk, again.pk]).delete()
    assert any("nothing arrived" in fault for fault in faults())
    Notice.objects.filter(kind="turn waits").update(status="queued", sent_at=None)
    assert any("still queued" in fault for fault in faults())


def test_a_season_survives_dying_workers_and_restarting_servers(tmp_path) -> None:
    broker = "redis" if shutil.which("redis-server") else "folder://localhost"
    size = ("--clubs", "1", "--drivers", "5", "--rallies", "1", "--days", "10", "--kills", "4")

    rehearsal = subprocess.run(
        [sys.executable, "-m", "tests.chaos", *size, "--broker", broker],
        cwd=django_settings.BASE_DIR,
        capture_output=True,
        text=True,
        timeout=LONGEST,
    )

    assert rehearsal.returncode == 0, rehearsal.stderr[-3000:]
    told = json.loads(rehearsal.stdout)
    assert told["faults"] == 0
    assert told["workers killed"] > 0 and told["database and broker restarted"] > 0

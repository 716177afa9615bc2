"""A small season with a simulated clock: the checks find no fault, and find real ones. The full version is `make
chaos`.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from datetime import timedelta

import psutil
import pytest
from django.conf import settings as django_settings

from championship.notices.models import Notice, SentMail
from championship.rallies.models import Pause, SpecialStage
from championship.runs.models import SentAhead, Turn
from tests.championship.runs.factories import careful_turn, on_the_road, play
from tests.chaos import books, moment
from tests.chaos.habits import Size
from tests.chaos.receivers import Receivers
from tests.chaos.season import Season, tick_after, tick_here
from tests.chaos.town import WAYS, found

WITHIN = timedelta(minutes=2)
BETWEEN_BEATS = timedelta(hours=8)
"""The longest time between two beats of the undisturbed season. All that is due has a beat of its own."""
LONGEST = 600
"""Seconds that a disturbed season may take on a busy machine."""


@pytest.fixture
def receivers(settings):
    receivers = Receivers()
    with receivers.up():
        settings.WEBHOOK_ALLOWED_ADDRESSES = [receivers.address]
        settings.OPEN_STAGE = False
        yield receivers


@pytest.fixture
def season(transactional_db, settings, monkeypatch, tmp_path, receivers) -> Season:
    """A finished season of three weeks, with two drivers in a club for each way to keep time."""
    settings.CLOCK = "tests.chaos.moment.told"
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
    monkeypatch.setenv(moment.FILE, str(tmp_path / "moment"))
    moment.turn_to(moment.BEGINNING)
    size = Size(clubs=len(WAYS), drivers=2 * len(WAYS), rallies=len(WAYS), days=21, seed=3)
    season = Season(size, found(size, receivers), tick=tick_here, regular=BETWEEN_BEATS)
    season.run()
    return season


def test_the_clock_of_a_rehearsal_never_passes_a_minute_in_which_something_is_due() -> None:
    """A codriver's turn is due as soon as a person has driven, in the middle of a minute."""
    noon = moment.BEGINNING.replace(hour=12)
    driven = noon + timedelta(seconds=20)
    assert tick_after(driven, driven) == noon + timedelta(minutes=1)
    assert tick_after(noon, driven) == noon + timedelta(minutes=1)
    assert tick_after(noon, noon) == noon + timedelta(minutes=1), "it has ticked at noon already"
    assert tick_after(driven, noon + timedelta(minutes=5)) == noon + timedelta(minutes=5)
    assert tick_after(driven, None) == noon + timedelta(hours=1)
    assert tick_after(driven, None, timedelta(hours=8)) == moment.BEGINNING + timedelta(hours=8)


@pytest.mark.slow
def test_every_reminder_and_deadline_of_a_season_is_kept_once_and_in_time(season: Season, receivers) -> None:
    def faults(**dark) -> list[str]:
        copies = books.letters_by_notice() + receivers.copies
        return list(books.faults(copies=copies, within=WITHIN, **dark))

    told = books.tally(receivers.copies)
    assert faults() == []
    assert told["turns"] > 60 and told["missed"] > 0, "the season has people who play and people who forget"
    assert season.did["turns driven"] > 30
    assert SentAhead.objects.filter(state="driven").exists()
    assert Pause.objects.exists()
    assert SpecialStage.objects.exclude(control_deadline=None).exists()
    assert {channel for (channel,) in Notice.objects.filter(status="sent").values_list("channel").distinct()} == {
        *("mail", "push", "webhook")
    }

    # The checks must not pass everything: each fault that is made here must be named.
    missed = Turn.objects.filter(missed=True).first()
    Turn.objects.filter(pk=missed.pk).update(ended_at=missed.deadline + timedelta(minutes=3))
    assert any("due" in fault for fault in faults())
    gone = (missed.deadline, missed.deadline + timedelta(minutes=2))
    assert not any("due" in fault for fault in faults(dark=[gone])), "nobody was there to act"
    plan = SentAhead.objects.filter(state="driven").first()
    Turn.objects.filter(pk=plan.turn_id).update(since=plan.turn.since - timedelta(seconds=1))
    assert any("its plan was there" in fault for fault in faults())
    reminder = Notice.objects.filter(kind="turn closes soon").first()
    Turn.objects.filter(pk=reminder.context["turn"]).update(ended_at=reminder.sent_at - timedelta(minutes=2))
    assert any("reminded at" in fault for fault in faults())
    letter = SentMail.objects.first()
    same = {"to": letter.to, "headers": letter.headers}
    again = SentMail.objects.create(message_id=letter.message_id + "again", subject="", body="", **same)
    assert any("arrived 2 times" in fault for fault in faults())
    posted = Notice.objects.filter(channel="webhook", status="sent").first()
    receivers.copies[str(posted.pk)] += 1
    assert any(f"{posted} by webhook arrived 2 times" in fault for fault in faults())
    SentMail.objects.filter(pk__in=[letter.pk, again.pk]).delete()
    assert any("nothing arrived" in fault for fault in faults())
    Notice.objects.filter(kind="turn waits").update(status="queued", sent_at=None)
    assert any("still queued" in fault for fault in faults())


@pytest.mark.slow
def test_a_season_survives_dying_workers_and_restarting_servers(tmp_path) -> None:
    broker = "redis" if shutil.which("redis-server") else "folder://localhost"
    # With seed 5 a driver forgets every turn, so that a deadline passes on each of ten days.
    size = ("--clubs", "2", "--drivers", "6", "--rallies", "2", "--days", "10", "--seed", "5")
    failures = ("--kills", "3", "--restarts", "1", "--outages", "1")

    rehearsal = subprocess.run(
        [sys.executable, "-m", "tests.chaos", *size, *failures, "--broker", broker],
        cwd=django_settings.BASE_DIR,
        capture_output=True,
        text=True,
        timeout=LONGEST,
    )

    assert rehearsal.returncode == 0, rehearsal.stderr[-3000:]
    told = json.loads(rehearsal.stdout)
    assert told["faults"] == 0
    assert told["workers killed"] == 3 and told["database and broker restarted"] == 1
    assert len(told["minutes without any worker"]) == 1


@pytest.mark.slow
def test_a_season_without_days_left_is_reported_but_not_a_fault(
    transactional_db, settings, monkeypatch, tmp_path, receivers
) -> None:
    """A rally that begins an hour before the last day ends, and whose drivers forget their turns."""
    settings.CLOCK = "tests.chaos.moment.told"
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
    monkeypatch.setenv(moment.FILE, str(tmp_path / "moment"))
    moment.turn_to(moment.BEGINNING)
    size = Size(clubs=1, drivers=2, rallies=1, days=1, seed=3)
    town = found(size, receivers)
    town.starts = [(timedelta(hours=47), rally, organiser) for _after, rally, organiser in town.starts]
    town.habits = {pk: replace(habit, forgets=1.0, ahead=0.0) for pk, habit in town.habits.items()}
    season = Season(size, town, tick=tick_here, regular=BETWEEN_BEATS)
    season.run()

    assert season.cut_off
    copies = books.letters_by_notice() + receivers.copies
    assert list(books.faults(copies=copies, within=WITHIN, over=False)) == []
    assert any("not finished" in fault for fault in books.faults(copies=copies, within=WITHIN)), "nothing was over"


@pytest.mark.django_db
def test_the_last_turn_is_reported_while_others_are_open(at) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    play(run, ana, do="standing", plan=careful_turn(run)["plan"], roll="one by one", stop_at=2)
    last = Turn.objects.exclude(ended_at=None).get()
    assert Turn.objects.filter(ended_at=None).exists()
    assert books.tally({})["last turn"] == last.ended_at.isoformat()


def is_alive(pid: int) -> bool:
    """Return whether the process runs. One that has ended may still be in the process list."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.slow
def test_a_rehearsal_that_is_ended_leaves_no_database_behind(folder) -> None:
    """SIGTERM, as a time limit or a shutdown sends it."""
    command = [sys.executable, "-m", "tests.chaos", "--clubs", "1", "--drivers", "2", "--rallies", "1", "--days", "9"]
    environment = {**os.environ, "TMPDIR": str(folder)}
    rehearsal = subprocess.Popen(command, cwd=django_settings.BASE_DIR, env=environment, stderr=subprocess.DEVNULL)
    try:
        patience = time.monotonic() + LONGEST
        while not (found_at := [*folder.glob("*/postgres/postmaster.pid")]) or not found_at[0].read_text().strip():
            assert rehearsal.poll() is None and time.monotonic() < patience
            time.sleep(0.05)
        database = int(found_at[0].read_text().splitlines()[0])
        rehearsal.terminate()
        assert rehearsal.wait(LONGEST) == 128 + signal.SIGTERM
        assert not is_alive(database)
    finally:
        rehearsal.kill()
        rehearsal.wait()

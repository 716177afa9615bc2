"""Sweeps that wait for no deadline: one row that always fails stops no other of its kind."""

from datetime import timedelta

import pytest

from championship.accounts.models import EntranceLetter
from championship.accounts.services import sign_in_mail
from championship.failures.models import Failure
from championship.failures.services import FIRST_WAIT, forget_old
from championship.notices.models import Notice
from championship.notices.services import deliver_due, enqueue
from championship.platform import clock, retention
from championship.runs.models import Practice
from championship.runs.play import begin_practice, end_forgotten
from tests.factories import make_user
from tests.refusing_rows import refuse

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at")]


def failing():
    return [(each.kind, each.unit) for each in Failure.objects.order_by("kind", "unit")]


def test_a_notice_that_cannot_be_stored_stops_no_other_reader(at):
    ana, bo = make_user("Ana"), make_user("Bo")
    for person in (ana, bo):
        enqueue(recipient=person, kind="rally paused", subject_key="rally 1", context={"rally": "M"}, link="/")
    mails = Notice.objects.filter(channel="mail")
    refused = mails.get(recipient=ana)
    accept = refuse(Notice, refused.pk)
    deliver_due(channels=["mail"])
    deliver_due(channels=["mail"])
    assert {each.recipient.name: each.status for each in mails.all()} == {"Ana": "queued", "Bo": "sent"}
    assert failing() == [("notices", f"mail person {ana.pk}")]
    assert Failure.objects.get().times == 1, "put off"
    accept()
    at(clock.now() + FIRST_WAIT)
    deliver_due(channels=["mail"])
    assert mails.get(recipient=ana).status == "sent"
    assert failing() == []


def test_a_letter_about_signing_in_that_cannot_be_claimed_stops_no_other():
    letters = [
        EntranceLetter.objects.create(
            message_id=f"<{name}@parc-ferme>",
            to=f"{name}@example.org",
            subject="Code",
            body="123",
            asked_at=clock.now(),
            expires_at=clock.now() + timedelta(hours=1),
            next_try_at=clock.now(),
        )
        for name in ("ana", "bo")
    ]
    refuse(EntranceLetter, letters[0].pk)
    assert sign_in_mail.send_due() == 1
    assert EntranceLetter.objects.get(pk=letters[1].pk).outcome == EntranceLetter.Outcome.SENT
    assert failing() == [("letter about signing in", str(letters[0].pk))]


def test_a_row_that_cannot_be_deleted_keeps_no_other(at):
    people = [make_user(name) for name in ("Ana", "Bo", "Cem")]
    notices = [
        Notice.objects.create(recipient=each, kind="rally paused", status="dropped", context={"rally": "M"}, link="/")
        for each in people
    ]
    refuse(Notice, notices[1].pk, on="DELETE")
    at(clock.now() + timedelta(days=500))
    done = retention.delete_expired()
    assert done["letters"] == 2
    assert list(Notice.objects.values_list("pk", flat=True)) == [notices[1].pk]
    assert failing() == [("deletion: notices.notice", str(notices[1].pk))]


def test_a_forgotten_practice_that_cannot_end_stops_no_other(at):
    people = [make_user(name) for name in ("Ana", "Bo")]
    runs = [begin_practice(by=each, game="dirt") for each in people]
    at(clock.now() + timedelta(days=40))
    broken = Practice.objects.get(person=people[0])
    refuse(Practice, broken.pk)
    assert end_forgotten(now=clock.now(), limit=1) == 0
    assert end_forgotten(now=clock.now(), limit=1) == 1, "the one that fails takes nobody's turn"
    assert [type(run).objects.get(pk=run.pk).status for run in runs] == ["running", "finished"]
    assert failing() == [("forgotten practice", str(broken.pk))]


def test_a_failure_of_something_that_has_nothing_to_do_any_more_is_forgotten():
    now = clock.now()
    old = {"since": now, "last_at": now, "error": "ValueError"}
    Failure.objects.create(kind="turns: due", unit="1", again_at=now - timedelta(days=3), **old)
    kept = Failure.objects.create(kind="turns: due", unit="2", again_at=now, **old)
    assert list(Failure.objects.open(now)) == [kept]
    assert forget_old(before=now - timedelta(days=2)) == 1
    assert list(Failure.objects.all()) == [kept]

"""The broker is down, frozen, or falls silent: pages respond, changes are kept, and the sweeps do the rest."""

import os
from contextlib import closing, suppress
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
import redis
from celery import shared_task
from django.db import connection, transaction
from django.utils import timezone
from kombu import Connection

from championship.deadlines import tasks as deadline_tasks
from championship.deadlines.services.sweeping import claim
from championship.notices import tasks as notice_tasks
from championship.notices.models import Notice, SentMail
from championship.platform import task_dispatch
from championship.platform.refusals import Stale
from championship.runs.models import Turn
from tests.championship.faults import BUSY_SECONDS, HOST, Relay, dead_port, sent_to, silent_server, timed
from tests.championship.runs.factories import careful_turn, desk_of, on_the_road, open_turn, post

pytestmark = pytest.mark.django_db(transaction=True)

REDIS = os.environ.get("TEST_REDIS_URL", "redis://127.0.0.1:6379/14")
DAY = timedelta(days=1)
NOBODY_TAKES = "tests-nobody-takes"


@shared_task
def count_sheep(up_to: int = 1) -> int:
    """A task whose result nobody waits for."""
    return sum(range(up_to))


@pytest.fixture
def mailbox(settings):
    """Mail is stored in the database, as in the demo."""
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"


@pytest.fixture(params=["redis", "amqp"])
def scheme(request):
    return request.param


@pytest.fixture(params=[dead_port, silent_server], ids=["dead", "silent"])
def broken(request, scheme):
    """Tasks go to a broker that is down or does not answer."""
    with request.param() as port, sent_to(f"{scheme}://{HOST}:{port}/0"):
        yield


@pytest.fixture
def scene(mailbox):
    """A run on the road, and its entries in the order of their turns. All earlier notices are sent."""
    run, entries = on_the_road("Ana", "Bo")
    Notice.objects.all().delete()
    return run, entries


def drive(run, entry):
    """The driver posts a whole turn. Return the response and its seconds."""
    client, plan = desk_of(entry), careful_turn(run)["plan"]
    task_dispatch.resume_sending()  # as if nobody had tried the broker for a while
    with timed() as watch:
        answer = post(client, run, do="standing", plan=plan, roll="one by one", stop_at="2")
    return answer, watch.seconds


@pytest.mark.slow
@pytest.mark.usefixtures("broken")
def test_a_turn_is_committed_its_page_answers_and_the_sweep_sends_the_letter(scene):
    run, (ana, _bo) = scene

    answer, seconds = drive(run, ana)

    assert answer.status_code == 302, answer.content.decode()[:2000]
    assert seconds < BUSY_SECONDS
    next_turn = open_turn(run)
    assert next_turn.number == 2, "the turn is committed"
    letter = Notice.objects.get(recipient=next_turn.seat.entry.driver)
    assert letter.status == "queued", "the letter waits"
    notice_tasks.deliver()  # as beat starts it each minute, when the broker is back
    letter.refresh_from_db()
    assert letter.status == "sent"
    assert SentMail.objects.filter(to=letter.recipient.email).count() == 1


@pytest.mark.usefixtures("broken")
def test_a_page_with_many_messages_to_send_waits_for_the_broker_once():
    with timed() as watch:
        assert [task_dispatch.send(notice_tasks.deliver) for _message in range(10)] == [False] * 10
    assert watch.seconds < BUSY_SECONDS


@pytest.mark.slow
@pytest.mark.usefixtures("broken")
def test_a_sweep_without_a_broker_ends_and_leaves_the_turns_to_the_next_one(scene):
    run, _entries = scene
    Turn.objects.filter(run=run).update(since=timezone.now() - DAY, deadline=timezone.now(), terms={})
    with timed() as watch:
        deadline_tasks.sweep()
    assert watch.seconds < BUSY_SECONDS
    Turn.objects.filter(run=run).update(claimed_at=timezone.now() - DAY)  # later
    assert list(claim(now=timezone.now())) == [("turns", [open_turn(run).pk])]


@pytest.mark.slow
def test_a_broker_that_falls_silent_in_the_middle_of_a_conversation_holds_nobody_up(scene):
    run, (ana, _bo) = scene
    address = urlsplit(REDIS)
    if not answers(REDIS):
        pytest.skip("no redis answers here")
    relay = Relay(address.port or 6379)
    with closing(relay), sent_to(f"redis://{HOST}:{relay.port}{address.path}"):
        assert task_dispatch.send(count_sheep, queue=NOBODY_TAKES), "the connection is made and kept"
        relay.freeze()
        answer, seconds = drive(run, ana)
        assert answer.status_code == 302
        assert seconds < BUSY_SECONDS
        assert open_turn(run).number == 2, "the turn is committed"
        relay.thaw()
        task_dispatch.resume_sending()
        assert task_dispatch.send(count_sheep, queue=NOBODY_TAKES), "and works again once the broker answers"
    redis.Redis.from_url(REDIS).delete(NOBODY_TAKES, "clock", "mail", "posts")


def answers(address):
    """Return whether this broker responds."""
    try:
        with Connection(address, connect_timeout=2, transport_options={"max_retries": 0}) as there:
            there.default_channel  # noqa: B018
            return True
    except Exception:
        return False


def test_a_task_is_sent_once_however_often_a_transaction_asks_for_it():
    with transaction.atomic():
        for _time in range(3):
            task_dispatch.after_commit(count_sheep)
        assert len(connection.run_on_commit) == 1


def test_a_task_of_a_rolled_back_savepoint_can_be_sent_by_others():
    with transaction.atomic():
        with suppress(Stale), transaction.atomic():
            task_dispatch.after_commit(count_sheep)
            raise Stale("Somebody was quicker.")
        task_dispatch.after_commit(count_sheep)
        assert len(connection.run_on_commit) == 1
        with suppress(Stale), transaction.atomic():
            task_dispatch.after_commit(count_sheep, 1)
            raise Stale("Somebody was quicker.")
        with transaction.atomic():
            task_dispatch.after_commit(count_sheep, 1)
        assert len(connection.run_on_commit) == 2


def test_a_hook_that_breaks_after_the_commit_undoes_nothing_and_is_named_in_the_log(caplog):
    """Django logs the hook by its __qualname__, and raises an error when it has none."""
    with transaction.atomic():
        task_dispatch.after_commit(count_sheep, "no number")
    assert "send_after_commit" in caplog.text

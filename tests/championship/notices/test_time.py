"""The time that delivery takes: slow webhooks do not delay letters, and no time limit cuts a letter in half."""

import signal
import threading
import time
from types import SimpleNamespace

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings as django_settings
from django.db import connection

from championship.notices import kinds, outbound_http, services, ssrf, tasks
from championship.notices.models import Notice
from championship.notices.services import delivery, push_transport, webhooks
from championship.notices.services.webhooks import Owner
from tests.championship.notices.mail_server import mail_server
from tests.championship.notices.receiver import receiver
from tests.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def one_kind(settings, monkeypatch):
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
    monkeypatch.setattr(kinds, "_kinds", {})
    kinds.register("turn waits", subject="Your turn", body_template="notices/mail/base.txt", switch="a", urgent=True)


@pytest.fixture
def tarpit(settings, monkeypatch):
    """A receiver that accepts posts and never answers."""
    monkeypatch.setattr(outbound_http, "TOTAL_SECONDS", 0.3)
    with receiver() as place:
        settings.WEBHOOK_ALLOWED_ADDRESSES = place.allowed
        over = threading.Event()
        place.drip = lambda line: over.wait(60)
        yield place
        over.set()


def tell(person):
    services.enqueue(recipient=person, kind="turn waits", subject_key="run 7 turn 1", context={}, link="/runs/abc/")


def statuses(channel):
    return sorted(Notice.objects.filter(channel=channel).values_list("status", flat=True))


def with_tarpit(place, name):
    person = make_user(name)
    webhooks.add(Owner(person), url=place.url, shape="json")
    tell(person)
    return person


def test_letters_go_out_by_a_task_of_their_own_however_many_webhooks_are_slow(tarpit):
    for number in range(5):
        with_tarpit(tarpit, f"Slow {number}")
    tasks.deliver()
    assert statuses("mail") == ["sent"] * 5
    assert tarpit.posts == []
    assert statuses("webhook") == ["queued"] * 5


def test_nothing_is_begun_after_the_end_of_the_time(tarpit, monkeypatch):
    """A second passes with each post here, however long it takes on a busy machine."""
    webhooks = Notice.objects.filter(channel="webhook")
    counted = SimpleNamespace(monotonic=lambda: float(webhooks.exclude(attempts=0).count()), sleep=time.sleep)
    monkeypatch.setattr(delivery, "time", counted)
    for number in range(5):
        with_tarpit(tarpit, f"Slow {number}")
    delivery.deliver_due(channels=["webhook"], until=2.0)
    assert webhooks.exclude(attempts=0).count() == 2, "the second was begun within the time, the third was not"


def test_a_task_that_has_used_up_its_time_has_the_rest_done_by_another(tarpit, monkeypatch):
    """The other task is queued behind all that waits. Here it is called at once, and only once, because its time limit
    is long.
    """
    monkeypatch.setattr(tasks, "LONGEST", 0)
    for number in range(2):
        tell(make_user(f"Ana {number}"))
    offered = []

    def later(_args, **options):
        offered.append(options)
        monkeypatch.setattr(tasks, "LONGEST", 30)
        tasks.deliver()

    monkeypatch.setattr(tasks.deliver, "apply_async", later)
    tasks.deliver()
    assert offered == [{"expires": 60}]
    assert statuses("mail") == ["sent", "sent"]


def test_the_longest_task_ends_well_before_its_soft_limit():
    post = ssrf.RESOLVE_SECONDS + 3 * outbound_http.CONNECT_SECONDS + outbound_http.TOTAL_SECONDS
    longest = tasks.LONGEST + push_transport.LONGEST_FOR_ONE + post
    assert longest <= django_settings.CELERY_TASK_SOFT_TIME_LIMIT - 10
    assert django_settings.CELERY_TASK_SOFT_TIME_LIMIT < django_settings.CELERY_TASK_TIME_LIMIT


def test_every_channel_has_its_task_and_mail_shares_its_queue_with_none():
    routes = {task.name: django_settings.CELERY_TASK_ROUTES[task.name]["queue"] for task in tasks.BY_CHANNEL.values()}
    assert set(tasks.BY_CHANNEL) == {"mail", "push", "webhook"}
    assert [queue for queue in routes.values() if queue == "mail"] == ["mail"]
    assert set(routes) <= set(django_settings.CELERY_BEAT_SCHEDULE)


@pytest.mark.django_db(transaction=True)
def test_a_commit_calls_only_those_whose_channel_it_wrote_to(tarpit, monkeypatch):
    called = []
    for channel, task in tasks.BY_CHANNEL.items():
        monkeypatch.setattr(task, "apply_async", lambda _args, channel=channel: called.append(channel))
    tell(make_user("Ana"))
    assert called == ["mail"]
    with_tarpit(tarpit, "Bo")
    assert called == ["mail", "mail", "webhook"]


def test_a_name_server_that_is_silent_is_not_waited_for_long(monkeypatch):
    over = threading.Event()
    monkeypatch.setattr(ssrf, "RESOLVE_SECONDS", 0.1)
    monkeypatch.setattr("socket.getaddrinfo", lambda *_args, **_kwargs: over.wait(60))
    try:
        with pytest.raises(OSError, match=r"no name server told the address of club\.example"):
            ssrf.resolve("club.example", 443)
    finally:
        over.set()


# The soft time limit: Celery's signal during delivery --------------------------------------------------


def strike(*_args):
    raise SoftTimeLimitExceeded


@pytest.fixture
def soft_limit():
    """The signal that a worker gets when its time is up. Call the fixture to send it to this process."""
    before = signal.signal(signal.SIGUSR1, strike)
    main = threading.main_thread().ident
    yield lambda: signal.pthread_kill(main, signal.SIGUSR1)
    signal.signal(signal.SIGUSR1, before)


@pytest.fixture
def post_office(settings):
    settings.EMAIL_BACKEND = "championship.notices.smtp.Backend"
    settings.EMAIL_HOST = "127.0.0.1"
    with mail_server() as (server, port):
        settings.EMAIL_PORT = port
        yield server


@pytest.mark.django_db(transaction=True)
def test_a_limit_before_the_dot_leaves_the_letter_for_the_next_run_and_ends_this_one(post_office, soft_limit):
    for name in ("Ana", "Bo"):
        Notice.objects.create(recipient=make_user(name), kind="turn waits", subject_key="x")

    def too_late(_address):
        post_office.at_recipient = lambda address: None
        soft_limit()
        return "451 4.3.0 Busy"

    post_office.at_recipient = too_late
    with pytest.raises(SoftTimeLimitExceeded):
        services.deliver_due()
    assert post_office.taken == []
    assert statuses("mail") == ["queued", "queued"], "the second was not begun"
    assert sorted(Notice.objects.values_list("attempts", flat=True)) == [0, 1]
    services.deliver_due(now=max(Notice.objects.values_list("next_try_at", flat=True)))
    assert statuses("mail") == ["sent", "sent"]
    assert len(post_office.taken) == 2


@pytest.mark.django_db(transaction=True)
def test_a_limit_after_the_dot_holds_that_letter_and_ends_the_run(post_office, soft_limit):
    for name in ("Ana", "Bo"):
        Notice.objects.create(recipient=make_user(name), kind="turn waits", subject_key="x")
    post_office.before_answering = soft_limit
    post_office.silent = True
    with pytest.raises(SoftTimeLimitExceeded):
        services.deliver_due()
    assert statuses("mail") == ["queued", "unsure"]
    assert len(post_office.taken) == 1


@pytest.mark.django_db(transaction=True)
def test_a_limit_while_the_answer_is_written_down_waits_until_it_is(post_office, monkeypatch, soft_limit):
    notice = Notice.objects.create(recipient=make_user(), kind="turn waits", subject_key="x")
    settle, struck = delivery._settle, []

    def struck_once(*args):
        if not struck:
            struck.append(True)
            soft_limit()
        return settle(*args)

    monkeypatch.setattr(delivery, "_settle", struck_once)
    monkeypatch.setattr(delivery, "RECONNECTS", (0, 0, 0))
    with pytest.raises(SoftTimeLimitExceeded):
        services.deliver_due()
    notice.refresh_from_db()
    assert (notice.status, len(post_office.taken)) == ("sent", 1)
    assert not connection.in_atomic_block

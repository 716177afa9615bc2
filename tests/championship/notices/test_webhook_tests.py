"""Testing a webhook on the page: the page responds at once, whatever the receiver does; a worker sends the test."""

from datetime import timedelta

import pytest
from django.core.cache import cache

from championship.notices import outbound_http, tasks
from championship.notices.models import Webhook
from championship.notices.services import webhook_tests, webhooks
from championship.notices.services.webhooks import Owner
from championship.platform import clock
from tests.championship.faults import BUSY_SECONDS, HOST, dead_port, sent_to, silent_server, timed
from tests.championship.notices.receiver import receiver
from tests.championship.notices.webhooks import page_of
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db(transaction=True)


def with_webhook_at(port, settings, name="Ana"):
    """Return a person whose webhook is at that port of this machine, and the person's client."""
    settings.WEBHOOK_ALLOWED_ADDRESSES = [f"{HOST}:{port}"]
    person = make_user(name)
    webhook = webhooks.add(Owner(person), url=f"http://{HOST}:{port}/hook", shape="json")
    return person, signed_in(person), page_of(webhook)


@pytest.fixture
def no_worker():
    """Tasks are sent, and no worker takes them."""
    with dead_port() as port, sent_to(f"redis://{HOST}:{port}/0"):
        yield


@pytest.mark.usefixtures("no_worker")
@pytest.mark.parametrize(
    ("there", "said"),
    [
        (dead_port, "The test did not arrive: nobody listens at this address."),
        (silent_server, "No answer came to the test. It may have arrived."),
    ],
    ids=["dead", "silent"],
)
def test_a_page_does_not_wait_for_the_receiver_and_tells_the_outcome_later(settings, monkeypatch, there, said):
    monkeypatch.setattr(outbound_http, "TOTAL_SECONDS", 60)
    with there() as port:
        _ana, client, here = with_webhook_at(port, settings)
        with timed() as watch:
            answer = client.post(here, {"do": "test"})
            page = client.get(here).text
        assert answer.status_code == 302
        assert watch.seconds < BUSY_SECONDS
        assert "The test is on its way." in page
        assert 'hx-trigger="every 2s"' in page
        monkeypatch.setattr(outbound_http, "TOTAL_SECONDS", 1)
        tasks.deliver_posts()  # the worker
    page = client.get(here).text
    assert said in page
    assert 'hx-trigger="every 2s"' not in page, "the page has stopped asking"


@pytest.mark.usefixtures("no_worker")
def test_ten_tests_are_one_post_even_if_the_webhook_is_created_again(settings):
    with receiver() as place:
        ana, client, page = with_webhook_at(place.port, settings)
        for _time in range(10):
            client.post(page, {"do": "test"})
            client.post(page, {"do": "remove"})
            page = page_of(webhooks.add(Owner(ana), url=place.url, shape="json"))
            client.post(page, {"do": "test"})
        assert "Wait a little" in client.get(page).text
        tasks.deliver_posts()
        assert len(place.posts) <= 1


@pytest.mark.usefixtures("no_worker")
def test_a_test_that_was_asked_for_is_posted_once_by_however_many_workers(settings):
    with receiver() as place:
        _ana, client, here = with_webhook_at(place.port, settings)
        client.post(here, {"do": "test"})
        Webhook.objects.update(test_begun_at=clock.now())  # another worker is sending it
        assert webhook_tests.send_requested() == 0
        assert place.posts == []


@pytest.mark.usefixtures("no_worker")
def test_a_test_whose_worker_died_is_reported_and_not_posted_again(settings):
    with receiver() as place:
        _ana, client, here = with_webhook_at(place.port, settings)
        client.post(here, {"do": "test"})
        Webhook.objects.update(test_begun_at=clock.now() - timedelta(minutes=3))
        assert webhook_tests.send_requested() == 0
        assert "No answer came to the test. It may have arrived." in client.get(here).text
        cache.clear()
        client.post(here, {"do": "test"})
        tasks.deliver_posts()
        assert len(place.posts) == 1, "it may be tried again"
        assert "The test has arrived: the answer was 204." in client.get(here).text

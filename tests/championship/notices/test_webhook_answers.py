"""The effects of the response to a post: retried, held, switched off, reported to the owner."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.urls import reverse
from django.utils.http import http_date

from championship.notices import outbound_http, selectors, services, ssrf
from championship.notices.models import Notice, SentMail, Webhook
from championship.notices.services import webhook_tests, webhook_transport, webhooks
from championship.notices.services.webhooks import Owner
from championship.platform.refusals import Refused
from tests.championship.notices.webhooks import announce, page_of, tell, with_webhook
from tests.factories import make_club, make_user, signed_in

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.mark.parametrize("status", [302, 400, 404, 429, 500, 503])
def test_any_other_answer_is_tried_again_later(place, status):
    ana, webhook = with_webhook(place)
    notice = tell(ana)
    place.answer, place.text = (status, {}), b"not now"
    services.deliver_due()
    notice.refresh_from_db()
    assert (notice.status, notice.attempts) == ("queued", 1)
    assert f"answered {status} not now" in notice.error
    webhook.refresh_from_db()
    assert webhook.last_answer == f"{status} not now"

    place.answer = (200, {})
    services.deliver_due(now=notice.next_try_at)
    notice.refresh_from_db()
    assert notice.status == "sent"
    first, second = place.posts
    assert first.headers["webhook-id"] == second.headers["webhook-id"]


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [("1800", 1800), ("90.4", 91), (http_date((NOON + timedelta(seconds=120)).timestamp()), 120)],
    ids=["seconds", "a fraction", "a date"],
)
def test_a_receiver_that_asks_us_to_wait_is_waited_for(place, at, asked, seconds):
    at(NOON)
    ana, _webhook = with_webhook(place)
    notice = tell(ana)
    place.answer = (429, {"Retry-After": asked})
    services.deliver_due()
    notice.refresh_from_db()
    assert notice.next_try_at == NOON + timedelta(seconds=seconds)


@pytest.mark.parametrize("asked", ["", "soon", "-5", "1e9", "Thu, 01 Jan 1970 00:00:00 GMT", "9" * 400])
def test_a_wait_that_nobody_can_read_is_our_own(asked):
    assert outbound_http.seconds_of(asked) is None


def test_a_receiver_that_no_longer_exists_disables_the_webhook_and_its_owner_sees_it(place):
    ana, webhook = with_webhook(place)
    notice = tell(ana)
    place.answer = (410, {})
    services.deliver_due()
    notice.refresh_from_db()
    assert notice.status == "dead"
    webhook.refresh_from_db()
    assert webhook.off_because == "410 Gone"
    assert "Switched off: 410 Gone" in signed_in(ana).get(page_of(webhook)).text
    services.enqueue(recipient=ana, kind="turn waits", subject_key="next", context={"rally": "x"}, link="")
    assert not Notice.objects.filter(subject_key="next", channel="webhook").exists()
    webhooks.change(Owner(ana), webhook.pk, url=place.url, shape="json")
    webhook.refresh_from_db()
    assert webhook.off_because == ""


def test_a_place_that_has_become_private_is_a_dead_letter_with_the_reason(place, settings):
    ana, _webhook = with_webhook(place)
    notice = tell(ana)
    settings.WEBHOOK_ALLOWED_ADDRESSES = []
    services.deliver_due()
    notice.refresh_from_db()
    assert notice.status == "dead"
    assert "We do not send to" in notice.error
    assert place.posts == []


def test_no_answer_in_a_chat_is_held_and_in_a_program_is_tried_again(place, monkeypatch):
    """A program can recognise a second copy by its delivery number; people would read it twice."""
    monkeypatch.setattr("championship.notices.outbound_http.TOTAL_SECONDS", 0.3)
    over = threading.Event()
    place.drip = lambda line: over.wait(120)
    statuses = {}
    for shape in ("json", "discord", "slack"):
        person, _webhook = with_webhook(place, shape)
        notice = tell(person, about=shape)
        services.deliver_due()
        notice.refresh_from_db()
        statuses[shape] = notice.status
    over.set()
    assert statuses == {"json": "queued", "discord": "unsure", "slack": "unsure"}


def fail_until_dead(at, person, about, began):
    """Let all tries of one notice fail."""
    notice = tell(person, about=about)
    Notice.objects.filter(pk=notice.pk).update(next_try_at=began)
    for _try in range(12):
        notice.refresh_from_db()
        if notice.status != "queued":
            break
        at(notice.next_try_at)
        services.deliver_due()
    notice.refresh_from_db()
    return notice


def test_a_webhook_that_fails_for_days_is_disabled_and_its_owner_gets_a_mail(place, at):
    """As when the channel at Discord was deleted and its owner forgot about the webhook."""
    ana, webhook = with_webhook(place, "discord")
    place.answer, place.text = (404, {}), b"Unknown Webhook"
    assert fail_until_dead(at, ana, "run 7 turn 1", NOON).status == "dead"
    webhook.refresh_from_db()
    assert (webhook.failures, webhook.off_because) == (12, ""), "half a day is no reason"

    next_day = NOON + webhook_transport.FAILING_FOR
    fail_until_dead(at, ana, "run 7 turn 2", next_day)
    webhook.refresh_from_db()
    assert (webhook.failures, webhook.off_because) == (20, "404 Unknown Webhook")
    assert len(place.posts) == 20, "nothing is posted there any more"
    page = signed_in(ana).get(page_of(webhook)).text
    assert "20 posts have failed in a row. Switched off: 404 Unknown Webhook" in page

    at(next_day + timedelta(days=1))
    services.deliver_due()
    letter = SentMail.objects.get(subject="Your webhook is switched off")
    assert letter.to == ana.email
    assert "20 posts have failed there in a row. The last answer was: 404 Unknown Webhook" in letter.body
    assert f"https://rally.example{page_of(webhook)}" in letter.body

    webhooks.change(Owner(ana), webhook.pk, url=place.url, shape="discord")
    webhook.refresh_from_db()
    assert (webhook.failures, webhook.failing_since, webhook.off_because) == (0, None, "")


def test_one_good_answer_ends_a_row_of_failures_and_a_test_does_not_add_to_it(place):
    ana, webhook = with_webhook(place)
    Webhook.objects.update(failures=19, failing_since=NOON)
    place.answer = (503, {})
    signed_in(ana).post(page_of(webhook), {"do": "test"})
    assert webhook_tests.send_requested() == 1
    webhook.refresh_from_db()
    assert webhook.failures == 19
    place.answer = (204, {})
    tell(ana)
    services.deliver_due()
    webhook.refresh_from_db()
    assert (webhook.failures, webhook.failing_since, webhook.off_because) == (0, None, "")


def test_a_failing_webhook_of_a_club_is_reported_to_its_creator(place):
    olga = make_user("Olga")
    club = make_club(owner=olga)
    webhook = webhooks.add(Owner(olga, club), url=place.url, shape="json")
    Webhook.objects.update(failures=19, failing_since=NOON - timedelta(days=400))
    announce(club)
    place.answer = (500, {})
    services.deliver_due()
    services.deliver_due()
    letter = SentMail.objects.get(to=olga.email)
    assert f"nothing is posted to the webhook of {club} any more" in letter.body
    assert f"https://rally.example/clubs/{club.slug}/webhook/{webhook.pk}/" in letter.body


def test_what_fails_at_a_persons_own_webhook_is_not_the_operators_matter(place):
    ana, _webhook = with_webhook(place)
    notice = tell(ana)
    Notice.objects.filter(pk=notice.pk).update(status="dead")
    assert selectors.dead_count() == 0
    assert not selectors.for_the_operator().exists()
    Notice.objects.filter(channel="mail").update(status="dead")
    assert selectors.dead_count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_that_add_at_once_do_not_go_beyond_the_most(place, monkeypatch):
    """Two tabs, or a double click."""
    monkeypatch.setattr(webhooks, "MOST", 1)
    ana, olga = make_user("Ana"), make_user("Olga")
    club = make_club(owner=olga)
    for owner in (Owner(ana), Owner(olga, club)):
        both = threading.Barrier(2)

        def save(shape, owner=owner, both=both):
            try:
                both.wait(120)
                return webhooks.add(owner, url=place.url, shape=shape).pk
            except Refused:
                return None
            finally:
                connection.close()

        with ThreadPoolExecutor(2) as pool:
            assert list(pool.map(save, ("json", "slack"))).count(None) == 1
    assert Webhook.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_a_name_is_asked_for_outside_of_any_transaction(place, monkeypatch):
    asked = []
    really = ssrf.destination

    def ask(url, **options):
        asked.append(connection.in_atomic_block)
        return really(url, **options)

    monkeypatch.setattr(ssrf, "destination", ask)
    olga = make_user("Olga")
    club = make_club(owner=olga)
    webhooks.add(Owner(olga), url=place.url, shape="json")
    webhooks.add(Owner(olga, club), url=place.url, shape="json")
    assert asked == [False, False]


def test_two_webhooks_of_one_owner_have_two_addresses(place):
    """Each post would arrive twice."""
    ana, webhook = with_webhook(place)
    other = webhooks.add(Owner(ana), url=place.url + "2", shape="json")
    with pytest.raises(Refused, match="would arrive twice") as refused:
        webhooks.add(Owner(ana), url=f" {place.url} ", shape="slack")
    assert refused.value.field == "url"
    with pytest.raises(Refused, match="would arrive twice"):
        webhooks.change(Owner(ana), other.pk, url=place.url, shape="json")
    webhooks.change(Owner(ana), webhook.pk, url=place.url, shape="slack")
    assert sorted(Webhook.objects.values_list("url", flat=True)) == [place.url, place.url + "2"]


def test_a_person_reads_that_a_club_posts_to_the_same_address(place):
    olga = make_user("Olga")
    club = make_club(owner=olga)
    webhooks.add(Owner(olga, club), url=place.url, shape="json")
    page = signed_in(olga).post(reverse("notices:webhook"), {"url": place.url, "shape": "json"}, follow=True).text
    assert "Some posts arrive there twice." in page


def test_posts_to_one_place_go_out_in_order_and_one_by_one(place):
    ana, _webhook = with_webhook(place)
    for turn in range(5):
        tell(ana, about=f"run 7 turn {turn}")
    services.deliver_due()
    assert [post.told["about"] for post in place.posts] == [f"run 7 turn {turn}" for turn in range(5)]

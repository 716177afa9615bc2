"""Webhooks: what is posted to real receivers, how it is signed, and what follows from their answers."""

import hashlib
import hmac
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.utils.translation import gettext, override

from championship.clubs.webhooks import set_club_webhook
from championship.notices import addresses, choosing, kinds, selectors, services
from championship.notices.models import Notice, SentMail, Webhook
from tests.championship.notices.receiver import receiver
from tests.factories import make_club, make_user, signed_in

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def place(settings, tmp_path, monkeypatch):
    settings.EMAIL_BACKEND = "championship.notices.mailbox.Backend"
    settings.SITE_URL = "https://rally.example"
    (tmp_path / "words.txt").write_text(
        '{% extends "notices/mail/base.txt" %}{% load i18n %}{% block content %}'
        '{{ rally }} waits. {% translate "Sign in" %}{% endblock %}'
    )
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [*settings.TEMPLATES[0]["DIRS"], tmp_path]}]
    monkeypatch.setattr(kinds, "_kinds", {})
    kinds.register("turn waits", subject="%(rally)s: your turn", body_template="words.txt", switch="a", urgent=True)
    kinds.register(
        "webhook off", subject="Your webhook is switched off", body_template="notices/mail/webhook_off.txt", urgent=True
    )
    kinds.register("podium", subject="%(rally)s is over", body_template="words.txt", public=True)
    with receiver() as place:
        settings.WEBHOOK_ALLOWED_ADDRESSES = place.allowed
        yield place


def with_webhook(place, shape="json", **fields):
    ana = make_user("Ana", **fields)
    return ana, choosing.set_webhook(person=ana, url=place.url, shape=shape)


def tell(person, *, rally="Monte", about="run 7 turn 1"):
    services.enqueue(
        recipient=person, kind="turn waits", subject_key=about, context={"rally": rally}, link="/runs/abc/"
    )
    return Notice.objects.get(channel="webhook", subject_key=about)


def test_a_notice_goes_by_mail_and_by_webhook_once_each(place):
    ana, _webhook = with_webhook(place)
    for _twice in range(2):
        tell(ana)
        services.deliver_due()
    assert dict(Notice.objects.values_list("channel", "status")) == {"mail": "sent", "webhook": "sent"}
    assert len(place.posts) == 1


def test_what_is_posted_is_signed_so_that_its_receiver_can_tell(place):
    ana, webhook = with_webhook(place)
    notice = tell(ana)
    services.deliver_due()
    [post] = place.posts
    assert post.path == "/hook?key=1"
    assert post.headers["Content-Type"] == "application/json; charset=utf-8"
    assert post.headers["X-Parc-Ferme-Delivery"] == str(notice.pk)
    proved = post.headers["X-Parc-Ferme-Timestamp"].encode() + b"." + post.body
    expected = hmac.new(webhook.secret.encode(), proved, hashlib.sha256).hexdigest()
    assert post.headers["X-Parc-Ferme-Signature"] == f"v1={expected}"
    assert abs(datetime.now(UTC).timestamp() - int(post.headers["X-Parc-Ferme-Timestamp"])) < 60
    assert post.told == {
        "id": str(notice.pk),
        "kind": "turn waits",
        "about": "run 7 turn 1",
        "language": "en",
        "title": "Monte: your turn",
        "text": "Monte waits. Sign in",
        "link": "https://rally.example/runs/abc/",
    }


def test_a_webhook_speaks_its_owners_language(place):
    ana, _webhook = with_webhook(place, language="de")
    tell(ana)
    services.deliver_due()
    assert place.posts[0].told["text"] == "Monte waits. Anmelden"


def test_discord_gets_an_embed_that_wakes_nobody(place):
    ana, _webhook = with_webhook(place, "discord")
    tell(ana, rally="@everyone " + "x" * 5000)
    services.deliver_due()
    told = place.posts[0].told
    assert told["allowed_mentions"] == {"parse": []}
    [embed] = told["embeds"]
    assert embed["url"] == "https://rally.example/runs/abc/"
    assert len(embed["title"]) == 256
    assert len(embed["description"]) <= 4096
    assert told["content"] == ""


def test_slack_gets_a_link_and_no_markup_of_others(place):
    ana, _webhook = with_webhook(place, "slack")
    tell(ana, rally="<!channel> & <b>")
    services.deliver_due()
    text = place.posts[0].told["text"]
    assert text == (
        "<https://rally.example/runs/abc/|&lt;!channel&gt; &amp; &lt;b&gt;: your turn>\n"
        "&lt;!channel&gt; &amp; &lt;b&gt; waits. Sign in"
    )


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
    assert first.headers["X-Parc-Ferme-Delivery"] == second.headers["X-Parc-Ferme-Delivery"]


def test_a_receiver_that_asks_us_to_wait_is_waited_for(place):
    ana, _webhook = with_webhook(place)
    notice = tell(ana)
    place.answer = (429, {"Retry-After": "1800"})
    services.deliver_due(now=NOON + timedelta(days=400))
    notice.refresh_from_db()
    assert notice.next_try_at == NOON + timedelta(days=400, seconds=1800)


def test_a_receiver_that_is_gone_switches_the_webhook_off_and_its_owner_sees_it(place):
    ana, webhook = with_webhook(place)
    notice = tell(ana)
    place.answer = (410, {})
    services.deliver_due()
    notice.refresh_from_db()
    assert notice.status == "dead"
    webhook.refresh_from_db()
    assert webhook.off_because == "410 Gone"
    assert "Switched off: 410 Gone" in signed_in(ana).get("/me/notices/").text
    services.enqueue(recipient=ana, kind="turn waits", subject_key="next", context={"rally": "x"}, link="")
    assert not Notice.objects.filter(subject_key="next", channel="webhook").exists()
    choosing.set_webhook(person=ana, url=place.url, shape="json")
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
    """A program can tell a second copy by its delivery; people would read it twice."""
    monkeypatch.setattr("championship.notices.posting.TOTAL_SECONDS", 0.3)
    over = threading.Event()
    place.drip = lambda line: over.wait(60)
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
    """All tries of one notice fail."""
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


def test_a_webhook_that_only_fails_for_a_day_is_switched_off_and_its_owner_told_by_mail(place, at):
    """Somebody has deleted the channel at Discord, and forgotten us."""
    ana, webhook = with_webhook(place, "discord")
    place.answer, place.text = (404, {}), b"Unknown Webhook"
    assert fail_until_dead(at, ana, "run 7 turn 1", NOON).status == "dead"
    webhook.refresh_from_db()
    assert (webhook.failures, webhook.off_because) == (12, ""), "half a day is no reason"

    next_day = NOON + timedelta(days=1)
    fail_until_dead(at, ana, "run 7 turn 2", next_day)
    webhook.refresh_from_db()
    assert (webhook.failures, webhook.off_because) == (20, "404 Unknown Webhook")
    assert len(place.posts) == 20, "nothing is posted there any more"
    page = signed_in(ana).get("/me/notices/").text
    assert "20 posts have failed in a row. Switched off: 404 Unknown Webhook" in page

    at(next_day + timedelta(days=1))
    services.deliver_due()
    letter = SentMail.objects.get(subject="Your webhook is switched off")
    assert letter.to == ana.email
    assert "20 posts have failed there in a row. The last answer was: 404 Unknown Webhook" in letter.body
    assert "https://rally.example/me/notices/" in letter.body

    choosing.set_webhook(person=ana, url=place.url, shape="discord")
    webhook.refresh_from_db()
    assert (webhook.failures, webhook.failing_since, webhook.off_because) == (0, None, "")


def test_one_good_answer_ends_a_row_of_failures_and_a_test_does_not_add_to_it(place):
    ana, webhook = with_webhook(place)
    Webhook.objects.update(failures=19, failing_since=NOON)
    place.answer = (503, {})
    signed_in(ana).post("/me/notices/webhook/", {"do": "test"})
    webhook.refresh_from_db()
    assert webhook.failures == 19
    place.answer = (204, {})
    tell(ana)
    services.deliver_due()
    webhook.refresh_from_db()
    assert (webhook.failures, webhook.failing_since, webhook.off_because) == (0, None, "")


def test_a_clubs_webhook_that_fails_is_told_to_who_set_it_up(place):
    olga = make_user("Olga")
    club = make_club(owner=olga)
    choosing.set_webhook(club=club, by=olga, url=place.url, shape="json")
    Webhook.objects.update(failures=19, failing_since=NOON - timedelta(days=400))
    announce(club)
    place.answer = (500, {})
    services.deliver_due()
    services.deliver_due()
    letter = SentMail.objects.get(to=olga.email)
    assert f"nothing is posted to the webhook of {club} any more" in letter.body
    assert f"https://rally.example/clubs/{club.slug}/webhook/" in letter.body


def test_what_fails_at_a_persons_own_webhook_is_not_the_operators_matter(place):
    ana, _webhook = with_webhook(place)
    notice = tell(ana)
    Notice.objects.filter(pk=notice.pk).update(status="dead")
    assert selectors.dead_count() == 0
    assert not selectors.for_the_operator().exists()
    Notice.objects.filter(channel="mail").update(status="dead")
    assert selectors.dead_count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_first_saves_at_once_keep_one_webhook(place):
    """Two tabs, or a double click: the second finds what the first has kept."""
    ana, olga = make_user("Ana"), make_user("Olga")
    club = make_club(owner=olga)
    for owner in ({"person": ana}, {"club": club, "by": olga}):
        both = threading.Barrier(2)

        def save(shape, owner=owner, both=both):
            try:
                both.wait(30)
                return choosing.set_webhook(url=place.url, shape=shape, **owner).pk
            finally:
                connection.close()

        with ThreadPoolExecutor(2) as pool:
            assert len(set(pool.map(save, ("json", "slack")))) == 1
    assert Webhook.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_a_name_is_asked_for_outside_of_any_transaction(place, monkeypatch):
    asked = []
    really = addresses.destination

    def ask(url, **options):
        asked.append(connection.in_atomic_block)
        return really(url, **options)

    monkeypatch.setattr(addresses, "destination", ask)
    olga = make_user("Olga")
    club = make_club(owner=olga)
    choosing.set_webhook(person=olga, url=place.url, shape="json")
    set_club_webhook(by=olga, club=club, url=place.url, shape="json")
    assert asked == [False, False]


def test_posts_to_one_place_go_out_in_order_and_one_by_one(place):
    ana, _webhook = with_webhook(place)
    for turn in range(5):
        tell(ana, about=f"run 7 turn {turn}")
    services.deliver_due()
    assert [post.told["about"] for post in place.posts] == [f"run 7 turn {turn}" for turn in range(5)]


# The page ---------------------------------------------------------------------------------------------


def test_a_person_sets_a_webhook_tries_it_and_takes_it_away(place):
    ana = make_user("Ana")
    client = signed_in(ana)
    assert client.post("/me/notices/webhook/", {"do": "test"}).status_code == 404
    client.post("/me/notices/webhook/", {"url": place.url, "shape": "json"})
    webhook = Webhook.objects.get(person=ana)
    assert webhook.secret in client.get("/me/notices/").text

    client.post("/me/notices/webhook/", {"do": "test"})
    assert place.posts[0].told["title"] == "A test of your webhook"
    assert "The test has arrived: the answer was 204." in client.get("/me/notices/").text
    place.answer, place.text = (403, {}), b"<b>no</b>"
    client.post("/me/notices/webhook/", {"do": "test"})
    assert "Wait a little" in client.get("/me/notices/").text
    assert len(place.posts) == 1, "one test at a time"
    Webhook.objects.update(last_at=webhook.last_at)
    client.post("/me/notices/webhook/", {"do": "test"})
    assert "The test was refused: 403 &lt;b&gt;no&lt;/b&gt;" in client.get("/me/notices/").text

    client.post("/me/notices/webhook/", {"do": "remove"})
    assert not Webhook.objects.exists()


def test_another_address_gets_another_secret_and_the_same_one_keeps_it(place):
    ana, webhook = with_webhook(place)
    assert choosing.set_webhook(person=ana, url=place.url, shape="slack").secret == webhook.secret
    changed = choosing.set_webhook(person=ana, url=place.url + "2", shape="slack")
    assert changed.pk == webhook.pk
    assert changed.secret != webhook.secret


# Clubs ------------------------------------------------------------------------------------------------


def announce(club, about="rally 7"):
    return services.announce(
        club=club, kind="podium", subject_key=about, context={"rally": "Monte"}, link="/rallies/x/"
    )


def test_a_club_is_told_once_in_the_language_of_who_set_it_up(place):
    olga = make_user("Olga", language="de")
    club = make_club(owner=olga)
    assert announce(club) is None, "a club without a webhook is not told"
    choosing.set_webhook(club=club, by=olga, url=place.url, shape="json")
    assert announce(club) is not None
    assert announce(club) is None
    services.deliver_due()
    [post] = place.posts
    assert post.told["title"] == "Monte is over"
    assert post.told["text"] == "Monte waits. Anmelden"
    notice = Notice.objects.get()
    assert (notice.recipient, notice.club_id, notice.status) == (None, club.pk, "sent")


def test_a_club_is_not_told_what_is_for_one_person(place):
    with pytest.raises(LookupError):
        services.announce(club=make_club(), kind="turn waits", subject_key="x", context={}, link="")


def test_what_went_wrong_is_told_in_its_owners_language(place, settings):
    """The worker that posts speaks none in particular."""
    ana, webhook = with_webhook(place, language="de")
    settings.WEBHOOK_ALLOWED_ADDRESSES = []
    notice = tell(ana)
    services.deliver_due()
    webhook.refresh_from_db()
    with override("de"):
        said = gettext("We do not send to port %(port)d.") % {"port": place.port}
    assert webhook.last_answer == said
    assert "We do not send" not in said, "German is another language"
    notice.refresh_from_db()
    assert notice.status == "dead"


def test_its_owner_is_told_in_words_and_the_operator_what_the_machine_said(place):
    ana, webhook = with_webhook(place)
    place.drip = lambda line: line.close()
    notice = tell(ana)
    services.deliver_due()
    webhook.refresh_from_db()
    notice.refresh_from_db()
    assert webhook.last_answer == "The connection broke off."
    assert "Error" in notice.error

"""Webhooks: what is posted to real receivers, how it is signed, and for whom."""

import base64
import hashlib
import hmac
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.core.cache import cache
from django.utils.translation import gettext, override

from championship.audit.models import Record
from championship.notices import kinds, services
from championship.notices.models import Notice, Webhook
from championship.notices.services import webhook_tests, webhook_transport, webhooks
from championship.notices.services.webhooks import Owner
from championship.platform.refusals import Refused
from tests.championship.notices.receiver import receiver
from tests.championship.notices.webhooks import announce, page_of, tell, with_webhook
from tests.factories import make_club, make_user, signed_in

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def test_a_notice_goes_by_mail_and_by_webhook_once_each(place):
    ana, _webhook = with_webhook(place)
    for _twice in range(2):
        tell(ana)
        services.deliver_due()
    assert dict(Notice.objects.values_list("channel", "status")) == {"mail": "sent", "webhook": "sent"}
    assert len(place.posts) == 1


SIGNED = json.loads((Path(__file__).parent / "standard_webhooks.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("vector", SIGNED, ids=lambda each: each["about"])
def test_signatures_are_those_of_standard_webhooks(vector):
    made = webhook_transport.signature(vector["secret"], vector["id"], vector["timestamp"], vector["body"].encode())
    assert made == vector["signature"]


def test_what_is_posted_is_signed_so_that_its_receiver_can_tell(place, at):
    at(NOON)
    ana, webhook = with_webhook(place)
    notice = tell(ana)
    services.deliver_due()
    [post] = place.posts
    assert post.path == "/hook?key=1"
    assert post.headers["Content-Type"] == "application/json; charset=utf-8"
    assert post.headers["webhook-id"] == str(notice.pk)
    sent = post.headers["webhook-timestamp"]
    assert sent == str(int(NOON.timestamp()))
    assert webhook.secret.startswith("whsec_")
    key = base64.b64decode(webhook.secret.removeprefix("whsec_"))
    expected = hmac.new(key, f"{notice.pk}.{sent}.".encode() + post.body, hashlib.sha256).digest()
    assert post.headers["webhook-signature"] == "v1," + base64.b64encode(expected).decode()
    assert not [name for name in post.headers if name.startswith("X-Parc-Ferme")]
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


def test_discord_gets_no_markup_of_others(place):
    ana, _webhook = with_webhook(place, "discord")
    tell(ana, rally="[Sign in](https://evil.example/login) **now** <@1> `x` ||y||")
    services.deliver_due()
    [embed] = place.posts[0].told["embeds"]
    escaped = r"\[Sign in\]\(https\://evil.example/login\) \*\*now\*\* \<\@1\> \`x\` \|\|y\|\|"
    assert embed["description"] == f"{escaped} waits. Sign in"
    assert embed["title"].startswith(escaped)


@pytest.mark.parametrize("most", range(1, 9))
def test_a_text_for_discord_is_never_cut_within_an_escape(most):
    cut = webhook_transport._for_discord("a*b*c*", most)
    assert len(cut) <= most
    assert not cut.endswith("\\")


def test_slack_gets_a_link_and_no_markup_of_others(place):
    ana, _webhook = with_webhook(place, "slack")
    tell(ana, rally="<!channel> & <b>")
    services.deliver_due()
    text = place.posts[0].told["text"]
    assert text == (
        "<https://rally.example/runs/abc/|&lt;!channel&gt; &amp; &lt;b&gt;: your turn>\n"
        "&lt;!channel&gt; &amp; &lt;b&gt; waits. Sign in"
    )


# The page ---------------------------------------------------------------------------------------------


def test_a_person_adds_a_webhook_tries_it_and_takes_it_away(place):
    ana = make_user("Ana")
    client = signed_in(ana)
    added = client.post("/me/notices/webhook/", {"url": place.url, "shape": "json", "name": "Desk"})
    webhook = Webhook.objects.get(person=ana)
    page = page_of(webhook)
    assert added["Location"] == page
    assert webhook.secret in client.get(page).text
    assert all(page in client.get(path).text for path in ("/me/notices/", "/me/notices/webhook/"))

    client.post(page, {"do": "test"})
    assert place.posts == [], "nothing is posted within the request"
    assert "The test is on its way." in client.get(page).text
    assert webhook_tests.send_requested() == 1
    assert place.posts[0].told["title"] == "A test of your webhook"
    assert "The test has arrived: the answer was 204." in client.get(page).text
    place.answer, place.text = (403, {}), b"<b>no</b>"
    client.post(page, {"do": "test"})
    assert "Wait a little" in client.get(page).text
    assert webhook_tests.send_requested() == 0, "one test at a time"
    Webhook.objects.update(last_at=webhook.last_at)
    cache.clear()
    client.post(page, {"do": "test"})
    webhook_tests.send_requested()
    assert "The test was refused: 403 &lt;b&gt;no&lt;/b&gt;" in client.get(page).text

    for do in ({"do": "test"}, {"do": "rotate"}, {"do": "remove"}, {"url": place.url, "shape": "json"}):
        assert signed_in(make_user()).post(page, do).status_code == 404, "it is another person's"
    client.post(page, {"do": "remove"})
    assert not Webhook.objects.exists()
    acts = Record.objects.filter(action__startswith="webhook").order_by("pk")
    assert [(act.action, act.details) for act in acts] == [
        ("webhook set", {"shape": "json", "name": "Desk"}),
        ("webhook removed", {"shape": "json", "name": "Desk"}),
    ]


def test_another_address_gets_another_secret_and_the_same_one_keeps_it(place):
    ana, webhook = with_webhook(place)
    assert webhooks.change(Owner(ana), webhook.pk, url=place.url, shape="slack").secret == webhook.secret
    changed = webhooks.change(Owner(ana), webhook.pk, url=place.url + "2", shape="slack")
    assert changed.pk == webhook.pk
    assert changed.secret != webhook.secret


@pytest.mark.parametrize(
    ("wrong", "field"),
    [({"kinds": ["podium"]}, "kinds"), ({"name": "a\u202eb"}, "name"), ({"name": "x" * 61}, "name")],
)
def test_what_makes_no_sense_is_refused_at_its_field(place, wrong, field):
    ana = make_user("Ana")
    with pytest.raises(Refused) as refused:
        webhooks.add(Owner(ana), url=place.url, shape="json", **wrong)
    assert refused.value.field == field
    page = signed_in(ana).post("/me/notices/webhook/", {"url": place.url, "shape": "json", **wrong})
    assert page.status_code == 422
    assert f'id="id_{field}_error"' in page.text


# Several ----------------------------------------------------------------------------------------------


def test_each_webhook_gets_the_kinds_that_it_takes_once(place):
    kinds.register("results", subject="%(rally)s: results", body_template="words.txt", switch="b")
    ana, _all = with_webhook(place)
    webhooks.add(Owner(ana), url=place.url + "&results", shape="json", kinds=["results"])
    for kind in ("turn waits", "results", "results"):
        services.enqueue(recipient=ana, kind=kind, subject_key="run 7", context={"rally": "Monte"}, link="/")
    services.deliver_due()
    assert sorted((post.path, post.told["kind"]) for post in place.posts) == [
        ("/hook?key=1", "results"),
        ("/hook?key=1", "turn waits"),
        ("/hook?key=1&results", "results"),
    ]


def test_one_that_fails_keeps_nothing_from_the_other(place, settings):
    ana, _first = with_webhook(place)
    with receiver() as broken:
        broken.answer = (500, {})
        settings.WEBHOOK_ALLOWED_ADDRESSES = [*place.allowed, *broken.allowed]
        webhooks.add(Owner(ana), url=broken.url, shape="json")
        services.enqueue(recipient=ana, kind="turn waits", subject_key="run 7", context={"rally": "Monte"}, link="/")
        services.deliver_due()
        assert (len(place.posts), len(broken.posts)) == (1, 1)
    assert sorted(Notice.objects.filter(channel="webhook").values_list("status", flat=True)) == ["queued", "sent"]


def test_while_the_secret_is_changed_both_sign(place, at):
    at(NOON)
    ana, webhook = with_webhook(place)
    client, page, old = signed_in(ana), page_of(webhook), webhook.secret
    client.post(page, {"do": "rotate"})
    webhook.refresh_from_db()
    assert webhook.secret != old and old in client.get(page).text
    assert signed_by(place, ana, "first") == {webhook.secret, old}
    at(NOON + webhooks.OLD_SECRET_FOR)
    assert signed_by(place, ana, "second") == {webhook.secret}
    assert old not in webhook_page(ana, page)


def webhook_page(person, page):
    return signed_in(person).get(page).text


def signed_by(place, person, about):
    """Return the secrets that sign the next post. Like a receiver, this tries all known secrets."""
    tell(person, about=about)
    services.deliver_due()
    post, webhook = place.posts[-1], Webhook.objects.get()
    sent = post.headers["webhook-id"], post.headers["webhook-timestamp"], post.body
    signed = post.headers["webhook-signature"].split(" ")
    found = {
        known for known in (webhook.secret, webhook.old_secret) if webhook_transport.signature(known, *sent) in signed
    }
    assert len(found) == len(signed)
    return found


def test_what_was_posted_is_listed_and_sent_again_under_the_same_number(place):
    ana, webhook = with_webhook(place)
    notice = tell(ana)
    client, page = signed_in(ana), page_of(webhook)
    assert "Send again" not in client.get(page).text, "it waits"
    place.answer, place.text = (410, {}), b"no more"
    services.deliver_due()
    assert "410 no more" in client.get(page).text
    client.post(page, {"do": "again", "post": str(notice.pk)})
    assert "The webhook is switched off." in client.get(page).text
    client.post(page, {"url": place.url, "shape": "json"})
    place.answer = (200, {})
    for _twice in range(2):
        client.post(page, {"do": "again", "post": str(notice.pk)})
    services.deliver_due()
    assert [post.headers["webhook-id"] for post in place.posts] == [str(notice.pk)] * 2
    notice.refresh_from_db()
    assert (notice.status, notice.answer) == ("sent", "200 no more")
    for other in ("nonsense", "", "7c9e6679-7425-40de-944b-e07fc1f90ae7"):
        assert client.post(page, {"do": "again", "post": other}).status_code == 404


# Clubs ------------------------------------------------------------------------------------------------


def test_a_club_gets_one_post_in_the_language_of_the_webhooks_creator(place):
    olga = make_user("Olga", language="de")
    club = make_club(owner=olga)
    assert announce(club) is None, "a club without a webhook is not told"
    webhooks.add(Owner(olga, club), url=place.url, shape="json")
    assert announce(club) is not None
    assert announce(club) is None
    services.deliver_due()
    [post] = place.posts
    assert post.told["title"] == "Monte is over"
    assert post.told["text"] == "Monte waits. Anmelden"
    notice = Notice.objects.get()
    assert (notice.recipient, notice.club_id, notice.status) == (None, club.pk, "sent")


def test_a_club_gets_no_personal_notices(place):
    with pytest.raises(LookupError):
        services.announce(club=make_club(), kind="turn waits", subject_key="x", context={}, link="")


def test_errors_are_in_the_owners_language(place, settings):
    """The worker that posts has no language of its own."""
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


def test_the_owner_sees_an_explanation_and_the_operator_the_technical_error(place):
    ana, webhook = with_webhook(place)
    place.drip = lambda line: line.close()
    notice = tell(ana)
    services.deliver_due()
    webhook.refresh_from_db()
    notice.refresh_from_db()
    assert webhook.last_answer == "The connection broke off."
    assert "Error" in notice.error

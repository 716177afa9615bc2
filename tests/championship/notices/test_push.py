"""Web push: encrypted for one browser only, signed with our key, and deleted when the subscription is gone."""

import base64
import json
from types import SimpleNamespace

import http_ece
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import reverse
from py_vapid import Vapid02

from championship.notices import kinds, services
from championship.notices.models import Keypair, Notice, PushSubscription
from championship.notices.services import notice_choices, push_transport
from championship.platform import clock
from championship.platform.refusals import Refused
from tests.championship.notices.receiver import receiver
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db


def in_base64(number):
    return base64.urlsafe_b64encode(number).rstrip(b"=").decode()


class Browser:
    """The browser's half of a subscription: the keys that only it has."""

    def __init__(self, place, name="1"):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.secret = b"sixteen secrets!"
        self.endpoint = f"http://127.0.0.1:{place.port}/push/{name}"
        point = self.key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        )
        self.keys = {"p256dh": in_base64(point), "auth": in_base64(self.secret)}

    def read(self, post):
        plain = http_ece.decrypt(post.body, private_key=self.key, auth_secret=self.secret, version="aes128gcm")
        return json.loads(plain)


@pytest.fixture
def place(settings, tmp_path, monkeypatch):
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
    (tmp_path / "words.txt").write_text(
        '{% extends "notices/mail/base.txt" %}{% block content %}it is {% translate "Sign in" %}\n\n'
        "To the stage:{% endblock %}"
    )
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [*settings.TEMPLATES[0]["DIRS"], tmp_path]}]
    monkeypatch.setattr(kinds, "_kinds", {})
    kinds.register("turn waits", subject="Your turn, Côte", body_template="words.txt", switch="a", urgent=True)
    kinds.register("news", subject="News", body_template="words.txt", switch="b")
    with receiver() as place:
        place.answer = (201, {})
        settings.WEBHOOK_ALLOWED_ADDRESSES = place.allowed
        yield place


def with_browser(place, person=None, name="1"):
    browser = Browser(place, name)
    notice_choices.add_browser(person=person or make_user("Ana"), endpoint=browser.endpoint, **browser.keys)
    return browser


def tell(person, kind="turn waits", about="run 7 turn 1"):
    services.enqueue(recipient=person, kind=kind, subject_key=about, context={}, link="/runs/abc/")
    return Notice.objects.filter(channel="push", subject_key=about).first()


def test_a_push_is_read_by_the_browser_it_is_for(place):
    jan = make_user("Jan", language="de")
    browser = with_browser(place, jan)
    notice = tell(jan)
    services.deliver_due()
    [post] = place.posts
    assert browser.read(post) == {
        "title": "Your turn, Côte",
        "body": "It is Anmelden",
        "path": "/runs/abc/",
        "tag": str(notice.pk),
        "lang": "de",
    }
    with pytest.raises(Exception):  # noqa: B017  a wrong key may raise any error
        Browser(place).read(post)
    assert post.headers["Content-Encoding"] == "aes128gcm"
    assert post.headers["Urgency"] == "high"
    assert int(post.headers["TTL"]) > 0


def test_a_push_service_can_tell_that_it_is_us(place, settings):
    settings.PUSH_CONTACT = "mailto:olga@example.org"
    ana = make_user("Ana")
    with_browser(place, ana)
    tell(ana)
    services.deliver_due()
    header = place.posts[0].headers["Authorization"]
    assert Vapid02.verify(header)
    token = header.split("t=")[1].split(",")[0]
    claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
    assert claims["aud"] == f"http://127.0.0.1:{place.port}"
    assert claims["sub"] == "mailto:olga@example.org"
    assert header.endswith(f"k={push_transport.public_key()}"), "the key a browser was told when it subscribed"


def test_the_key_is_made_once_and_kept(place, settings):
    first = push_transport.public_key()
    assert push_transport.public_key() == first
    kept = Keypair.objects.get(name="push")
    settings.VAPID_PRIVATE_KEY = kept.private_pem
    Keypair.objects.all().delete()
    assert push_transport.public_key() == first
    settings.VAPID_PRIVATE_KEY = "nonsense"
    with pytest.raises(ImproperlyConfigured):
        push_transport.public_key()


@pytest.mark.parametrize("status", [404, 410])
def test_an_expired_subscription_is_deleted(place, status):
    ana = make_user("Ana")
    with_browser(place, ana)
    notice = tell(ana)
    place.answer = (status, {})
    services.deliver_due()
    notice.refresh_from_db()
    assert notice.status == "dropped"
    assert not PushSubscription.objects.exists()
    assert tell(ana, about="next") is None


@pytest.mark.parametrize("status", [400, 401, 403])
def test_a_browser_whose_push_service_refuses_us_again_and_again_is_removed_and_its_person_reads_why(place, status):
    """As after a change of the installation's key: the browser subscribed with the older one."""
    ana = make_user("Ana")
    with_browser(place, ana)
    place.answer = (status, {})
    notice = tell(ana)
    for _try in range(push_transport.MOST_REFUSALS):
        Notice.objects.filter(pk=notice.pk).update(next_try_at=clock.now())
        services.deliver_due()
    notice.refresh_from_db()
    assert notice.status == "dropped"
    assert not PushSubscription.objects.exists()
    letter = Notice.objects.get(kind="push off")
    assert (letter.recipient, letter.channel, letter.link) == (ana, "mail", "/me/notices/")


def test_refusals_are_counted_in_a_row(place):
    ana = make_user("Ana")
    with_browser(place, ana)
    for turn, status in enumerate((403, 403, 201, 403)):
        place.answer = (status, {})
        tell(ana, about=f"run 7 turn {turn}")
        services.deliver_due()
    assert PushSubscription.objects.get().refusals == 1


def test_each_browser_gets_a_notice_once_even_if_another_is_retried(place):
    ana = make_user("Ana")
    for name in ("phone", "desk"):
        with_browser(place, ana, name)
    notice = tell(ana)
    seen = []

    def broken_desk(line):
        path = place.posts[-1].path
        seen.append(path)
        broken = path == "/push/desk" and len(seen) < 3
        line.write(b"HTTP/1.0 503 Busy\r\n\r\n" if broken else b"HTTP/1.0 201 Created\r\n\r\n")

    place.drip = broken_desk
    services.deliver_due()
    notice.refresh_from_db()
    assert notice.status == "queued"
    services.deliver_due(now=notice.next_try_at)
    notice.refresh_from_db()
    assert notice.status == "sent"
    assert seen == ["/push/phone", "/push/desk", "/push/desk"]


def test_pushes_are_for_urgent_notices_by_default(place):
    ana = make_user("Ana")
    with_browser(place, ana)
    assert tell(ana, "news", about="1") is None
    notice_choices.set_switches(person=ana, on=[("news", "push")])
    assert tell(ana, "news", about="2") is not None


# Subscribing ------------------------------------------------------------------------------------------


def subscription_of(browser):
    return {"endpoint": browser.endpoint, "expirationTime": None, "keys": browser.keys}


def subscribe(client, browser):
    return client.post("/me/notices/browsers/", subscription_of(browser), content_type="application/json")


def test_a_browser_subscribes_by_script_and_is_taken_off_by_a_button(place):
    ana = make_user("Ana")
    client = signed_in(ana)
    browser = Browser(place)
    for _twice in range(2):
        assert subscribe(client, browser).status_code == 204
    kept = PushSubscription.objects.get()
    page = client.get("/me/notices/").text
    assert f'action="/me/notices/browsers/{kept.pk}/remove/"' in page
    assert f'data-key="{push_transport.public_key()}"' in page

    assert signed_in(make_user()).post(f"/me/notices/browsers/{kept.pk}/remove/").status_code == 404
    assert PushSubscription.objects.exists(), "one does not take off somebody else's"
    for _twice in range(2):
        assert client.post(f"/me/notices/browsers/{kept.pk}/remove/").status_code == 302
    assert not PushSubscription.objects.exists()


def test_signing_out_stops_notices_in_that_browser_only(place):
    """A shared computer: the next user must not read notices for the user before."""
    ana = make_user("Ana")
    here, phone = signed_in(ana), signed_in(ana)
    subscribe(here, Browser(place, "desk"))
    subscribe(phone, Browser(place, "phone"))
    here.post("/account/logout/")
    assert [kept.endpoint.rpartition("/")[2] for kept in PushSubscription.objects.all()] == ["phone"]
    assert phone.get("/me/notices/").status_code == 200


def test_a_browser_that_subscribed_in_another_session_tells_by_script_which_one_it_is(place):
    ana, ben = make_user("Ana"), make_user("Ben")
    desk, bens = Browser(place, "desk"), Browser(place, "ben's")
    subscribe(signed_in(ana), desk)
    subscribe(signed_in(ben), bens)
    later = signed_in(ana)
    assert "data-sign-out" in later.get("/me/").text
    assert "js/sign-out.js" in later.get("/me/").text
    later.post("/account/logout/", {"push_endpoint": bens.endpoint})
    assert PushSubscription.objects.count() == 2, "nobody is taken off by others"
    signed_in(ana).post("/account/logout/", {"push_endpoint": desk.endpoint})
    assert PushSubscription.objects.get().person == ben


def test_a_browser_without_a_name_can_be_taken_off_by_name_all_the_same(place):
    ana = make_user("Ana")
    with_browser(place, ana)
    assert 'aria-label="Remove A browser"' in signed_in(ana).get("/me/notices/").text


def test_slow_browsers_keep_the_others_waiting_once_only(place, monkeypatch):
    passed = [0.0]
    monkeypatch.setattr(push_transport, "time", SimpleNamespace(monotonic=lambda: passed[0]))
    ana = make_user("Ana")
    for name in ("slow", "desk"):
        with_browser(place, ana, name)
    notice = tell(ana)

    def only_the_desk_answers(line):
        if place.posts[-1].path == "/push/slow":
            passed[0] += push_transport.LONGEST_FOR_ONE  # and closes the connection
        else:
            line.write(b"HTTP/1.0 201 Created\r\n\r\n")

    place.drip = only_the_desk_answers
    services.deliver_due()
    assert [post.path for post in place.posts] == ["/push/slow"]
    notice.refresh_from_db()
    services.deliver_due(now=notice.next_try_at)
    assert [post.path for post in place.posts] == ["/push/slow", "/push/desk", "/push/slow"]
    notice.refresh_from_db()
    assert (notice.status, len(notice.reached)) == ("queued", 1)


def renew(old, new, **secret):
    """Post what a service worker posts when its browser has renewed its subscription. Nobody is signed in."""
    told = {"old": {"endpoint": old.endpoint, "keys": {**old.keys, **secret}}, "new": subscription_of(new)}
    return Client(enforce_csrf_checks=True).post("/me/notices/browsers/renewed/", told, content_type="application/json")


def test_a_browser_that_renews_its_subscription_goes_on_showing_notices(place):
    ana = make_user("Ana")
    here, browser, fresh = signed_in(ana), Browser(place, "old"), Browser(place, "new")
    subscribe(here, browser)
    before = PushSubscription.objects.get()
    PushSubscription.objects.update(refusals=3)
    assert renew(browser, fresh).status_code == 204
    kept = PushSubscription.objects.get()
    assert (kept.pk, kept.person, kept.browser, kept.refusals) == (before.pk, ana, before.browser, 0)
    tell(ana)
    services.deliver_due()
    [post] = place.posts
    assert (post.path, fresh.read(post)["title"]) == ("/push/new", "Your turn, Côte")
    assert renew(browser, fresh).status_code == 404, "the old one is gone"
    here.post("/account/logout/")
    assert not PushSubscription.objects.exists(), "it is still the browser of that session"


def test_only_who_knows_the_secret_of_a_subscription_renews_it(place):
    ana = make_user("Ana")
    browser = with_browser(place, ana)
    other = Browser(place, "other")
    for wrong in (in_base64(b"another secret!!"), "", "\x00", "ą", "\ud800"):
        assert renew(browser, other, auth=wrong).status_code == 404
    unknown = SimpleNamespace(endpoint="\x00\ud800", keys=browser.keys)
    assert renew(unknown, other).status_code == 404
    assert renew(browser, SimpleNamespace(endpoint="https://10.0.0.1/x", keys=other.keys)).status_code == 422
    assert renew(browser, SimpleNamespace(endpoint=other.endpoint, keys={**other.keys, "auth": "x"})).status_code == 422
    for body in ("[]", "{", '{"old": {}}', '{"old": 1, "new": 2}'):
        answer = Client().post("/me/notices/browsers/renewed/", body, content_type="application/json")
        assert answer.status_code == 422
    assert PushSubscription.objects.get().endpoint == browser.endpoint


def test_a_browser_that_has_subscribed_meanwhile_is_there_once(place):
    ana = make_user("Ana")
    old, fresh = with_browser(place, ana, "old"), with_browser(place, ana, "new")
    assert renew(old, fresh).status_code == 204
    assert PushSubscription.objects.get().endpoint == fresh.endpoint


def test_a_browser_shows_the_notices_of_the_last_subscriber(place):
    ana, ben = make_user("Ana"), make_user("Ben")
    browser = Browser(place)
    for person in (ana, ben):
        subscribe(signed_in(person), browser)
    assert PushSubscription.objects.get().person == ben


@pytest.mark.parametrize(
    "body",
    [
        *("", "[]", "null", "{", '"x"', '{"endpoint": "x"}', '{"endpoint": "https://a.example", "keys": []}'),
        '{"endpoint": "https://a.example", "keys": {"p256dh": "x", "auth": "y"}}',
        '{"endpoint": "https://a.example", "keys": {"p256dh": "\\u0000", "auth": null}}',
    ],
)
def test_what_is_no_subscription_is_refused(place, body):
    answer = signed_in(make_user()).post("/me/notices/browsers/", body, content_type="application/json")
    assert answer.status_code == 422
    assert answer.json()["message"]


@pytest.mark.parametrize(
    "endpoint", ["http://127.0.0.1:1/x", "https://10.0.0.1/x", "ftp://push.example/", "http://8.8.8.8/"]
)
def test_a_push_service_at_a_private_address_or_without_tls_is_refused(place, endpoint):
    with pytest.raises(Refused):
        notice_choices.add_browser(person=make_user(), endpoint=endpoint, **Browser(place).keys)


def test_nobody_fills_the_table_with_browsers(place):
    ana = make_user("Ana")
    for number in range(notice_choices.MOST_BROWSERS + 3):
        with_browser(place, ana, str(number))
    endpoints = PushSubscription.objects.values_list("endpoint", flat=True)
    assert len(endpoints) == notice_choices.MOST_BROWSERS
    assert endpoints[0].endswith("/3"), "the oldest go"


def test_the_worker_is_served_at_the_root_and_may_act_on_all_pages(client):
    answer = client.get("/push-worker.js")
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/javascript")
    assert "showNotification" in answer.text
    for name in ("settings", "add_browser", "renew_browser"):
        assert f'"{reverse(f"notices:{name}")}"' in answer.text
    assert "default-src 'self'" in answer["Content-Security-Policy"]

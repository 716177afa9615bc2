"""The page for choosing notices, unsubscribing by a link in a letter, and the demo's page of sent mail."""

from datetime import time, timedelta

import pytest
from django.core.mail import send_mail
from django.test import Client

from championship.notices import kinds, selectors, services, unsubscribing
from championship.notices.models import Notice, Preferences, SentMail
from championship.notices.services import notice_choices
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db

CHOICES = {"rhythm": "at once", "daily_at": "18:00", "reminder_hours": ""}


@pytest.fixture(autouse=True)
def three_kinds(settings, monkeypatch):
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
    settings.SITE_URL = "https://rally.example"
    monkeypatch.setattr(kinds, "_kinds", {})
    words = "notices/mail/base.txt"
    kinds.register("turn waits", subject="Your turn", body_template=words, switch="A turn of mine waits", urgent=True)
    kinds.register("rally started", subject="A rally has started", body_template=words, switch="A rally has started")
    kinds.register("account closed", subject="x", body_template=words)


def mails_of(person):
    return {kind for (kind, channel), on in selectors.switches_of(person).items() if on and channel == "mail"}


def test_the_profile_leads_to_the_page_of_choices(django_assert_max_num_queries):
    client = signed_in(make_user())
    assert 'href="/me/notices/"' in client.get("/me/").text
    page = client.get("/me/notices/").text
    assert "A turn of mine waits" in page
    assert 'value="turn waits|mail" checked' in page
    assert 'value="turn waits|push" checked' in page
    assert 'value="rally started|push">' in page, "a phone is for what is urgent, unless one says otherwise"
    assert "account closed" not in page
    with django_assert_max_num_queries(10):
        client.get("/me/notices/")


def test_a_person_chooses_what_comes_where():
    ana = make_user("Ana")
    client = signed_in(ana)
    chosen = {"on": ["turn waits|push", "rally started|mail"], **CHOICES}
    for _twice in range(2):
        assert client.post("/me/notices/", chosen)["Location"] == "/me/notices/"
        on = {box for box, is_on in selectors.switches_of(ana).items() if is_on}
        assert on == {("turn waits", "push"), ("rally started", "mail")}


def test_all_switches_are_kept_by_one_query_in_its_savepoint(django_assert_num_queries):
    ana = make_user("Ana")
    for on in ([("turn waits", "push")], []):
        with django_assert_num_queries(3):
            notice_choices.set_switches(person=ana, on=on)
        assert [box for box, is_on in selectors.switches_of(ana).items() if is_on] == on


def test_a_person_chooses_when():
    ana = make_user("Ana")
    signed_in(ana).post("/me/notices/", {"rhythm": "daily", "daily_at": "07:15", "reminder_hours": "12"})
    kept = Preferences.objects.get(person=ana)
    assert (kept.rhythm, kept.daily_at, kept.reminder_hours) == ("daily", time(7, 15), 12)
    assert selectors.reminder_lead(ana) == timedelta(hours=12)
    assert selectors.reminder_lead(make_user()) is None


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"on": "gossip|mail"}, "on"),
        ({"on": "account closed|mail"}, "on"),
        ({"on": "\x00"}, "on"),
        ({"on": "x" * 5000}, "on"),
        ({"rhythm": "never"}, "rhythm"),
        ({"daily_at": "25:00"}, "daily_at"),
        ({"reminder_hours": "0"}, "reminder_hours"),
        ({"reminder_hours": "73"}, "reminder_hours"),
        ({"reminder_hours": "soon"}, "reminder_hours"),
    ],
)
def test_a_choice_that_does_not_exist_changes_nothing(wrong, field):
    ana = make_user("Ana")
    answer = signed_in(ana).post("/me/notices/", {**CHOICES, **wrong})
    assert answer.status_code == 422
    assert f'id="id_{field}_error"' in answer.text
    assert mails_of(ana) == {"turn waits", "rally started"}
    assert not Preferences.objects.filter(person=ana, rhythm="daily").exists()


def test_strangers_are_asked_to_sign_in():
    for path in ("/me/notices/", "/me/notices/webhook/", "/me/notices/calendar/", "/me/notices/browsers/"):
        assert Client().get(path).status_code in (302, 405)
        assert Client().post(path)["Location"].startswith("/account/login/")


# Unsubscribing by a link ------------------------------------------------------------------------------


def letter_to(person):
    services.enqueue(recipient=person, kind="rally started", subject_key="rally 7", context={}, link="/rallies/x/")
    services.deliver_due()
    return SentMail.objects.get()


def off_path(mail):
    return mail.headers["List-Unsubscribe"].strip("<>").removeprefix("https://rally.example")


def test_a_mail_program_leaves_by_one_click_without_signing_in():
    ana = make_user("Ana")
    mail = letter_to(ana)
    assert mail.headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"

    strict = Client(enforce_csrf_checks=True)
    for _twice in range(2):
        answer = strict.post(off_path(mail), {"List-Unsubscribe": "One-Click"})
        assert answer.status_code == 200
        assert not answer.cookies.get("sessionid")
    assert mails_of(ana) == {"turn waits"}


def test_looking_at_the_link_changes_nothing():
    ana = make_user("Ana", email="ana@example.org")
    page = Client().get(off_path(letter_to(ana)))
    assert page.status_code == 200
    assert "A rally has started" in page.text
    assert "ana@example.org" not in page.text, "whoever has the link need not learn the address"
    assert mails_of(ana) == {"turn waits", "rally started"}


def test_a_link_that_nobody_signed_is_not_there():
    ana = make_user("Ana")
    token = unsubscribing.token_for(ana, ["turn waits"])
    body, _colon, signature = token.rpartition(":")
    tampered = [f"{body}:{signature[::-1]}", "", "x", "a:b:c", token[:-1], unsubscribing.token_for(make_user(), [])[1:]]
    for wrong in tampered:
        assert Client().post(f"/mail/off/{wrong}/").status_code == 404
    assert mails_of(ana) == {"turn waits", "rally started"}


def test_the_link_of_a_deleted_person_does_not_exist():
    ana = make_user("Ana")
    token = unsubscribing.token_for(ana, ["turn waits"])
    ana.delete()
    assert Client().get(f"/mail/off/{token}/").status_code == 404


def test_a_letter_of_a_kind_nobody_can_switch_off_offers_no_way_out():
    ana = make_user("Ana")
    services.enqueue(recipient=ana, kind="account closed", subject_key="x", context={}, link="")
    services.deliver_due()
    assert "List-Unsubscribe" not in SentMail.objects.get().headers


def test_leaving_also_stops_what_waits_in_the_outbox():
    ana = make_user("Ana")
    services.enqueue(recipient=ana, kind="rally started", subject_key="rally 7", context={}, link="")
    notice_choices.switch_mail_off(person=ana, names=["rally started", "account closed"])
    assert services.deliver_due() == 0
    assert Notice.objects.get().status == "dropped"


# The demo's mail --------------------------------------------------------------------------------------


def test_the_demo_shows_sent_mail_newest_first(client, django_assert_max_num_queries):
    for number in range(25):
        send_mail(f"Letter {number}", "Go to http://example.org/ <b>now</b>", None, ["ana@example.org"])
    with django_assert_max_num_queries(3):
        page = client.get("/demo/mail/").text
    assert page.index("Letter 24") < page.index("Letter 23")
    assert "Letter 4" not in page
    assert "&lt;b&gt;now" in page
    assert "Letter 4" in client.get("/demo/mail/?page=2").text
    assert client.get("/demo/mail/?page=nonsense").status_code == 200

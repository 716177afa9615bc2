"""The mail switches on the profile page, and the demo's page of sent mail."""

import pytest
from django.core.mail import send_mail

from championship.notices import kinds, selectors
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def two_kinds(settings, monkeypatch):
    settings.EMAIL_BACKEND = "championship.notices.mailbox.Backend"
    monkeypatch.setattr(kinds, "_kinds", {})
    kinds.register("turn waits", subject="x", body_template="x", switch="a turn of mine waits")
    kinds.register("account closed", subject="x", body_template="x")


def test_the_profile_page_shows_the_switches_that_there_are():
    page = signed_in(make_user()).get("/me/").text
    assert "a turn of mine waits" in page
    assert 'value="turn waits"' in page
    assert "account closed" not in page


def test_a_person_switches_a_kind_of_mail_off_and_on():
    ana = make_user("Ana")
    client = signed_in(ana)
    assert client.post("/me/mail/", {})["Location"] == "/me/"
    assert selectors.muted_kinds(ana) == {"turn waits"}
    client.post("/me/mail/", {})
    assert selectors.muted_kinds(ana) == {"turn waits"}
    client.post("/me/mail/", {"on": "turn waits"})
    assert selectors.muted_kinds(ana) == frozenset()


@pytest.mark.parametrize("kind", ["gossip", "account closed", "\x00", "x" * 5000])
def test_a_switch_that_does_not_exist_changes_nothing(kind):
    ana = make_user("Ana")
    answer = signed_in(ana).post("/me/mail/", {"on": kind})
    assert answer.status_code == 422
    assert 'id="id_on_error"' in answer.text
    assert selectors.muted_kinds(ana) == frozenset()


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

"""The operator's page: what could not be sent, why, and what can be done about it."""

from datetime import timedelta

import pytest

from championship.accounts.models import User
from championship.notices import kinds, services
from championship.notices.models import Notice, SentMail
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def one_kind(settings, monkeypatch):
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
    monkeypatch.setattr(kinds, "_kinds", {})
    kinds.register("turn waits", subject="Your turn", body_template="notices/mail/base.txt", switch="a")


@pytest.fixture
def operator():
    person = make_user("Olga")
    User.objects.filter(pk=person.pk).update(is_staff=True)
    return signed_in(person)


def letter(status, about):
    return Notice.objects.create(
        recipient=make_user(f"Reader {about}"),
        kind="turn waits",
        subject_key=about,
        status=status,
        attempts=12,
        error="451 <b>busy</b>",
    )


def test_the_page_is_for_operators_and_for_others_it_is_not_there(client, operator):
    assert client.get("/operator/letters/").status_code == 404
    assert signed_in(make_user()).get("/operator/letters/").status_code == 404
    assert signed_in(make_user()).post("/operator/letters/", {"do": "again", "which": "all"}).status_code == 404
    assert operator.get("/operator/letters/").status_code == 200
    assert "/operator/letters/" in operator.get("/me/").text
    assert "/operator/letters/" not in signed_in(make_user()).get("/me/").text


def test_the_page_shows_what_is_dead_or_held_and_why(operator, django_assert_max_num_queries):
    for number in range(60):
        letter("dead", f"dead {number}")
    letter("unsure", "held")
    letter("queued", "on its way")
    services.refuse_address(address=make_user("Zoe", email="zoe@example.org").email, reason="550 gone")
    with django_assert_max_num_queries(12):
        page = operator.get("/operator/letters/").text
    assert "451 &lt;b&gt;busy&lt;/b&gt;" in page
    assert "Reader held" in page
    reader = Notice.objects.get(subject_key="held").recipient
    assert f"&lt;{reader.email}&gt;" in page, "by which the mail server's log knows it too"
    assert "on its way" not in page
    assert "zoe@example.org" in page
    assert "All 61" in page
    assert "Reader dead 0" in operator.get("/operator/letters/?page=2").text


def test_letters_are_sent_again_by_the_ones_that_are_ticked(operator):
    again, _other = letter("dead", "1"), letter("dead", "2")
    operator.post("/operator/letters/", {"do": "again", "which": "ticked", "letter": [str(again.pk), "nonsense"]})
    assert dict(Notice.objects.values_list("subject_key", "status")) == {"1": "queued", "2": "dead"}
    assert services.deliver_due() == 1
    assert SentMail.objects.get().to == again.recipient.email
    again.refresh_from_db()
    assert again.attempts == 1


def test_all_are_sent_again_at_once(operator):
    for number in range(5):
        letter("dead" if number % 2 else "unsure", str(number))
    operator.post("/operator/letters/", {"do": "again", "which": "all"})
    assert services.deliver_due() == 5


def test_letters_are_let_go(operator):
    gone, kept = letter("unsure", "1"), letter("dead", "2")
    sent = letter("queued", "3")
    ids = [str(gone.pk), str(sent.pk)]
    operator.post("/operator/letters/", {"do": "let go", "which": "ticked", "letter": ids})
    assert dict(Notice.objects.values_list("subject_key", "status")) == {"1": "dropped", "2": "dead", "3": "queued"}
    assert kept.attempts == 12


def test_nothing_ticked_changes_nothing_and_is_said(operator):
    letter("dead", "1")
    said = operator.post("/operator/letters/", {"do": "again", "which": "ticked"}, follow=True).text
    assert "Tick the letters you mean" in said
    assert "sent again." not in said
    for fields in ({"do": "again", "which": "ticked"}, {"do": "burn", "which": "all"}, {}):
        assert operator.post("/operator/letters/", fields).status_code == 302
    assert Notice.objects.get().status == "dead"


def test_letters_that_nobody_sends_are_pointed_out_with_what_to_look_for(operator):
    assert "nothing sends them" not in operator.get("/operator/letters/").text
    waiting = letter("queued", "1")
    Notice.objects.filter(pk=waiting.pk).update(next_try_at=waiting.created_at - timedelta(hours=1))
    assert "queues mail and posts" in operator.get("/operator/letters/").text

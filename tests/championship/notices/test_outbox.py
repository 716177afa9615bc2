"""The outbox: which notices are sent, in which words, and which are not sent."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone, translation

from championship.notices import kinds, services
from championship.notices.models import Notice, SentMail
from championship.notices.services import notice_choices
from championship.notices.services.delivery import MAX_ATTEMPTS, wait_after
from tests.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def mailbox(settings):
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
    settings.SITE_URL = "https://rally.example"


@pytest.fixture(autouse=True)
def turn_waits(tmp_path, settings, monkeypatch):
    """A kind of notice as an app would register it, and its texts."""
    words = tmp_path / "scene"
    words.mkdir()
    (words / "turn_waits.txt").write_text(
        '{% extends "notices/mail/base.txt" %}{% block content %}'
        '{{ rally }}: {% translate "Sign in" %} {{ deadline|date:"Y-m-d H:i" }}{% endblock %}'
    )
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [*settings.TEMPLATES[0]["DIRS"], tmp_path]}]
    monkeypatch.setattr(kinds, "_kinds", dict(kinds._kinds))
    return kinds.register(
        "turn waits",
        subject="Your turn: %(rally)s",
        body_template="scene/turn_waits.txt",
        switch="my turn waits",
    )


def tell(driver, *, about="run 7 turn 12", **context):
    return services.enqueue(
        recipient=driver,
        kind="turn waits",
        subject_key=about,
        context={"rally": "Monte", "deadline": datetime(2026, 11, 20, 18, tzinfo=UTC), **context},
        link="/runs/abc/",
    )


def test_a_driver_whose_turn_waits_gets_one_mail_with_the_link():
    ana = make_user("Ana", email="ana@example.org")
    tell(ana)

    assert services.deliver_due() == 1

    mail = SentMail.objects.get()
    assert (mail.to, mail.subject) == ("ana@example.org", "Your turn: Monte")
    assert "Hello Ana," in mail.body
    assert "https://rally.example/runs/abc/" in mail.body
    assert Notice.objects.get().status == "sent"


def test_a_notice_queued_twice_is_sent_once():
    ana = make_user("Ana")
    assert tell(ana) is not None
    assert tell(ana) is None
    services.deliver_due()
    assert tell(ana) is None
    services.deliver_due()
    assert SentMail.objects.count() == 1


def test_the_database_itself_refuses_a_second_row_for_the_same_thing():
    ana = make_user("Ana")
    tell(ana)
    with pytest.raises(IntegrityError, match="notices_told_once"):
        Notice.objects.create(recipient=ana, kind="turn waits", subject_key="run 7 turn 12")


def test_a_mail_speaks_its_readers_language_and_shows_times_in_their_zone():
    jan = make_user("Jan", language="de", time_zone="Europe/Warsaw")
    tell(jan)
    services.deliver_due()
    body = SentMail.objects.get().body
    assert "2026-11-20 19:00" in body
    assert "Europe/Warsaw" in body


def test_the_second_of_two_letters_is_not_in_the_language_of_the_first():
    tell(make_user("Jan", language="de"))
    with translation.override("en"):
        services.deliver_due()
        assert translation.get_language() == "en"


def test_a_line_break_in_a_rallys_name_does_not_break_the_mail():
    tell(make_user(), rally="Monte\nBcc: everybody@example.org")
    assert services.deliver_due() == 1
    assert SentMail.objects.get().subject == "Your turn: Monte Bcc: everybody@example.org"


def test_a_mail_says_a_rallys_name_as_it_is_written():
    tell(make_user("Ana O'Hara"), rally="Côte d'Azur & <Nice>")
    services.deliver_due()
    mail = SentMail.objects.get()
    assert mail.subject == "Your turn: Côte d'Azur & <Nice>"
    assert "Hello Ana O'Hara," in mail.body
    assert "Côte d'Azur & <Nice>:" in mail.body


def test_what_has_been_dropped_is_not_sent():
    tell(make_user("Ana"))
    tell(make_user("Ben"), about="run 7 turn 13")
    assert services.drop(kind="turn waits", subject_key="run 7 turn 12") == 1
    services.deliver_due()
    assert SentMail.objects.count() == 1
    assert Notice.objects.get(subject_key="run 7 turn 12").status == "dropped"


def test_a_kind_that_is_no_longer_wanted_is_dropped_when_its_time_comes(turn_waits):
    kinds.register(
        "turn waits",
        subject="Your turn",
        body_template="scene/turn_waits.txt",
        still_wanted=lambda notice: notice.subject_key != "run 7 turn 12",
    )
    tell(make_user("Ana"))
    tell(make_user("Ben"), about="run 8 turn 1")
    assert services.deliver_due() == 1
    assert Notice.objects.get(subject_key="run 7 turn 12").status == "dropped"


def test_a_person_who_has_disabled_a_kind_gets_none():
    ana = make_user("Ana")
    notice_choices.set_switches(person=ana, on=[])
    assert tell(ana) is None
    notice_choices.set_switches(person=ana, on=[("turn waits", "mail")])
    assert tell(ana) is not None


def test_switching_off_also_stops_what_waits_in_the_outbox():
    ana = make_user("Ana")
    tell(ana)
    notice_choices.set_switches(person=ana, on=[])
    assert services.deliver_due() == 0
    assert Notice.objects.get().status == "dropped"


def test_a_closed_account_gets_no_mail():
    ana = make_user("Ana")
    tell(ana)
    ana.is_active = False
    ana.save()
    assert services.deliver_due() == 0


def test_a_mail_server_that_is_down_is_tried_again_later_and_later_until_the_notice_is_dead(settings):
    settings.EMAIL_BACKEND = "no.such.Backend"
    tell(make_user("Ana"))
    now = timezone.now()
    began, waits = now, []
    for _attempt in range(MAX_ATTEMPTS):
        assert services.deliver_due(now=now) == 0
        notice = Notice.objects.get()
        waits.append((notice.next_try_at - now) / timedelta(minutes=1))
        now = max(now, notice.next_try_at)
    about = [1, 2, 4, 8, 16, 32, 64, 120, 120, 120, 120]
    assert all(middle * 0.75 <= wait <= middle * 1.25 for wait, middle in zip(waits, about, strict=False))
    assert now - began > timedelta(hours=6), "a night without a mail server loses nothing"
    assert (notice.status, notice.attempts) == ("dead", MAX_ATTEMPTS)
    assert "ModuleNotFoundError" in notice.error


def test_a_mail_that_waits_for_its_next_try_is_left_alone_until_then(settings):
    settings.EMAIL_BACKEND = "no.such.Backend"
    now = timezone.now()
    tell(make_user("Ana"))
    services.deliver_due(now=now + timedelta(seconds=1))
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
    assert services.deliver_due(now=now + timedelta(seconds=40)) == 0
    assert services.deliver_due(now=now + timedelta(seconds=80)) == 1


def test_two_letters_that_failed_together_are_not_tried_again_together():
    waits = {wait_after(3, name=name) for name in ("ana", "ben", "cem", "dag")}
    assert len(waits) == 4
    assert waits == {wait_after(3, name=name) for name in ("ana", "ben", "cem", "dag")}, "and each waits the same again"


def test_one_letter_that_cannot_be_written_does_not_hold_up_the_others():
    tell(make_user("Ana"), about="run 1 turn 1")
    Notice.objects.update(kind="a kind of an older version")
    tell(make_user("Ben"), about="run 2 turn 1")
    assert services.deliver_due() == 1
    assert Notice.objects.get(subject_key="run 1 turn 1").attempts == 1


def test_nothing_is_written_of_a_kind_nobody_registered():
    with pytest.raises(LookupError):
        services.enqueue(recipient=make_user(), kind="gossip", subject_key="x", context={}, link="/")


def test_a_run_takes_no_more_than_its_limit():
    for turn in range(5):
        tell(make_user(), about=f"run 7 turn {turn}")
    assert services.deliver_due(limit=3) == 3
    assert services.deliver_due(limit=3) == 2


@pytest.mark.django_db(transaction=True)
def test_the_commit_that_writes_a_notice_sends_it():
    tell(make_user("Ana"))
    assert SentMail.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_what_is_rolled_back_is_neither_written_nor_sent():
    ana = make_user("Ana")
    with pytest.raises(RuntimeError), transaction.atomic():
        tell(ana)
        raise RuntimeError("the turn is refused")
    assert Notice.objects.count() == SentMail.objects.count() == 0

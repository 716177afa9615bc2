"""The content of a letter: plain text and HTML, several notices in one, threads, and its headers."""

import re
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy

import pytest

from championship.notices import kinds, mail_content, services, unsubscribing
from championship.notices.details import Details, Picture
from championship.notices.models import Notice, SentMail
from championship.notices.services.delivery import AT_ONCE, COLLECT
from tests.factories import make_user

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def two_kinds(tmp_path, settings, monkeypatch):
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
    settings.SITE_URL = "https://rally.example"
    (tmp_path / "words.txt").write_text(
        '{% extends "notices/mail/base.txt" %}{% block content %}it is your turn in {{ rally }}.\n\n'
        "You have a day.\n\nTo the stage:{% endblock %}"
    )
    (tmp_path / "news.txt").write_text(
        '{% extends "notices/mail/base.txt" %}{% block content %}{{ rally }} has started.{% endblock %}'
    )
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [*settings.TEMPLATES[0]["DIRS"], tmp_path]}]
    monkeypatch.setattr(kinds, "_kinds", {})
    kinds.register("turn waits", subject="%(rally)s: your turn", body_template="words.txt", switch="a", urgent=True)
    kinds.register("rally started", subject="%(rally)s has started", body_template="news.txt", switch="b")


def tell(person, kind="turn waits", *, about="run 7 turn 1", rally="Monte", thread="", link="/runs/abc/"):
    return services.enqueue(
        recipient=person, kind=kind, subject_key=about, context={"rally": rally}, link=link, thread=thread
    )


def as_sent(notices):
    return message_from_bytes(mail_content.write_letter(notices).message().as_bytes(), policy=policy.default)


def test_a_letter_is_plain_and_in_html_and_says_the_same():
    tell(make_user("Ana O'Hara"), rally="Côte d'Azur & <b>Nice</b>")
    message = as_sent(Notice.objects.select_related("recipient"))
    assert message.get_content_type() == "multipart/alternative"
    plain, html = (part.get_content() for part in message.iter_parts())
    assert "it is your turn in Côte d'Azur & <b>Nice</b>." in plain
    assert "To the stage:\nhttps://rally.example/runs/abc/" in plain
    assert "it is your turn in Côte d&#x27;Azur &amp; &lt;b&gt;Nice&lt;/b&gt;." in html
    assert '<a class="button" href="https://rally.example/runs/abc/">To the stage</a>' in html
    assert html.count("<p>") == 4, "a greeting, two paragraphs and the button"
    assert "Hello Ana O&#x27;Hara," in html
    assert "<script" not in html and "src=" not in html, "nothing is fetched when a letter is opened"


def test_both_parts_are_in_the_readers_language():
    tell(make_user("Jan", language="de", time_zone="Europe/Berlin"))
    message = as_sent(Notice.objects.select_related("recipient"))
    plain, html = (part.get_content() for part in message.iter_parts())
    assert "Hallo Jan," in plain and "Hallo Jan," in html
    assert '<html lang="de">' in html
    assert "Europe/Berlin" in plain and "Europe/Berlin" in html


def test_the_head_says_how_to_leave_by_one_click():
    ana = make_user("Ana")
    tell(ana)
    message = as_sent(Notice.objects.select_related("recipient"))
    found = re.fullmatch(r"<https://rally\.example/mail/off/([^/]+)/>", message["List-Unsubscribe"].strip())
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    asked = unsubscribing.read(found[1])
    assert (asked.person, [kind.name for kind in asked.kinds]) == (ana, ["turn waits"])
    assert message["Auto-Submitted"] == "auto-generated"


def test_letters_of_a_rally_answer_the_same_letter_for_one_reader_and_another_for_the_next():
    ana, ben = make_user("Ana"), make_user("Ben")
    for person, about, thread in (
        (ana, "1", "rally x"),
        (ana, "2", "rally x"),
        (ana, "3", "rally y"),
        (ben, "1", "rally x"),
    ):
        tell(person, about=about, thread=thread)
    heads = [
        as_sent([notice])["References"]
        for notice in Notice.objects.select_related("recipient").order_by("recipient__name", "subject_key")
    ]
    assert heads[0] == heads[1]
    assert len(set(heads)) == 3
    [first, *_rest] = Notice.objects.select_related("recipient")
    message = as_sent([first])
    assert message["In-Reply-To"] == message["References"]
    assert re.fullmatch(r"<thread\.[0-9a-f]{32}@rally\.example>", message["References"])
    assert message["Message-ID"] == f"<{first.pk}@rally.example>"


def test_a_letter_that_belongs_to_no_rally_answers_nothing():
    tell(make_user("Ana"))
    assert as_sent(Notice.objects.select_related("recipient"))["References"] is None


def test_a_letter_goes_out_without_the_details_that_cannot_be_read(caplog):
    def broken(notice):
        return Details(picture=Picture(b"", 1 // len(notice.context["none"]), 1, ""))

    kinds.register("turn waits", subject="%(rally)s: your turn", body_template="words.txt", urgent=True, details=broken)
    tell(make_user("Ana"))
    assert services.deliver_due() == 1
    assert "it is your turn in Monte." in SentMail.objects.get().body
    assert "could not be read" in caplog.text


# Several in one ---------------------------------------------------------------------------------------


def test_what_is_due_at_once_comes_in_one_letter_with_the_urgent_first():
    ana = make_user("Ana")
    tell(ana, "rally started", about="rally 1", thread="rally x")
    tell(ana, about="run 7 turn 1", thread="rally x")
    tell(ana, about="run 8 turn 1", rally="Safari", thread="rally x")
    assert services.deliver_due() == 3
    mail = SentMail.objects.get()
    assert mail.subject == "Monte: your turn (and 2 more)"
    assert mail.body.index("* Monte: your turn") < mail.body.index("* Safari: your turn")
    assert mail.body.index("* Safari: your turn") < mail.body.index("* Monte has started")
    assert "It is your turn in Safari." in mail.body
    assert "It is your turn in Safari." in mail.html
    assert set(mail.headers["X-Notices"].split()) == {str(pk) for pk in Notice.objects.values_list("pk", flat=True)}
    assert "References" in mail.headers
    asked = unsubscribing.read(mail.headers["List-Unsubscribe"].rstrip("/>").rpartition("/")[2])
    assert [kind.name for kind in asked.kinds] == ["rally started", "turn waits"]


def test_letters_to_two_people_stay_two():
    tell(make_user("Ana"))
    tell(make_user("Ben"))
    assert services.deliver_due() == 2
    assert SentMail.objects.count() == 2


def test_one_that_cannot_be_written_does_not_spoil_the_letter_of_the_others():
    ana = make_user("Ana")
    for about in ("1", "2", "3"):
        tell(ana, about=about)
    Notice.objects.filter(subject_key="2").update(context={})
    services.deliver_due()
    services.deliver_due(now=max(Notice.objects.values_list("next_try_at", flat=True)))
    assert dict(Notice.objects.values_list("subject_key", "status")) == {"1": "sent", "2": "queued", "3": "sent"}
    assert "KeyError" in Notice.objects.get(subject_key="2").error


def test_ten_runs_that_open_one_by_one_are_four_letters():
    ana = make_user("Ana")
    for number in range(10):
        Notice.objects.create(
            recipient=ana,
            kind="turn waits",
            subject_key=f"run {number} turn 1",
            context={"rally": f"Rally {number}"},
            next_try_at=NOON,
        )
        services.deliver_due(now=NOON + timedelta(seconds=number))
    assert SentMail.objects.count() == AT_ONCE
    assert services.deliver_due(now=NOON + COLLECT - timedelta(seconds=1)) == 0
    assert services.deliver_due(now=NOON + COLLECT) == 7
    assert SentMail.objects.count() == AT_ONCE + 1
    assert SentMail.objects.first().subject == "Rally 3: your turn (and 6 more)"


def test_a_driver_who_has_played_meanwhile_gets_only_the_other_notices():
    ana = make_user("Ana")
    kinds.register(
        "turn waits",
        subject="%(rally)s: your turn",
        body_template="words.txt",
        still_wanted=lambda notice: notice.subject_key != "run 8 turn 1",
    )
    tell(ana, about="run 7 turn 1")
    tell(ana, about="run 8 turn 1", rally="Safari")
    assert services.deliver_due() == 1
    mail = SentMail.objects.get()
    assert mail.subject == "Monte: your turn"
    assert "Safari" not in mail.body

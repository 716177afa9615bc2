"""The mail of a turn: the place, what the others did, until when, what happens then, and the road around the car."""

from __future__ import annotations

import io
import re
from email import message_from_bytes, policy

import pytest
from PIL import Image

from championship.accounts.models import User
from championship.notices import mail_content
from championship.notices.models import Notice
from championship.papers import road_picture
from championship.rallies.models import Rally
from championship.runs.models import Turn
from championship.runs.watch.at_a_glance import facts_of
from tests.championship.runs.factories import careful_turn, on_the_road, open_turn, play

pytestmark = pytest.mark.django_db


def after(run, rounds):
    """The turn that waits after so many careful turns; its driver has driven before."""
    for _turn in range(rounds):
        play(run, open_turn(run).seat.entry, **careful_turn(run))
    return open_turn(run)


def mail_of(turn):
    """The parts of the mail of a turn: text, HTML and pictures."""
    notice = Notice.objects.select_related("recipient").get(
        kind="turn waits", channel="mail", recipient=turn.seat.entry.driver, context__turn=turn.pk
    )
    letter = mail_content.write_letter([notice])
    message = message_from_bytes(letter.message().as_bytes(), policy=policy.default)
    pictures = [part for part in message.walk() if part.get_content_type() == "image/png"]
    plain, html = (message.get_body((kind,)).get_content() for kind in ("plain", "html"))
    return " ".join(plain.split()), html, pictures


def test_the_mail_of_a_turn_says_place_and_gap_the_time_and_what_comes_then():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    User.objects.update(time_zone="Asia/Tokyo")
    turn = after(run, 12)
    plain, html, _pictures = mail_of(turn)
    [facts] = facts_of([turn.seat_id], turn.seat.entry.driver)
    other = bo if turn.seat.entry == ana else ana
    assert re.fullmatch(rf"Place [12] of 2 at split \d+, (\d+ seconds? (behind|ahead of)|level with) {other.crew}\.",
                        facts.standing)  # fmt: skip
    assert facts.standing in plain and facts.standing in html
    for said in facts.told:
        assert f"– {said}" in plain
    assert "Since your last turn:" in plain, "after twelve turns there is something to tell"
    assert "After that the codriver drives this turn for you." in plain
    assert "Asia/Tokyo" in plain
    assert plain.count(run.get_absolute_url()) == 1
    assert len(html) < 60_000


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "it is your turn. Larch Hollow: 10 tiles, flowing, 2 hairpins."),
        ("de", "Du bist am Zug. Larch Hollow: 10 Streckenteile, flüssig, 2 Haarnadeln."),
        ("pl", "twoja tura. Larch Hollow: 10 kafli, płynny, 2 nawroty."),
    ],
)
def test_the_first_line_names_the_road_in_the_language_of_the_reader(language, said):
    run, _entries = on_the_road("Ana", "Bo")
    User.objects.update(language=language)
    assert said in mail_of(open_turn(run))[0]


def test_the_picture_is_part_of_the_mail_small_and_in_words():
    run, _entries = on_the_road("Ana", "Bo")
    _plain, html, [picture] = mail_of(after(run, 2))
    content = picture.get_payload(decode=True)
    assert len(content) <= road_picture.MOST_BYTES
    assert Image.open(io.BytesIO(content)).size == (2 * road_picture.WIDTH, 2 * road_picture.HEIGHT)
    cid = picture["Content-ID"].strip("<>")
    assert f'src="cid:{cid}"' in html
    assert re.search(r'alt="Map: the road around your car\. ', html)
    assert picture.get_content_disposition() == "inline"


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ({"miss_penalty": 30}, "drives this turn for you, and it costs 30 seconds."),
        ({"after_miss": "stage"}, "After that the codriver drives to the finish for you."),
        ({"after_miss": "stage", "miss_penalty": 30}, "drives to the finish for you, and it costs 30 seconds."),
        ({"retire_after": 2}, "After that your car is retired."),
    ],
)
def test_the_mail_says_what_happens_if_nobody_drives(rules, said):
    run, _entries = on_the_road("Ana", "Bo")
    turn = after(run, 6)
    Rally.objects.update(**rules)
    Turn.objects.filter(seat=turn.seat, ended_at__isnull=False).update(missed=True)
    assert said in mail_of(turn)[0]


def test_another_driver_of_the_car_is_told_nothing_of_it():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    turn = after(run, 1)
    Notice.objects.filter(context__turn=turn.pk).exclude(recipient=turn.seat.entry.driver).delete()
    notice = Notice.objects.get(context__turn=turn.pk, kind="turn waits", channel="mail")
    notice.recipient = next(each.driver for each in (ana, bo) if each != turn.seat.entry)
    letter = mail_content.write_letter([notice])
    assert not letter.attachments
    assert "Place" not in letter.body

"""Notices to organisers and drivers."""

import re

import pytest

from championship.clubs.models import Role
from championship.notices.mail_content import write_letter
from championship.notices.models import Notice
from championship.notices.notice_text import in_words
from championship.rallies import services
from championship.stewards import services as stewards
from championship.stewards.models import Decision
from tests.championship.rallies.factories import drive, make_rally, organiser_of, started
from tests.factories import make_member

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nobody_listens")]


def recipients_and_context(kind):
    """The recipients of notices of that kind by mail, and the context of the first."""
    notices = Notice.objects.filter(kind=kind, channel="mail").order_by("pk")
    return {notice.recipient.name for notice in notices}, notices[0].context if notices else None


def test_organisers_are_notified_of_an_entry_and_the_driver_of_the_answer():
    rally = make_rally()
    olga = organiser_of(rally)
    ana, bo = make_member(rally.club, name="Ana"), make_member(rally.club, name="Bo")
    mine = services.enter_rally(by=ana, rally=rally, crew="Ana / Eva")
    assert recipients_and_context("entry arrived") == (
        {olga.name},
        {"rally": rally.name, "crew": "Ana / Eva", "waits": False},
    )
    services.confirm_entry(by=olga, entry=mine)
    services.confirm_entry(by=olga, entry=mine, start_number=7)
    assert Notice.objects.filter(kind="entry confirmed", channel="mail").count() == 1
    services.refuse_entry(by=olga, entry=services.enter_rally(by=bo, rally=rally, crew="Bo"), reason="Full")
    names, about = recipients_and_context("entry refused")
    assert (names, about["reason"]) == ({"Bo"}, "Full")
    services.enter_rally(by=olga, rally=rally, crew="Olga")
    assert Notice.objects.filter(kind="entry arrived", channel="mail").count() == 2


def test_drivers_are_told_their_place_and_organisers_that_a_stage_is_in():
    rally, entries = started("Ana", "Bo", "Cy")
    organiser = organiser_of(rally)
    drive(rally, 1, dict(zip(entries, (100, 90, 110), strict=True)))
    names, about = recipients_and_context("stage result")
    assert names == {entry.driver.name for entry in entries}
    assert {about["place"], about["of"]} <= {1, 2, 3}
    assert recipients_and_context("stage in")[0] == {organiser.name}


def test_the_mail_about_a_result_brings_the_board_the_winner_and_the_own_gap():
    rally, (ana, bo, cy) = started("Ana", "Bo", "Cy")
    drive(rally, 1, {ana: 100, bo: 90, cy: 110})
    told = {}
    for each in Notice.objects.filter(kind="stage result", channel="mail").select_related("recipient"):
        told[each.recipient.name] = write_letter([each])
    plain, html = told["Cy"].body, told["Cy"].alternatives[0][0]
    assert "The winner is Bo: 1:30. Your gap: +0:20." in plain
    assert "You are 3 of 3: 1:50. Larch Hollow: 10 tiles, " in " ".join(plain.split())
    assert re.findall(r"^([> ]) +(\d)  (\w+)  (\S+)(?:  (\S+))?$", plain, re.M) == [
        (" ", "1", "Bo", "1:30", ""),
        (" ", "2", "Ana", "1:40", "+0:10"),
        (">", "3", "Cy", "1:50", "+0:20"),
    ]
    assert html.count("<tr") == 3 and html.count('class="mine"') == 1
    assert "You have won, 0:10 ahead of the next." in told["Bo"].body
    [organiser] = Notice.objects.filter(kind="stage in", channel="mail")
    assert "The winner is Bo: 1:30." in write_letter([organiser]).body


def test_the_notice_of_a_decision_says_what_was_decided():
    rally, entries = started("Ana", "Bo")
    steward = make_member(rally.club, name="Stu", roles=[Role.STEWARD])
    stewards.decide(
        by=steward, rally=rally, kind=Decision.Kind.PENALTY, entry=entries[0], amount=30, text="Too fast in the park."
    )
    notice = Notice.objects.filter(kind="decision taken", channel="mail").first()
    letter = in_words(notice).text
    assert "0:30" in letter
    assert "Too fast in the park." in letter

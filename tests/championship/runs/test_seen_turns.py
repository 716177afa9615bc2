"""The mail of a turn that comes while its driver has the page of the run open: it waits, and a forgotten tab costs no
turn.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from datetime import timedelta

import pytest
from django.test import Client

from championship.notices.models import Notice
from championship.notices.services import deliver_due
from championship.runs.models import Seat
from championship.runs.play import open_pages
from tests.championship.runs.factories import careful_turn, desk_of, on_the_road, open_turn, play

pytestmark = pytest.mark.django_db

LATER = timedelta(minutes=10)


@pytest.fixture(autouse=True)
def nothing_noted(monkeypatch, mailbox):
    monkeypatch.setattr(open_pages, "_noted", OrderedDict())


def polls(entry, run):
    """The open page of this driver polls, as its script does: without session and cookie."""
    page = desk_of(entry).get(run.get_absolute_url()).content.decode()
    address = re.search(r'data-poll="(/runs/[^"]+)"', page)[1].replace("&amp;", "&")
    return Client().get(address)


def mail_of_turn(entry):
    return Notice.objects.get(recipient=entry.driver, kind="turn waits", channel="mail")


def convoy():
    """Ana is to play, and Bo after her."""
    run, (ana, bo) = on_the_road("Ana", "Bo", turn_hours=24)
    Notice.objects.all().delete()
    return run, ana, bo


def hand_over_turn(run, ana, bo):
    """Ana drives until it is Bo's turn."""
    while open_turn(run).seat.entry == ana:
        play(run, ana, **careful_turn(run))
    assert open_turn(run).seat.entry == bo


def test_a_turn_that_comes_while_its_page_is_open_sends_no_mail_if_the_driver_plays(at):
    now = at("2026-11-19T12:00")
    run, ana, bo = convoy()
    polls(bo, run)
    hand_over_turn(run, ana, bo)
    assert mail_of_turn(bo).next_try_at == now + LATER
    assert deliver_due(now=now + timedelta(minutes=9)) == 0
    at(now + timedelta(minutes=3))
    play(run, bo, **careful_turn(run))
    deliver_due(now=now + LATER)
    assert mail_of_turn(bo).status == Notice.Status.DROPPED


def test_a_forgotten_tab_gets_its_mail_once_after_ten_minutes(at):
    now = at("2026-11-19T12:00")
    run, ana, bo = convoy()
    polls(bo, run)
    hand_over_turn(run, ana, bo)
    polls(bo, run)
    assert deliver_due(now=now + LATER) == 1
    assert deliver_due(now=now + LATER * 6) == 0
    assert mail_of_turn(bo).status == Notice.Status.SENT


@pytest.mark.parametrize("seen_before", [None, timedelta(minutes=3)], ids=["never", "a while ago"])
def test_a_driver_who_does_not_look_gets_the_mail_at_once(at, seen_before):
    now = at("2026-11-19T12:00")
    run, ana, bo = convoy()
    Seat.objects.filter(entry=bo).update(seen_open_at=seen_before and now - seen_before)
    hand_over_turn(run, ana, bo)
    assert mail_of_turn(bo).next_try_at == now


def test_the_mail_of_a_short_turn_waits_for_a_share_of_it_only(at, settings):
    settings.SEEN_TURN_MAIL_MINUTES = 120
    now = at("2026-11-19T12:00")
    run, ana, bo = convoy()
    polls(bo, run)
    hand_over_turn(run, ana, bo)
    turn = open_turn(run)
    due = mail_of_turn(bo).next_try_at
    assert due - now == min(timedelta(minutes=120), (turn.deadline - now) / 6)
    assert turn.remind_at is None or due <= turn.remind_at


def test_an_open_page_is_written_once_a_minute_and_only_for_who_drives(at, django_assert_num_queries):
    now = at("2026-11-19T12:00")
    run, _ana, bo = convoy()
    polls(bo, run)
    at(now + timedelta(seconds=50))
    desk = desk_of(bo)
    page = desk.get(run.get_absolute_url()).content.decode()
    address = re.search(r'data-poll="(/runs/[^"]+)"', page)[1].replace("&amp;", "&")
    tag = re.search(r'id="run".*?data-tag="([^"]+)"', page, re.S)[1].replace("&quot;", '"')
    with django_assert_num_queries(2):  # the version, and whether two are present
        desk.get(address, headers={"If-None-Match": tag})
    assert Seat.objects.get(entry=bo).seen_open_at == now
    Client().get(f"/runs/{run.key}/changes/?of={bo.driver_id}:forged")
    stranger = Client().get(run.get_absolute_url()).content.decode()
    assert "?of=" not in re.search(r'id="run"[^>]*', stranger)[0]

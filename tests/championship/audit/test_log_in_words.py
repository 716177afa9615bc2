"""The audit log is in the reader's language, including the details of each act."""

import html
import re

import pytest

from championship.audit import actions
from championship.clubs.models import Role
from championship.clubs.services import invite, set_roles
from championship.rallies import services
from championship.rallies.desk.services.preparing import options_for_log
from engine import registry
from engine.contract import Option
from tests.championship.rallies.factories import enter, make_rally, organiser_of
from tests.contract.toys.dash import Dash
from tests.factories import make_member, signed_in

pytestmark = pytest.mark.django_db


def log_of(club, *, language: str) -> list[str]:
    """Return the last column of the log, row by row, for a steward who reads that language."""
    steward = make_member(club, roles=[Role.STEWARD])
    steward.language = language
    steward.save()
    page = signed_in(steward).get(f"/clubs/{club.slug}/log/").text
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", page, re.S)[1:]
    return [" ".join(html.unescape(re.sub(r"<[^>]+>", " ", row)).split()) for row in rows]


@pytest.fixture
def a_club_with_a_past():
    rally = make_rally(name="Rajd Wisły")
    olga, club = organiser_of(rally), rally.club
    invite(by=olga, club=club, roles=[Role.DRIVER, Role.STEWARD], days=7)
    member = make_member(club, name="Ana")
    set_roles(by=olga, membership=club.memberships.get(user=member), roles=[Role.ORGANISER])
    (entry,) = enter(rally, "Bo")
    services.set_driven_by(by=olga, entry=entry, driven_by="codriver")
    services.change_options(
        by=olga,
        rally=rally,
        name=rally.name,
        options={**rally.options, "sisu": "service", "flying_start": True},
        mode="open road",
        turn_hours=rally.turn_hours,
        reminder_hours=rally.reminder_hours,
        auto_start=rally.auto_start,
    )
    return club


def test_a_german_reader_finds_german_words_only(a_club_with_a_past) -> None:
    log = "\n".join(log_of(a_club_with_a_past, language="de"))

    assert "Tage: 7; Rollen: Sportkommissar, Fahrer" in log
    assert "vorher: Fahrer; nachher: Veranstalter" in log
    assert "gefahren von: Beifahrer" in log
    assert "Modus: Freie Strecke: jedes Auto allein gegen die Uhr" in log
    assert "Fliegender Start: ja" in log
    assert "SISU-Marker: einer je Rallye, nach dem Service wieder" in log
    assert re.findall(r"\b(?:roles|driver|steward|days|options|codriver|before|open road|True)\b|_start", log) == []


def test_a_polish_reader_finds_polish_words(a_club_with_a_past) -> None:
    log = "\n".join(log_of(a_club_with_a_past, language="pl"))

    assert "dni: 7; role: sędzia, kierowca" in log
    assert "przedtem: kierowca; potem: organizator" in log
    assert "kto prowadzi: Pilot" in log


class Windy(Dash):
    """A game that is added when the service has started. One of its options has a name that the core uses too, another
    one a name that a game of this project uses.
    """

    name = "windy"
    options = (
        Option("wind", "bool", False, "Wind"),
        Option("reason", "int", 1, "Gusts"),
        Option("flying_start", "bool", False, "Tail wind"),
    )


@pytest.fixture
def windy():
    registry.add(Windy())
    yield "windy"
    registry.remove("windy")


def test_options_of_a_game_that_is_added_later_have_its_own_texts(windy):
    options = options_for_log(windy, {"flying_start": True, "reason": 2, "wind": True})
    text = actions.details_in_words({**options, "reason": "Snow"})
    assert "options: Tail wind: yes, Gusts: 2, Wind: yes" in text
    assert "reason: Snow" in text, "the core's own detail keeps its text"


def test_older_records_without_the_name_of_the_game_still_have_texts(windy):
    text = actions.details_in_words({"options": {"wind": True, "unknown": 3}})
    assert "Wind: yes" in text and "unknown: 3" in text
    assert actions.details_in_words({"options of gone": {"wind": True}}) == "options of gone: wind: yes"

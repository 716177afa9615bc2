"""Names must not be confused: of people, clubs, teams, rallies. No two names in a club may look the same."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError

from championship.accounts.forms import ReaderForm
from championship.accounts.models import User
from championship.accounts.services import closing, create_user, update_profile
from championship.accounts.text import looks_like, one_line, without_hidden
from championship.clubs.models import Role
from championship.clubs.services import accept_invitation, create_club, invite
from championship.platform import clock
from championship.platform.refusals import Refused
from championship.rallies import services as rallies
from championship.seasons.services import create_championship, registering
from tests.championship.rallies.factories import designs, make_rally
from tests.championship.runs.threads import at_once
from tests.factories import make_club, make_member, make_user, signed_in

DECEIVING = [
    "\u202eanA", "Ana\u202c", "An\u2066a", "An\u200ba", "Ana\u200f", "An\u2060a", "\ufeffAna", "An\u00ada", "Ana\u3164",
    "\u2800", "An\u034fa", "A\u0301\u0301\u0301\u0301\u0301na", "\u0301Ana", "Ana\u0007", "Ana\nBo", "An\u200da",
    "Ana\ue000", "Ana\U000e0041",
]  # fmt: skip
HONEST = ["Ana", "Łukasz Żak", "O’Neil-Smith", "日本 太郎", "نمی‌خواهم", "👩‍👧 Crew", "J. R. “Bob” D.", "Лена", "Zoë 2"]
ALIKE = [
    ("Ana", "ana"), ("Ana", "Аna"), ("Bill", "BiII"), ("Paul", "Pau1"), ("Ana Bo", "AnaBo"), ("Ola", "0la"),
    ("Ana", "Ａｎａ"), ("Ana", "A\u200bna"), ("Straße", "STRASSE"), ("Zoë", "Zoe\u0308"), ("Ana", "Ana\u3164"),
]  # fmt: skip
APART = [("Ana", "Anna"), ("Zoë", "Zoe"), ("Ana", "Ana B."), ("Jan", "Jon"), ("Лена", "Ленa B")]


@pytest.mark.parametrize("name", DECEIVING)
def test_a_deceptive_name_is_refused_but_its_visible_part_is_allowed(name):
    with pytest.raises(ValidationError):
        one_line(name)
    if "\n" not in name and "\u0007" not in name and "\ue000" not in name:
        one_line(without_hidden(name))


@pytest.mark.parametrize("name", HONEST)
def test_a_normal_name_is_accepted_unchanged(name):
    one_line(name)
    assert without_hidden(name) == name


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_names_that_look_the_same(one, other):
    assert looks_like(one) == looks_like(other)


@pytest.mark.parametrize(("one", "other"), APART)
def test_names_that_do_not(one, other):
    assert looks_like(one) != looks_like(other)


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["\u202eanA", "An\u200ba"])
def test_nothing_that_people_see_is_called_so(name):
    olga = make_user("Olga")
    club = make_club(owner=olga)
    rally = make_rally(by=olga, club=club)
    cup = create_championship(by=olga, club=club, name="Cup", classes=[], drop=0)
    ways = (
        lambda: create_user(email="x@example.org", name=name, language="en", time_zone="UTC"),
        lambda: update_profile(user=olga, name=name, language="en", time_zone="UTC"),
        lambda: create_club(by=olga, name=name),
        lambda: create_championship(by=olga, club=club, name=name, classes=[], drop=0),
        lambda: registering.name_teams(by=olga, championship=cup, names=[name]),
        lambda: rallies.enter_rally(by=olga, rally=rally, crew=name),
        lambda: rallies.create_rally(
            by=olga, club=club, name=name, game="dirt", designs=designs("1/1"), options={}, mode="convoy",
            turn_hours=24, reminder_hours=4, auto_start=True,
        ),
    )  # fmt: skip
    for way in ways:
        with pytest.raises(Refused) as refusal:
            way()
        assert "invisible" in str(refusal.value)
    assert "name" in ReaderForm({"name": name, "language": "en", "time_zone": "UTC"}).errors


@pytest.mark.django_db
def test_nobody_takes_the_name_of_another_member():
    club = make_club()
    make_member(club, name="Ana Bell")
    bo = make_member(club, name="Bo")
    answer = signed_in(bo).post("/me/", {"name": "Аna BeII", "language": "en", "time_zone": "UTC"})
    assert answer.status_code == 422
    assert "looks the same" in answer.content.decode()
    assert User.objects.get(pk=bo.pk).name == "Bo"
    stranger = make_user("Ana Bell")
    update_profile(user=stranger, name="Ana BeII", language="en", time_zone="UTC")


@pytest.mark.django_db
def test_a_person_with_an_old_clashing_name_keeps_it_and_can_change_other_things():
    club = make_club()
    make_member(club, name="Ana")
    ana = make_member(club, name="Ana")
    assert update_profile(user=ana, name="Ana", language="de", time_zone="UTC").language == "de"


@pytest.mark.django_db
def test_a_second_ana_chooses_another_name_before_joining():
    club = make_club()
    make_member(club, name="Ana")
    owner = club.memberships.filter(roles__contains=[Role.OWNER]).get().user
    _invitation, token = invite(by=owner, club=club, roles=[Role.DRIVER], days=1)
    other = make_user("АNA", email="other@example.org")
    with pytest.raises(Refused, match="Change your name"):
        accept_invitation(by=other, token=token)
    update_profile(user=other, name="Ana from Graz", language="en", time_zone="UTC")
    other.refresh_from_db()
    assert accept_invitation(by=other, token=token).club == club


def rename(person, name):
    return update_profile(user=person, name=name, language="en", time_zone="UTC")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", ["Kim", "Sam", "Alex"])
def test_when_two_take_the_same_name_at_once_one_gets_it(name):
    club, other = make_club(), make_club(name="Other")
    pair = [make_member(club, name="Ana"), make_member(club, name="Bo")]
    for each in pair:
        make_member(other, user=each)
    answers = at_once(*(lambda each=each: rename(each, name) for each in pair), before="FOR NO KEY UPDATE")
    assert sum(isinstance(answer, Refused) for answer in answers) == 1
    assert User.objects.filter(name=name).count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", ["Kim", "Sam", "Alex"])
def test_a_person_who_joins_while_a_member_takes_the_same_name_does_not_share_it(name):
    club = make_club()
    owner = club.memberships.get().user
    _invitation, token = invite(by=owner, club=club, roles=[Role.DRIVER], days=1)
    member, comes = make_member(club, name="Bo"), make_user(name)
    answers = at_once(
        lambda: rename(member, name), lambda: accept_invitation(by=comes, token=token), before="FOR NO KEY UPDATE"
    )
    assert sum(isinstance(answer, Refused) for answer in answers) == 1
    assert club.memberships.filter(user__name=name).count() == 1


@pytest.mark.django_db
def test_the_name_of_a_closed_account_is_kept_until_it_is_final():
    club = make_club()
    ana, bo = make_member(club, name="Ana"), make_member(club, name="Bo")
    owner = club.memberships.get(roles__contains=[Role.OWNER]).user
    _invitation, token = invite(by=owner, club=club, roles=[Role.DRIVER], days=1)
    closing.close(person=ana)
    with pytest.raises(Refused, match="looks the same"):
        rename(bo, "Аna")
    with pytest.raises(Refused, match="Change your name"):
        accept_invitation(by=make_user("Ana", email="other@example.org"), token=token)
    assert closing.finish_due(before=clock.now() + timedelta(days=1)) == 1
    assert rename(bo, "Ana").name == "Ana"


@pytest.mark.django_db
def test_a_new_member_has_their_present_name():
    club = make_club()
    make_member(club, name="Ana")
    owner = club.memberships.get(roles__contains=[Role.OWNER]).user
    _invitation, token = invite(by=owner, club=club, roles=[Role.DRIVER], days=1)
    comes = make_user("Bo")
    User.objects.filter(pk=comes.pk).update(name="Ana")  # in another window
    with pytest.raises(Refused, match="Change your name"):
        accept_invitation(by=comes, token=token)

"""From a rally's link through signing in and requesting to join to the entry; invitations that are pasted."""

import re

import pytest
from django.core import mail
from django.test import Client

from championship.accounts.models import EntranceLetter
from championship.accounts.services.sign_in_mail import send_due
from championship.clubs.models import Invitation, JoinRequest, Membership, Role
from championship.clubs.services import mail_invitations, public_profile
from championship.platform.refusals import Refused
from tests.championship.rallies.factories import make_rally, organiser_of
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


def test_the_rallys_link_leads_a_stranger_through_signing_in_and_asking_to_the_entry():
    rally = make_rally()
    page, enter = f"/rallies/{rally.key}/", f"/rallies/{rally.key}/enter/"
    assert f'href="/account/login/?next={enter}"' in Client().get(page).text
    assert f'href="/account/signup/?next={enter}"' in Client().get(page).text
    ana = make_user("Ana")
    ask = f"/ask/{rally.club.key}/?next={enter}"
    assert ask in signed_in(ana).get(page).text
    assert signed_in(ana).get(enter)["Location"] == ask
    signed_in(ana).post(ask, {"words": ""})
    public_profile.answer(by=organiser_of(rally), request=JoinRequest.objects.get(), accept=True)
    assert signed_in(ana).get(ask)["Location"] == enter
    assert signed_in(ana).get(enter).status_code == 200


def test_signing_in_comes_back_to_the_page_where_one_was():
    rally = make_rally()
    assert f"/account/login/?next=/rallies/{rally.key}/sheet/" in Client().get(f"/rallies/{rally.key}/sheet/").text
    assert "?next=/account" not in Client().get("/account/signup/").text


def test_the_form_of_a_new_account_takes_the_zone_of_the_browser_but_not_over_what_was_sent():
    assert "js/zone.js" in Client().get("/account/signup/").text
    assert "data-sent" not in Client().get("/account/signup/").text
    assert "data-sent" in Client().post("/account/signup/", {"email": "x"}).text


def test_pasted_addresses_each_get_the_link_and_members_none():
    olga = make_user("Olga")
    club = make_club(owner=olga)
    member = make_member(club, name="Bo")
    pasted = f"Ana Berg <ana@example.org>, cy@example.org;\n{member.email} ANA@example.org"
    page = f"/clubs/{club.slug}/invitations/mail/"
    assert signed_in(member).post(page, {"mail-addresses": pasted, "mail-days": "7"}).status_code == 403
    answer = signed_in(olga).post(page, {"mail-addresses": pasted, "mail-days": "7"})
    assert answer.status_code == 302
    assert sorted(EntranceLetter.objects.values_list("to", flat=True)) == ["ana@example.org", "cy@example.org"]
    assert Invitation.objects.get().max_uses == 2
    send_due()
    link = re.search(r"/join/[\w-]+/", mail.outbox[0].body).group()
    ana = make_user("Ana")
    signed_in(ana).post(link)
    assert Membership.objects.get(user=ana).roles == [Role.DRIVER.value]


@pytest.mark.parametrize("pasted", ["", "nobody", "a@b", " ".join(f"d{number}@example.org" for number in range(61))])
def test_nonsense_among_pasted_addresses_sends_nothing_and_keeps_what_was_typed(pasted):
    olga = make_user("Olga")
    club = make_club(owner=olga)
    answer = signed_in(olga).post(f"/clubs/{club.slug}/invitations/mail/", {"mail-addresses": pasted, "mail-days": "7"})
    assert answer.status_code == 422
    assert pasted in answer.text
    assert EntranceLetter.objects.count() == Invitation.objects.count() == 0


def test_a_club_sends_so_many_invitations_in_a_day_and_no_more(monkeypatch):
    monkeypatch.setattr(mail_invitations, "MOST_A_DAY", 3)
    olga = make_user("Olga")
    club = make_club(owner=olga)
    mail_invitations.invite_by_mail(by=olga, club=club, roles=["driver"], days=7, text="a@example.org b@example.org")
    with pytest.raises(Refused, match="3 invitations"):
        mail_invitations.invite_by_mail(
            by=olga, club=club, roles=["driver"], days=7, text="c@example.org d@example.org"
        )

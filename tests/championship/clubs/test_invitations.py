"""Joining a club by a link."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import connection
from django.http import Http404
from django.utils import timezone

from championship.audit import services as audit
from championship.clubs import selectors, services
from championship.clubs.models import Invitation, Membership
from championship.platform.refusals import Forbidden, Refused
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga():
    return make_user("Olga")


@pytest.fixture
def club(olga):
    return make_club(name="Wiking", owner=olga)


def invite(olga, club, **changes):
    return services.invite(by=olga, club=club, **{"roles": ["driver"], "days": 7, **changes})


def test_a_person_who_opens_the_link_joins_with_its_roles(olga, club):
    invitation, token = invite(olga, club, roles=["driver", "steward"])
    ana = make_user("Ana")
    services.accept_invitation(by=ana, token=token)
    assert selectors.roles_of(ana, club) == {"driver", "steward"}
    assert Invitation.objects.get(pk=invitation.pk).uses == 1
    assert [entry.action for entry in audit.of_club(club.pk)][:2] == ["joined", "invitation made"]


def test_the_database_does_not_know_the_token(olga, club):
    invitation, token = invite(olga, club)
    assert token not in str(Invitation.objects.filter(pk=invitation.pk).values().get())
    assert token not in str([entry.details for entry in audit.of_club(club.pk)])


def spoil_expired(invitation, olga):
    Invitation.objects.filter(pk=invitation.pk).update(expires_at=timezone.now() - timedelta(seconds=1))


def spoil_withdrawn(invitation, olga):
    services.revoke_invitation(by=olga, invitation=invitation)


def spoil_used(invitation, olga):
    Invitation.objects.filter(pk=invitation.pk).update(uses=1)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [(spoil_expired, "has expired"), (spoil_withdrawn, "has been withdrawn"), (spoil_used, "used already")],
)
def test_a_link_that_no_longer_works_says_why(olga, club, spoil, words):
    invitation, token = invite(olga, club)
    spoil(invitation, olga)
    ana = make_user("Ana")
    with pytest.raises(Refused, match=words):
        services.accept_invitation(by=ana, token=token)
    client = signed_in(ana)
    for answer, status in (
        (client.get(f"/join/{token}/"), 410),
        (client.post(f"/join/{token}/"), 422),
    ):
        assert answer.status_code == status
        assert words in answer.text
    assert not selectors.is_member(ana, club)


def test_a_link_for_one_person_is_for_one_person(olga, club):
    _invitation, token = invite(olga, club)
    services.accept_invitation(by=make_user("Ana"), token=token)
    with pytest.raises(Refused, match="used already"):
        services.accept_invitation(by=make_user("Ben"), token=token)


def test_a_link_for_three_lets_three_in(olga, club):
    _invitation, token = invite(olga, club, max_uses=3)
    for _person in range(3):
        services.accept_invitation(by=make_user(), token=token)
    with pytest.raises(Refused, match="used already"):
        services.accept_invitation(by=make_user(), token=token)


def test_a_member_who_opens_the_link_is_told_and_keeps_their_roles(olga, club):
    _invitation, token = invite(olga, club)
    with pytest.raises(Refused, match="You are a member of Wiking already"):
        services.accept_invitation(by=olga, token=token)
    assert selectors.roles_of(olga, club) == {"owner", "organiser", "driver"}
    answer = signed_in(olga).get(f"/join/{token}/")
    assert (answer.status_code, answer["Location"]) == (302, "/clubs/wiking/")
    answer = signed_in(olga).post(f"/join/{token}/")
    assert answer.status_code == 422
    assert "You are a member of Wiking already" in answer.text


@pytest.mark.parametrize("token", ["nonsense", "x" * 2000, "a%00b", "%ff%fe", "ąę"])
def test_an_unknown_link_leads_nowhere(client, token):
    for browser in (client, signed_in(make_user())):
        assert browser.get(f"/join/{token}/").status_code == 404
        assert browser.post(f"/join/{token}/").status_code == 404


def test_only_organisers_and_owners_invite_and_withdraw(olga, club):
    invitation, _token = invite(olga, club)
    driver = make_member(club)
    organiser = make_member(club, roles=["organiser"])
    with pytest.raises(Forbidden):
        invite(driver, club)
    with pytest.raises(Forbidden):
        services.revoke_invitation(by=driver, invitation=invitation)
    with pytest.raises(Forbidden, match="Only an owner"):
        invite(organiser, club, roles=["owner"])
    assert invite(olga, club, roles=["owner"])
    with pytest.raises(Http404):
        services.revoke_invitation(by=make_user(), invitation=invitation)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("roles", []),
        ("roles", ["emperor"]),
        ("days", 0),
        ("days", 91),
        ("days", -(10**30)),
        ("max_uses", 0),
        ("max_uses", 10**30),
    ],
)
def test_an_invitation_that_makes_no_sense_names_the_field(olga, club, field, value):
    with pytest.raises(Refused) as refusal:
        invite(olga, club, **{field: value})
    assert refusal.value.field == field
    assert not Invitation.objects.exists()


def test_withdrawing_twice_is_withdrawing_once(olga, club):
    invitation, _token = invite(olga, club)
    first = services.revoke_invitation(by=olga, invitation=invitation)
    again = services.revoke_invitation(by=olga, invitation=invitation)
    assert first.revoked_at == again.revoked_at
    assert [entry.action for entry in audit.of_club(club.pk)].count("invitation withdrawn") == 1


def at_once(*works):
    together = Barrier(len(works), timeout=60)

    def run(work):
        together.wait()
        try:
            work()
        except Refused as refusal:
            return str(refusal)
        finally:
            connection.close()
        return "joined"

    with ThreadPoolExecutor(len(works)) as pool:
        return sorted(pool.map(run, works))


@pytest.mark.django_db(transaction=True)
def test_of_two_who_open_a_link_for_one_at_the_same_moment_one_joins(olga, club):
    invitation, token = invite(olga, club)
    ana, ben = make_user("Ana"), make_user("Ben")
    results = at_once(
        lambda: services.accept_invitation(by=ana, token=token),
        lambda: services.accept_invitation(by=ben, token=token),
    )
    assert results[1] == "joined"
    assert "used already" in results[0]
    assert Membership.objects.filter(club=club).count() == 2
    assert Invitation.objects.get(pk=invitation.pk).uses == 1


@pytest.mark.django_db(transaction=True)
def test_one_person_with_two_links_at_the_same_moment_joins_once(olga, club):
    tokens = [invite(olga, club)[1] for _link in range(2)]
    ana = make_user("Ana")
    results = at_once(
        lambda: services.accept_invitation(by=ana, token=tokens[0]),
        lambda: services.accept_invitation(by=ana, token=tokens[1]),
    )
    assert results == ["You are a member of Wiking already.", "joined"]
    assert sum(Invitation.objects.values_list("uses", flat=True)) == 1

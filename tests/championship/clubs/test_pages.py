"""The club's pages: who sees which, nonsense in forms, and the number of queries."""

import re

import pytest
from django.test import Client

from championship.audit import services as audit
from championship.clubs import selectors, services
from championship.clubs.models import Club, Invitation, Membership
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db

FOR_MEMBERS = ["", "members/", "leave/", "log/"]
FOR_MANAGERS = ["invitations/", "webhook/"]


@pytest.fixture
def olga():
    return make_user("Olga")


@pytest.fixture
def club(olga):
    return make_club(name="Wiking", owner=olga)


def test_a_visitor_is_sent_to_sign_in(club):
    for page in (*FOR_MEMBERS, *FOR_MANAGERS):
        answer = Client().get(f"/clubs/wiking/{page}")
        assert answer["Location"] == f"/account/login/?next=/clubs/wiking/{page}"


def test_a_stranger_cannot_tell_the_club_exists(club, olga):
    stranger = signed_in(make_user())
    member = Membership.objects.get(user=olga)
    invitation, _token = services.invite(by=olga, club=club, roles=["driver"], days=7)
    pages = [f"/clubs/wiking/{page}" for page in (*FOR_MEMBERS, *FOR_MANAGERS)]
    for page in [*pages, f"/clubs/wiking/members/{member.pk}/", "/clubs/no-such-club/"]:
        assert stranger.get(page).status_code == 404, page
        assert stranger.post(page).status_code in {404, 405}, page
    assert stranger.post(f"/clubs/wiking/members/{member.pk}/remove/").status_code == 404
    assert stranger.post(f"/clubs/wiking/invitations/{invitation.pk}/revoke/").status_code == 404


def test_a_driver_sees_the_club_but_not_what_is_for_organisers(club, olga):
    driver = signed_in(make_member(club, name="Ana"))
    member = Membership.objects.get(user=olga)
    invitation, _token = services.invite(by=olga, club=club, roles=["driver"], days=7)
    for page in FOR_MEMBERS:
        assert driver.get(f"/clubs/wiking/{page}").status_code == 200, page
    for page in (*FOR_MANAGERS, f"members/{member.pk}/"):
        assert driver.get(f"/clubs/wiking/{page}").status_code == 403, page
    assert driver.post("/clubs/wiking/invitations/", {"roles": "driver"}).status_code == 403
    assert driver.post(f"/clubs/wiking/members/{member.pk}/", {"roles": "driver"}).status_code == 403
    assert driver.post(f"/clubs/wiking/members/{member.pk}/remove/").status_code == 403
    assert driver.post(f"/clubs/wiking/invitations/{invitation.pk}/revoke/").status_code == 403
    assert Invitation.objects.get().revoked_at is None


@pytest.mark.parametrize("role", ["steward", "driver", "guest"])
def test_every_member_reads_the_log(club, role):
    member = signed_in(make_member(club, roles=[role]))
    answer = member.get("/clubs/wiking/log/")
    assert answer.status_code == 200
    assert "founded the club" in answer.text
    assert "Olga" in answer.text


def test_somebody_founds_a_club_invites_and_a_driver_joins(client):
    olga = signed_in(make_user("Olga"))
    answer = olga.post("/clubs/new/", {"name": "Rallye Nordsee"})
    assert answer["Location"] == "/clubs/rallye-nordsee/"
    assert "Rallye Nordsee" in olga.get("/clubs/").text

    answer = olga.post("/clubs/rallye-nordsee/invitations/", {"roles": ["driver"], "days": 7, "max_uses": 1})
    assert answer.status_code == 201
    path = re.search(r'value="http://testserver(/join/[^"]+)"', answer.text)[1]
    assert path not in olga.get("/clubs/rallye-nordsee/invitations/").text, "the link is shown once"

    page = client.get(path)
    assert page.status_code == 200
    assert f"/account/signup/?next={path}" in page.text
    assert client.post(path).status_code == 200, "who has not signed in is asked to, and does not join"

    ana = make_user("Ana")
    driver = signed_in(ana)
    assert driver.get(path).status_code == 200
    assert driver.post(path)["Location"] == "/clubs/rallye-nordsee/"
    assert selectors.roles_of(ana, Club.objects.get()) == {"driver"}


def test_an_organiser_changes_roles_and_removes_a_member(club, olga):
    ana = make_member(club, name="Ana")
    their = Membership.objects.get(user=ana)
    client = signed_in(olga)
    answer = client.post(f"/clubs/wiking/members/{their.pk}/", {"roles": ["driver", "steward"]})
    assert answer["Location"] == "/clubs/wiking/members/"
    assert selectors.roles_of(ana, club) == {"driver", "steward"}
    assert client.get(f"/clubs/wiking/members/{their.pk}/remove/").status_code == 200
    assert client.post(f"/clubs/wiking/members/{their.pk}/remove/").status_code == 422
    client.post(f"/clubs/wiking/members/{their.pk}/remove/", {"reason": "Gone to sea"})
    assert not selectors.is_member(ana, club)


def test_the_last_organiser_is_told_why_leaving_fails(club, olga):
    client = signed_in(olga)
    answer = client.post("/clubs/wiking/leave/")
    assert answer.status_code == 422
    assert "last organiser" in answer.text
    answer = client.post(f"/clubs/wiking/members/{Membership.objects.get().pk}/", {"roles": ["owner"]})
    assert answer.status_code == 422
    assert 'id="id_roles_error"' in answer.text
    answer = client.post(f"/clubs/wiking/members/{Membership.objects.get().pk}/remove/", {"reason": "Bored"})
    assert answer.status_code == 422


@pytest.mark.parametrize("name", ["", " ", "x" * 81, "x" * 100_000, "a\x00b", "a\r\nb"])
def test_nonsense_for_a_name_names_the_field_and_founds_nothing(name):
    answer = signed_in(make_user()).post("/clubs/new/", {"name": name})
    assert answer.status_code == 422
    assert 'id="id_name_error"' in answer.text
    assert not Club.objects.exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("roles", []),
        ("roles", ["emperor"]),
        ("roles", ["\x00"]),
        ("days", ""),
        ("days", "soon"),
        ("days", "0"),
        ("days", "9" * 400),
        ("days", "1e9"),
        ("max_uses", "-1"),
        ("max_uses", "\x00"),
        ("max_uses", "1.5"),
    ],
)
def test_nonsense_in_an_invitation_names_the_field_and_keeps_the_rest(club, olga, field, value):
    form = {"roles": ["steward"], "days": "13", "max_uses": "4", field: value}
    answer = signed_in(olga).post("/clubs/wiking/invitations/", form)
    assert answer.status_code == 422
    assert f'id="id_{field}_error"' in answer.text
    for other, typed in (("days", "13"), ("max_uses", "4")):
        if other != field:
            assert f'value="{typed}"' in answer.text
    assert not Invitation.objects.exists()


@pytest.mark.parametrize("number", ["0", "999999999999", "9" * 40])
def test_members_and_invitations_that_do_not_exist_are_not_found(club, olga, number):
    client = signed_in(olga)
    assert client.get(f"/clubs/wiking/members/{number}/").status_code == 404
    assert client.post(f"/clubs/wiking/members/{number}/remove/").status_code == 404
    assert client.post(f"/clubs/wiking/invitations/{number}/revoke/").status_code == 404


def test_a_page_of_the_log_that_does_not_exist_is_the_last_one(club, olga):
    client = signed_in(olga)
    for page in ("0", "-1", "999", "x", "%00"):
        assert client.get(f"/clubs/wiking/log/?page={page}").status_code == 200


def test_names_with_markup_are_shown_as_typed(olga):
    services.create_club(by=olga, name="<script>alert(1)</script>")
    page = signed_in(olga).get("/clubs/").text
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page


@pytest.mark.parametrize("page", [*FOR_MEMBERS, *FOR_MANAGERS])
def test_a_page_asks_the_same_of_the_database_however_large_the_club(club, olga, page, django_assert_max_num_queries):
    for number in range(30):
        make_member(club, name=f"Driver {number}")
        services.invite(by=olga, club=club, roles=["driver"], days=7)
    client = signed_in(olga)
    assert audit.of_club(club.pk).count() == 31
    with django_assert_max_num_queries(12):
        assert client.get(f"/clubs/wiking/{page}").status_code == 200


def test_the_list_of_ones_clubs_takes_one_query_of_its_own(olga, django_assert_max_num_queries):
    for number in range(5):
        make_club(name=f"Club {number}", owner=olga)
    client = signed_in(olga)
    with django_assert_max_num_queries(4):
        assert client.get("/clubs/").text.count("/clubs/club-") >= 5

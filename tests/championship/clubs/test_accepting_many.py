"""Many requests to join are accepted with one button."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from django.db import connection, transaction
from django.http import Http404

from championship.accounts.models import User
from championship.audit.models import Record
from championship.clubs import services
from championship.clubs.models import Ban, Club, JoinRequest, Membership, Role
from championship.clubs.services import ClubClosed, closing, public_profile
from championship.notices.models import Notice
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused
from tests.championship.clubs.test_closing_at_once import at_the_lock
from tests.championship.runs.threads import PATIENCE
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga() -> User:
    return make_user("Olga")


@pytest.fixture
def club(olga: User) -> Club:
    return make_club(owner=olga)


def asking(club: Club, *names: str) -> list[JoinRequest]:
    return [public_profile.request_to_join(by=make_user(name), club=club, page="/open/") for name in names]


def inside(club: Club) -> set[str]:
    return set(Membership.objects.filter(club=club).values_list("user__name", flat=True))


def test_all_requests_are_accepted_with_one_button_logged_and_each_person_notified(club: Club, olga: User) -> None:
    asked = asking(club, "Ana", "Bo", "Cy")
    page = f"/clubs/{club.slug}/requests/"
    shown = " ".join(str(each.pk) for each in asked)
    assert f'name="shown" value="{shown} "' in signed_in(olga).get(page).text
    late = public_profile.request_to_join(by=make_user("Late"), club=club)

    answer = signed_in(olga).post(page, {"shown": shown, "let_in_shown": "yes"}, follow=True)
    assert answer.redirect_chain and "3 people are in the club now." in answer.text
    assert inside(club) == {"Olga", "Ana", "Bo", "Cy"}
    assert all(each.roles == [Role.DRIVER.value] for each in Membership.objects.exclude(user=olga))
    assert Record.objects.filter(club_id=club.pk, action="let in", actor=olga).count() == 3
    told = Notice.objects.filter(kind="request to join answered", channel="mail")
    assert set(told.values_list("recipient__name", "link")) == {(name, "/open/") for name in ("Ana", "Bo", "Cy")}
    assert set(JoinRequest.objects.exclude(accepted=True)) == {late}, "who asked after the organiser looked still waits"


def test_ticked_requests_are_accepted_and_no_others(club: Club, olga: User) -> None:
    ana, bo, cy = asking(club, "Ana", "Bo", "Cy")
    page = f"/clubs/{club.slug}/requests/"
    everybody = f"{ana.pk} {bo.pk} {cy.pk} "
    form = {"shown": everybody, "ticked": [ana.pk, cy.pk], "let_in_ticked": "yes"}
    assert signed_in(olga).post(page, form).status_code == 302
    assert inside(club) == {"Olga", "Ana", "Cy"}

    nobody = signed_in(olga).post(page, {"shown": everybody, "let_in_ticked": "yes"})
    assert (nobody.status_code, "Nobody is ticked." in nobody.text) == (422, True)
    for nonsense in ("x", "-1", "9" * 30):
        assert signed_in(olga).post(page, {"ticked": nonsense, "let_in_ticked": "yes"}).status_code == 404
    assert inside(club) == {"Olga", "Ana", "Cy"}


def test_a_person_who_cannot_join_is_listed_with_the_reason_and_blocks_nobody(club: Club, olga: User) -> None:
    banned, namesake, twin, _other, ana = asking(club, "Bad", "Bo", "Di", "di", "Ana")
    Ban.objects.create(club=club, person=banned.person, reason="Insults", by=olga)
    make_member(club, name="Bo")
    page = f"/clubs/{club.slug}/requests/"
    everybody = " ".join(str(each.pk) for each in JoinRequest.objects.all())
    answer = signed_in(olga).post(page, {"shown": everybody, "let_in_shown": "yes"})

    assert answer.status_code == 422
    assert "2 people are in the club now." in answer.text
    assert "Banned from the club: Insults" in answer.text
    assert "A member is called Bo, or has a name that looks the same." in answer.text
    assert answer.text.count('role="alert" id="refusal-') == 3, "one of two who are called alike"
    assert Membership.objects.filter(club=club, user__in=[twin.person, ana.person]).count() == 2
    assert not Membership.objects.filter(club=club, user__in=[banned.person, namesake.person]).exists()
    assert set(JoinRequest.objects.filter(accepted=None).values_list("person__name", flat=True)) >= {"Bad", "Bo"}
    assert Record.objects.filter(action="let in").count() == 2


def test_requests_given_twice_answered_meanwhile_or_of_another_club_are_skipped(club: Club, olga: User) -> None:
    ana, bo, cy, gone = asking(club, "Ana", "Bo", "Cy", "Gone")
    (other,) = asking(make_club(name="Elsewhere", owner=make_user("Otto")), "Di")
    public_profile.answer(by=olga, request=bo, accept=False, words="Full")
    make_member(club, user=cy.person, roles=[Role.STEWARD])
    User.objects.filter(pk=gone.person_id).update(closed_at=clock.now())
    chosen = [ana.pk, bo.pk, cy.pk, gone.pk, other.pk, 999_999_999]

    assert [each.name for each in public_profile.accept_requests(by=olga, club=club, chosen=chosen).people] == [
        "Ana",
        "Cy",
    ]
    told = Notice.objects.count()
    assert public_profile.accept_requests(by=olga, club=club, chosen=chosen) == public_profile.AcceptedRequests((), {})
    assert Notice.objects.count() == told
    assert inside(club) == {"Olga", "Ana", "Cy"}
    assert Membership.objects.get(club=club, user=cy.person).roles == [Role.STEWARD.value], "they keep their roles"
    bo.refresh_from_db()
    other.refresh_from_db()
    assert (bo.accepted, other.accepted) == (False, None)
    assert Record.objects.filter(action="let in").count() == 1


def test_only_organisers_accept_requests_and_none_in_a_closed_club(club: Club, olga: User) -> None:
    asked = [each.pk for each in asking(club, "Ana", "Bo")]
    form, page = {"ticked": asked, "let_in_ticked": "yes"}, f"/clubs/{club.slug}/requests/"
    driver, steward = make_member(club, name="Dee"), make_member(club, name="Stew", roles=[Role.STEWARD])
    assert signed_in(driver).post(page, form).status_code == 403
    assert signed_in(steward).post(page, form).status_code == 403
    assert signed_in(make_user("Stranger")).post(page, form).status_code == 404
    with pytest.raises(Forbidden):
        public_profile.accept_requests(by=driver, club=club, chosen=asked)
    closing.close(by=olga, club=club, typed=club.name, reason="No drivers left")
    with pytest.raises(ClubClosed):
        public_profile.accept_requests(by=olga, club=club, chosen=asked)
    assert inside(club) == {"Olga", "Dee", "Stew"}


def test_accepting_the_request_of_a_person_who_joined_by_link_settles_it(club: Club, olga: User) -> None:
    (ana,) = asking(club, "Ana")
    _invitation, token = services.invite(by=olga, club=club, roles=[Role.DRIVER], days=7)
    services.accept_invitation(by=ana.person, token=token)
    assert public_profile.answer(by=olga, request=ana, accept=True).accepted
    assert not public_profile.requests_of(club).exists()


@pytest.mark.django_db(transaction=True)
def test_two_organisers_and_somebody_with_a_link_at_once_leave_each_a_member_once(club: Club, olga: User) -> None:
    second = make_member(club, name="Otto", roles=[Role.ORGANISER])
    asked = asking(club, *(f"Crew {number}" for number in range(6)))
    _invitation, token = services.invite(by=olga, club=club, roles=[Role.DRIVER], days=7)
    chosen = [each.pk for each in asked]

    def joined() -> int:
        try:
            services.accept_invitation(by=asked[-1].person, token=token)
        except Refused:
            return 0
        finally:
            connection.close()
        return 1

    def let_in(by: User) -> int:
        try:
            return len(public_profile.accept_requests(by=by, club=club, chosen=chosen).people)
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as pool:
        with transaction.atomic():
            Club.objects.select_for_update().get(pk=club.pk)  # all three threads meet here
            came = [pool.submit(let_in, olga), pool.submit(let_in, second), pool.submit(joined)]
        numbers = [each.result(timeout=60) for each in came]
    assert sorted(numbers[:2]) in ([0, 6], [0, 5])
    assert Membership.objects.filter(club=club, roles=[Role.DRIVER]).count() == 6
    assert not JoinRequest.objects.filter(accepted=None, pk__in=chosen[:-1]).exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("many", [True, False])
def test_an_organiser_removed_while_accepting_requests_accepts_none(many: bool) -> None:
    olga = make_user("Olga")
    club: Club = make_club(owner=olga)
    bo = make_member(club, name="Bo", roles=[Role.ORGANISER])
    [asked] = asking(club, "Ana")

    def act() -> object:
        if many:
            return public_profile.accept_requests(by=bo, club=club, chosen=[asked.pk])
        return public_profile.answer(by=bo, request=asked, accept=True)

    reached = Event()
    with ThreadPoolExecutor() as pool:
        with transaction.atomic():
            services.remove_member(by=olga, membership=Membership.objects.get(club=club, user=bo))
            waits = pool.submit(at_the_lock, act, reached)
            assert reached.wait(PATIENCE)
        with pytest.raises(Http404):
            waits.result(timeout=2 * PATIENCE)
    assert inside(club) == {"Olga"}

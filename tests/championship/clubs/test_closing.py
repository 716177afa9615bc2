"""A club is closed and opened again: who may do it, what ends, what stays readable, and that nothing can be changed."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from championship.accounts.models import User
from championship.api.services import make_token
from championship.archive.services import request_archive
from championship.audit.models import Record
from championship.clubs import services, views
from championship.clubs.models import Club, Invitation, JoinRequest, Membership, Role
from championship.clubs.services import ClubClosed, closing, holidays, moderation, public_profile
from championship.notices.models import Notice, Webhook
from championship.notices.selectors import club_listens, webhooks_of_club
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused
from championship.rallies import services as rallies
from championship.rallies.clock.services.acting_dates import Starts, start_at_its_hour
from championship.rallies.models import Rally
from championship.seasons.services import create_championship, registering
from championship.stages.services import create_design
from championship.stewards.services import file_protest
from tests.championship.rallies.factories import enter, make_rally, started
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db
WHY = "We meet at another place"


@pytest.fixture
def olga() -> User:
    return make_user("Olga")


@pytest.fixture
def club(olga: User) -> Club:
    club = make_club(owner=olga)
    return public_profile.change_profile(by=olga, club=club, name=club.name, visibility="public", takes_requests=True)


def closed(club: Club, olga: User) -> Club:
    return closing.close(by=olga, club=club, typed=club.name, reason=WHY)


def test_an_owner_closes_the_club_by_its_name_and_what_waits_in_it_ends(club: Club, olga: User) -> None:
    rally = make_rally(by=olga, club=club)
    (entry,) = enter(rally, "Ana")
    _invitation, token = services.invite(by=olga, club=club, roles=[Role.DRIVER], days=7, max_uses=5)
    asks = make_user("Cy")
    public_profile.request_to_join(by=asks, club=club)
    page = f"/clubs/{club.slug}/close/"

    assert signed_in(make_member(club, name="Org", roles=[Role.ORGANISER])).get(page).status_code == 403
    assert signed_in(asks).get(page).status_code == 404
    wrong = signed_in(olga).post(page, {"name": "Wiking", "reason": WHY})
    assert (wrong.status_code, WHY in wrong.text) == (422, True)
    assert signed_in(olga).post(page, {"name": club.name, "reason": " "}).status_code == 422
    club.refresh_from_db()
    assert club.closed_at is None

    assert signed_in(olga).post(page, {"name": club.name, "reason": WHY}).status_code == 302
    assert signed_in(olga).post(page, {"name": club.name, "reason": "Twice"}).status_code == 302
    club.refresh_from_db()
    rally.refresh_from_db()
    assert club.closed_at is not None and club.close_reason == WHY
    assert (rally.status, rally.cancel_reason) == (Rally.Status.CANCELLED, f"The club is closed: {WHY}")
    assert Invitation.objects.get().revoked_at is not None
    assert JoinRequest.objects.get().accepted is False
    told = set(Notice.objects.filter(kind="club closed").values_list("recipient__name", flat=True))
    assert told == {"Ana", "Org"}
    assert Notice.objects.filter(recipient=asks, kind="request to join answered").exists()
    assert Notice.objects.filter(recipient=entry.driver, kind="rally cancelled").exists()
    assert Record.objects.filter(club_id=club.pk, action="club closed").count() == 1
    assert signed_in(make_user("Di")).get(f"/join/{token}/").status_code == 410
    with pytest.raises(Refused):
        services.accept_invitation(by=make_user("Di"), token=token)
    with pytest.raises(Refused):
        public_profile.request_to_join(by=asks, club=club)


def test_a_club_with_a_rally_under_way_is_not_closed(olga: User) -> None:
    rally, _entries = started(by=olga)
    make_rally(by=olga, club=rally.club, name="To come")
    page = f"/clubs/{rally.club.slug}/close/"

    answer = signed_in(olga).post(page, {"name": rally.club.name, "reason": WHY})
    assert answer.status_code == 422
    assert "Rajd Wisły is under way" in answer.text
    assert Club.objects.get(pk=rally.club_id).closed_at is None
    assert not Rally.objects.filter(status=Rally.Status.CANCELLED).exists()

    rallies.cancel_rally(by=olga, rally=rally, reason="Snow")
    closed(rally.club, olga)
    ana = rally.entries.get(crew="Ana").driver
    with pytest.raises(ClubClosed):
        file_protest(by=ana, rally=rally, text="Too late")
    for tab in ("", "sheet/", "overall/", "podium/", "desk/", "stewards/"):
        answer = signed_in(olga).get(f"/rallies/{rally.key}/{tab}")
        assert answer.status_code in (200, 404), tab
        assert answer.status_code == 404 or "This club has been closed since" in answer.text, tab


Act = Callable[[User, Club], Any]
ACTS: dict[str, Act] = {
    "invite": lambda by, club: services.invite(by=by, club=club, roles=[Role.DRIVER], days=7),
    "change its face": lambda by, club: public_profile.change_profile(
        by=by, club=club, name="New", visibility="link", takes_requests=True
    ),
    "give roles": lambda by, club: services.set_roles(
        by=by, membership=Membership.objects.get(club=club, user=by), roles=[Role.OWNER, Role.ORGANISER]
    ),
    "put out": lambda by, club: moderation.remove_with_reason(
        by=by, membership=Membership.objects.exclude(user=by).get(club=club), reason="No"
    ),
    "allow holidays": lambda by, club: holidays.set_allowance(by=by, club=club, days=3),
    "take a holiday": lambda by, club: holidays.take_holiday(
        by=by, club=club, first_day=clock.now().date(), last_day=clock.now().date()
    ),
    "manage webhooks": lambda by, club: views.managed(by=by, club=club),
    "make a token": lambda by, club: make_token(by=by, name="Bot", scopes=["read"], club=club),
    "make a rally": lambda by, club: make_rally(by=by, club=club),
    "make a season": lambda by, club: create_championship(by=by, club=club, name="2027"),
    "register": lambda by, club: registering.register(
        by=by, championship=club.championships.get(), driver=by, crew="Olga"
    ),
    "make a course": lambda by, club: create_design(by=by, club=club, name="Course", game="dirt", spec={}),
    "enter": lambda by, club: rallies.enter_rally(by=by, rally=club.rallies.get(), crew="Olga"),
    "confirm": lambda by, club: rallies.confirm_all(by=by, rally=club.rallies.get()),
    "withdraw one's entry": lambda by, club: rallies.withdraw_entry(by=by, entry=club.rallies.get().entries.get()),
    "let somebody in": lambda by, club: services.add_member(person=make_user("Di"), club=club, roles=[Role.DRIVER]),
}


def test_in_a_closed_club_no_service_changes_anything(club: Club, olga: User) -> None:
    make_member(club, name="Ana")
    create_championship(by=olga, club=club, name="2026")
    rally = make_rally(by=olga, club=club)
    rallies.enter_rally(by=olga, rally=rally, crew="Olga")
    Club.objects.filter(pk=club.pk).update(
        closed_at=clock.now()
    )  # as seen by a rally that is created at the same moment
    written = Record.objects.count()

    for name, act in ACTS.items():
        with pytest.raises(ClubClosed), transaction.atomic():
            act(olga, club)
            pytest.fail(name)
    assert Record.objects.count() == written


def test_no_clock_starts_a_rally_of_a_closed_club(club: Club, olga: User) -> None:
    rally = make_rally(by=olga, club=club)
    enter(rally, "Ana", "Bo")
    now = clock.now()
    Rally.objects.filter(pk=rally.pk).update(starts_at=now - timedelta(minutes=1))
    assert Starts().due(now) == [rally.pk]
    Club.objects.filter(pk=club.pk).update(closed_at=now)

    assert Starts().due(now) == []
    assert not start_at_its_hour(rally.pk, now=now)
    rally.refresh_from_db()
    assert (rally.status, rally.starts_at) == (Rally.Status.ENTRIES, now - timedelta(minutes=1))


def test_a_closed_club_is_read_as_before_is_in_no_list_and_is_opened_again(club: Club, olga: User) -> None:
    ana = make_member(club, name="Ana")
    season = create_championship(by=olga, club=club, name="2026")
    _token, text = make_token(by=olga, name="Reader", scopes=["read"], club=club)
    Webhook.objects.create(club_id=club.pk, url="https://example.org/hook", shape=Webhook.Shape.JSON)
    program = {"headers": {"authorization": f"Bearer {text}"}}
    face = f"/clubs/{club.slug}/"
    assert face in Client().get("/open/").text
    assert club_listens(club.pk)
    assert Client().get("/api/v1/clubs", **program).status_code == 200

    closed(club, olga)
    assert face not in Client().get("/open/").text
    assert not club_listens(club.pk) and webhooks_of_club(club.pk) == []
    assert Client().get("/api/v1/clubs", **program).status_code == 401
    for reader in (Client(), signed_in(ana), signed_in(olga)):
        for page in (face, season.get_absolute_url()):
            answer = reader.get(page)
            assert answer.status_code == 200, page
            assert "This club has been closed since" in answer.text and WHY in answer.text, page
    assert "Ask to join" not in Client().get(face).text
    assert "New rally" not in signed_in(olga).get(face).text
    refused = signed_in(olga).get(f"/clubs/{club.slug}/rallies/new/")
    assert refused.status_code == 422 and "has been closed since" in refused.text
    moderation.report(by=ana, club=club, page=face, text="An insult", reason="Rude")
    request_archive(by=olga, club=club)
    assert signed_in(olga).get(f"/clubs/{club.slug}/archive/").status_code == 200
    services.leave(by=ana, club=club)

    page = f"/clubs/{club.slug}/close/"
    assert "Open the club again" in signed_in(olga).get(page).text
    steward = make_member(club, name="Stu", roles=[Role.STEWARD])
    with pytest.raises(Forbidden):
        closing.open_again(by=steward, club=club)
    for _twice in range(2):
        assert signed_in(olga).post(page, {"do": "open"}).status_code == 302
    club.refresh_from_db()
    assert (club.closed_at, club.close_reason) == (None, "")
    assert Notice.objects.get(kind="club opened again").recipient == steward
    assert Record.objects.filter(club_id=club.pk, action="club opened again").count() == 1
    assert Client().get("/api/v1/clubs", **program).status_code == 200
    assert make_rally(by=olga, club=club).status == Rally.Status.ENTRIES


def test_an_operator_opens_a_club_whose_owner_has_left(club: Club, olga: User) -> None:
    closed(club, olga)
    operator = make_user("Op")
    operator.is_staff = operator.is_superuser = True
    operator.save()
    form = {"action": "open_closed_clubs", "_selected_action": [club.pk]}

    assert signed_in(operator).post("/admin/clubs/club/", form).status_code == 302
    assert Club.objects.get(pk=club.pk).closed_at is None
    assert Record.objects.get(action="club opened again").actor == operator

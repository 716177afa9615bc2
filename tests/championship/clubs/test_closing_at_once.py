"""A club is closed while another request changes something in it: the second one finds it closed."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from django.db import connection, transaction

from championship.accounts.models import User
from championship.audit.models import Record
from championship.clubs import services
from championship.clubs.models import Club, Invitation, Membership, Role
from championship.clubs.services import ClubClosed, closing, public_profile
from championship.platform.refusals import Refused
from tests.championship.runs.threads import PATIENCE, lose_patience
from tests.factories import make_club, make_member, make_user

Act = Callable[[User, Club], Any]
ACTS: dict[str, Act] = {
    "invite": lambda by, club: services.invite(by=by, club=club, roles=[Role.DRIVER], days=7),
    "give roles": lambda by, club: services.set_roles(by=by, membership=ana_of(club), roles=[Role.STEWARD]),
    "remove": lambda by, club: services.remove_member(by=by, membership=ana_of(club)),
    "change its face": lambda by, club: public_profile.change_profile(
        by=by, club=club, name="New", visibility="link", takes_requests=True
    ),
}


def ana_of(club: Club) -> Membership:
    return Membership.objects.select_related("club").get(club=club, user__name="Ana")


def at_the_lock(act: Callable[[], Any], reached: Event) -> Any:
    """Return the result of the act, or its refusal. `reached` is set just before it takes its first lock, or when it is
    done.
    """

    def look(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if "FOR NO KEY UPDATE" in sql or "FOR UPDATE" in sql:
            reached.set()
        return execute(sql, params, many, context)

    try:
        lose_patience()
        with connection.execute_wrapper(look):
            return act()
    except Refused as refusal:
        return refusal
    finally:
        reached.set()
        connection.close()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", ACTS)
def test_a_request_admitted_while_the_club_was_being_closed_changes_nothing(name: str) -> None:
    olga = make_user("Olga")
    club: Club = make_club(owner=olga)
    make_member(club, name="Ana")
    reached = Event()
    with ThreadPoolExecutor() as pool:
        with transaction.atomic():
            closing.close(by=olga, club=club, typed=club.name, reason="We meet at another place")
            waits = pool.submit(at_the_lock, lambda: ACTS[name](olga, Club.objects.get(pk=club.pk)), reached)
            assert reached.wait(PATIENCE)
        found = waits.result(timeout=2 * PATIENCE)

    assert isinstance(found, ClubClosed), found
    assert Record.objects.filter(club_id=club.pk).latest("pk").action == "club closed"
    assert not Invitation.objects.exists()
    assert ana_of(club).roles == [Role.DRIVER]
    assert Club.objects.get(pk=club.pk).name == club.name

"""Roles are changed while officials act. An act that locks officials and then writes about the club does not wait, and
nobody acts with a role that is removed meanwhile.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from django.db import connection, transaction
from django.http import Http404

from championship.clubs.models import Club, Holiday, Invitation, Membership, Role
from championship.clubs.services import remove_member, set_roles
from tests.championship.clubs.test_closing_at_once import ACTS, ana_of, at_the_lock
from tests.championship.runs.threads import PATIENCE
from tests.factories import make_club, make_member, make_user


@pytest.mark.django_db(transaction=True)
def test_a_row_that_points_to_the_club_is_written_while_roles_are_given():
    """Acts of officials lock memberships first. If they waited for the club here, it would be a deadlock."""
    owner, ana = make_user("Olga"), make_user("Ana")
    club: Club = make_club(owner=owner)
    membership = Membership.objects.create(club=club, user=ana, roles=[Role.DRIVER])

    def write() -> int:
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SET LOCAL lock_timeout = '20s'")
                at = club.created_at
                days = {"first_day": at.date(), "last_day": at.date(), "starts_at": at, "ends_at": at, "taken_at": at}
                return Holiday.objects.create(club=club, person=ana, **days).pk
        finally:
            connection.close()

    with ThreadPoolExecutor() as pool, transaction.atomic():
        set_roles(by=owner, membership=membership, roles=[Role.DRIVER, Role.STEWARD])
        assert pool.submit(write).result(timeout=60)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", ACTS)
def test_an_official_removed_while_their_act_waits_changes_nothing(name: str) -> None:
    olga = make_user("Olga")
    club: Club = make_club(owner=olga)
    bo = make_member(club, name="Bo", roles=[Role.ORGANISER])
    make_member(club, name="Ana")
    reached = Event()
    with ThreadPoolExecutor() as pool:
        with transaction.atomic():
            remove_member(by=olga, membership=Membership.objects.get(club=club, user=bo))
            waits = pool.submit(at_the_lock, lambda: ACTS[name](bo, Club.objects.get(pk=club.pk)), reached)
            assert reached.wait(PATIENCE)
        with pytest.raises(Http404):
            waits.result(timeout=2 * PATIENCE)

    assert not Invitation.objects.exists()
    assert ana_of(club).roles == [Role.DRIVER]
    assert Club.objects.get(pk=club.pk).name == club.name

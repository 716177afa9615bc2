"""Roles that are given while officials act: who locks officials and then writes about the club does not wait."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from championship.clubs.models import Club, Holiday, Membership, Role
from championship.clubs.services import set_roles
from tests.factories import make_club, make_user


@pytest.mark.django_db(transaction=True)
def test_a_row_that_points_to_the_club_is_written_while_roles_are_given():
    """Officials' acts lock memberships first; waiting here for the club would be a deadlock."""
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

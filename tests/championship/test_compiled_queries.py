"""A query whose SQL is written once answers like the ORM's own, whatever it is asked with."""

from __future__ import annotations

import pytest

from championship.clubs.models import Membership
from championship.compiled_queries import CompiledQuery
from tests.factories import make_club, make_member

pytestmark = pytest.mark.django_db


def members(slug: str, least: int) -> object:
    """Of a club: when its members joined and what they may do; the first few are left out."""
    return (
        Membership.objects.filter(club__slug=slug, user__pk__gt=least)
        .order_by("pk")
        .values_list("user__name", "joined_at", "roles", "club__slug")
    )


def test_the_answer_is_that_of_the_orm_in_one_query_with_other_values_each_time(django_assert_num_queries):
    clubs = [make_club(), make_club()]
    people = [make_member(club, name=name) for club in clubs for name in ("Ana", "Bo")]
    ask = CompiledQuery(members, str, int).ask
    for club in clubs:
        for least in (0, people[0].pk, people[3].pk):
            with django_assert_num_queries(1):
                told = ask(club.slug, least)
            assert [tuple(row) for row in told] == list(members(club.slug, least))
    assert ask("'; --", 0) == []


def test_what_it_is_not_made_for_is_refused():
    with pytest.raises(TypeError, match="asked with"):
        CompiledQuery(members, str, int).ask("nurburg", "1")
    with pytest.raises(ValueError, match="not among the parameters"):
        CompiledQuery(lambda slug: Membership.objects.values_list("pk"), str).ask("nurburg")

"""Reads about clubs."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import F, QuerySet
from django.http import Http404

from championship.accounts.models import User
from championship.clubs.models import Ban, Club, Holiday, Invitation, Membership, Role
from championship.clubs.services import hash_of
from championship.clubs.services.holidays import days_by_year, today_of
from championship.platform import clock
from championship.platform.prepared_queries import any_of, prepared


def clubs_of(user: User) -> QuerySet[Membership]:
    """The person's memberships with their clubs, by name: one query."""
    return Membership.objects.filter(user=user).select_related("club").order_by("club__name")


def has_duties(user: User) -> bool:
    """Whether the person organises a club, or is a steward of one: one query."""
    return duties_of.first(person=user.pk) is not None


@prepared
def duties_of(person: Any) -> QuerySet[Membership, tuple[Any, ...]]:
    """One row where the person organises a club, or is a steward of one; else none."""
    held = Membership.objects.filter(user=person, roles__overlap=[Role.ORGANISER, Role.STEWARD])
    return held.order_by("pk").values_list("pk")[:1]


def club_for_member(*, user: User, slug: str) -> Club:
    """The club with that slug: one query.

    Raises: Http404 when the person is no member.
    """
    club = Club.objects.filter(slug=slug, memberships__user=user).first()
    if club is None:
        raise Http404
    return club


def membership_of(*, user: User, slug: str) -> Membership:
    """The person's membership, with the club with that slug: one query.

    Raises: Http404 when the person is no member.
    """
    membership = Membership.objects.filter(club__slug=slug, user=user).select_related("club").first()
    if membership is None:
        raise Http404
    return membership


def roles_of(user: User | AnonymousUser, club: Club) -> frozenset[str]:
    """The person's roles in the club; empty for people who are no members or have not signed in."""
    if not user.is_authenticated:
        return frozenset()
    held = Membership.objects.filter(club=club, user_id=user.pk).values_list("roles", flat=True).first()
    return frozenset(held or ())


def is_member(user: User | AnonymousUser, club: Club) -> bool:
    """Whether the person belongs to the club."""
    return user.is_authenticated and Membership.objects.filter(club=club, user_id=user.pk).exists()


def members(club: Club) -> QuerySet[Membership]:
    """Everybody in the club, by name: one query."""
    return Membership.objects.filter(club=club).select_related("user").order_by("user__name", "pk")


def bans_in_force(club: Club) -> QuerySet[Ban]:
    """The bans that are in force, with their people, the newest first: one query."""
    return Ban.objects.filter(club=club, lifted_at=None).select_related("person", "by")


def invitations(club: Club) -> QuerySet[Invitation]:
    """The club's links that still work, newest first: one query."""
    return (
        Invitation.objects.filter(club=club, revoked_at=None, expires_at__gt=clock.now(), uses__lt=F("max_uses"))
        .select_related("created_by")
        .order_by("-pk")
    )


def invitation_by_token(token: str) -> Invitation:
    """The invitation with its club, also if it no longer works.

    Raises: Http404 when the token is unknown.
    """
    invitation = Invitation.objects.filter(token_hash=hash_of(token)).select_related("club").first()
    if invitation is None:
        raise Http404
    return invitation


def holidays_between(person_id: int, club_id: int, since: datetime) -> list[tuple[datetime, datetime]]:
    """The person's holidays in the club that are not over by `since`, as moments, in order: one query."""
    found = Holiday.objects.filter(person_id=person_id, club_id=club_id, ends_at__gt=since)
    return list(found.order_by("starts_at").values_list("starts_at", "ends_at"))


def holidays_of_many(people: Iterable[int], since: datetime) -> dict[tuple[int, int], list[tuple[datetime, datetime]]]:
    """The same for many people, by (person, club): one query."""
    found: dict[tuple[int, int], list[tuple[datetime, datetime]]] = {}
    for person, club, start, end in _holidays(people=list(people), since=since):
        found.setdefault((person, club), []).append((start, end))
    return found


@prepared
def _holidays(people: Any, since: Any) -> QuerySet[Holiday, tuple[Any, ...]]:
    rows = Holiday.objects.filter(person__in=any_of(people), ends_at__gt=since).order_by("starts_at")
    return rows.values_list("person_id", "club_id", "starts_at", "ends_at")


def current_and_coming_holidays(club: Club, now: datetime) -> QuerySet[Holiday]:
    """Holidays of the club's members that are not over, ordered by first day: one query."""
    return Holiday.objects.filter(club=club, ends_at__gt=now).select_related("person").order_by("first_day", "pk")


def holidays_by_club(person: User, now: datetime) -> list[tuple[Club, list[Holiday], int]]:
    """The person's clubs, each with their holidays that are not over, and the days left this year: two queries.

    The year is the current one in the person's zone.
    """
    year = today_of(person, now).year
    taken: dict[int, list[Holiday]] = {}
    for holiday in Holiday.objects.filter(person=person).order_by("first_day", "pk"):
        taken.setdefault(holiday.club_id, []).append(holiday)
    found = []
    for membership in clubs_of(person):
        mine = taken.get(membership.club_id, [])
        left = max(0, membership.club.holiday_days - days_by_year(mine)[year])
        found.append((membership.club, [holiday for holiday in mine if holiday.ends_at > now], left))
    return found

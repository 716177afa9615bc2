"""Every read about clubs that a page needs."""

from django.contrib.auth.models import AnonymousUser
from django.db.models import F, QuerySet
from django.http import Http404
from django.utils import timezone

from championship.accounts.models import User
from championship.clubs.models import Club, Invitation, Membership, Role
from championship.clubs.services import hash_of


def clubs_of(user: User) -> QuerySet[Membership]:
    """The person's memberships with their clubs, by name: one query."""
    return Membership.objects.filter(user=user).select_related("club").order_by("club__name")


def club_for_member(*, user: User, slug: str) -> Club:
    """The club of that address; Http404 for everybody who is no member."""
    club = Club.objects.filter(slug=slug, memberships__user=user).first()
    if club is None:
        raise Http404
    return club


def membership_of(*, user: User, slug: str) -> Membership:
    """The person's membership, with the club of that address: one query; Http404 for strangers."""
    membership = Membership.objects.filter(club__slug=slug, user=user).select_related("club").first()
    if membership is None:
        raise Http404
    return membership


def roles_of(user: User | AnonymousUser, club: Club) -> frozenset[str]:
    """The roles the person holds in the club; empty for strangers and people who have not signed in."""
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


def organisers(club: Club) -> QuerySet[Membership]:
    """The club's organisers, by name: one query."""
    return members(club).filter(roles__contains=[Role.ORGANISER])


def invitations(club: Club) -> QuerySet[Invitation]:
    """The club's links that still work, newest first: one query."""
    return (
        Invitation.objects.filter(club=club, revoked_at=None, expires_at__gt=timezone.now(), uses__lt=F("max_uses"))
        .select_related("created_by")
        .order_by("-pk")
    )


def invitation_by_token(token: str) -> Invitation:
    """The invitation, open or spent, with its club; Http404 for an unknown token."""
    invitation = Invitation.objects.filter(token_hash=hash_of(token)).select_related("club").first()
    if invitation is None:
        raise Http404
    return invitation

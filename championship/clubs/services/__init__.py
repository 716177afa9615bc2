"""Writes about clubs: founding, inviting, joining, giving roles, leaving. The last owner or organiser of a club cannot
close their account.

Modules beside this one: the end of a club, holidays, moderation, invitations by mail, the public side.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import F
from django.http import Http404
from django.utils import formats, timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.name_comparison import stored_form
from championship.accounts.services import is_taken
from championship.accounts.text import one_line
from championship.audit.services import record
from championship.clubs.followers import joining_followers
from championship.clubs.models import Ban, Club, Invitation, Membership, Role
from championship.platform import clock
from championship.platform.keys import new_key
from championship.platform.refusals import Forbidden, Refused

LONGEST_INVITATION = 90
"""Days."""
MOST_USES = 200
OF_BOTS = frozenset({Role.DRIVER, Role.GUEST})
"""The only roles that count for a bot's account, even if it has others."""
RESERVED_SLUGS = {"new"}
TOKEN_BYTES = 24
OPEN_STAGES_SLUG, SCHOOL_SLUG = "-open-stage", "-driving-school"
"""The slugs of the two clubs without members. They begin with a hyphen, so no name of a club gives the same slug."""


class ClubClosed(Refused):
    """The club is closed: it can be read, but nothing in it can be changed."""


class CannotJoin(Refused):
    """Somebody cannot join. The message is for that person, `organiser_message` for an organiser who accepts them."""

    def __init__(self, message: str, organiser_message: str) -> None:
        super().__init__(message)
        self.organiser_message = organiser_message


def require_role(user: User, club: Club, *roles: str) -> frozenset[str]:
    """The roles of `user` in `club`. Every write calls this check. One query.

    The user must have at least one of `roles`, or any role when none is named. For a bot only the roles OF_BOTS count.

    Raises: Http404 when the user is no member (to them the club does not exist).
    Raises: Forbidden when the member has none of the roles.
    Raises: ClubClosed when the club is closed.
    """
    held, closed_at = _checked_membership(user, club, roles)
    if closed_at is not None:
        raise closed(club, closed_at)
    return held


def require_role_to_read(user: User, club: Club, *roles: str) -> frozenset[str]:
    """The same for reads, and for acts that a closed club still allows, such as leaving it: it ignores the closing."""
    return _checked_membership(user, club, roles)[0]


def refuse_if_closed(club: Club) -> None:
    """Check that the club is open, for acts that need no role, such as on a person's own entry. No query: `club` must
    just have been read.

    Raises: ClubClosed when the club is closed.
    """
    if club.closed_at is not None:
        raise closed(club, club.closed_at)


def closed(club: Club, since: datetime) -> ClubClosed:
    """The exception for an attempt to change something in a closed club."""
    day = formats.date_format(timezone.localtime(since), "DATE_FORMAT")
    told = {"club": club, "day": day}
    return ClubClosed(_("%(club)s has been closed since %(day)s. You can read everything, but change nothing.") % told)


def _checked_membership(user: User, club: Club, roles: Iterable[str]) -> tuple[frozenset[str], datetime | None]:
    """The user's current roles, and since when the club is closed: one query.

    Raises: Http404 when the user is no member.
    Raises: Forbidden when the member has none of the roles.
    """
    found = Membership.objects.filter(club=club, user_id=user.pk).values_list("roles", "club__closed_at").first()
    if found is None:
        raise Http404
    held, closed_at = found
    if user.is_bot:
        held = [role for role in held if role in OF_BOTS]
    wanted = set(roles)
    if wanted and not wanted & set(held):
        needed = ", ".join(str(role.label) for role in Role if role in wanted)
        raise Forbidden(_("In this club that is for members with one of these roles: %s.") % needed)
    return frozenset(held), closed_at


@transaction.atomic
def create_club(*, by: User, name: str) -> Club:
    """Found a club. Its founder becomes owner, organiser and driver.

    Raises: Refused when the name is not valid (field name), or the founder is a bot.
    """
    roles = _ordered({Role.OWNER, Role.ORGANISER, Role.DRIVER})
    _refuse_office_for_bot(User.objects.select_for_update(no_key=True).get(pk=by.pk), roles)
    name = checked_name(name)
    club = Club(name=name)
    for slug in _slugs(name):
        club.slug = slug
        try:
            with transaction.atomic():
                club.save(force_insert=True)
            break
        except IntegrityError:
            continue
    Membership.objects.create(club=club, user=by, roles=roles)
    record(actor=by, action="club founded", subject=club, club_id=club.pk, details={"roles": roles})
    return club


@transaction.atomic
def invite(*, by: User, club: Club, roles: Iterable[str], days: int, max_uses: int = 1) -> tuple[Invitation, str]:
    """Create a link by which up to `max_uses` people join with `roles` within `days` days. Organisers and owners may.

    Returns the invitation and its token. The token is available only now: the database stores a hash.

    Raises: Forbidden when `by` lacks the role; only owners may invite owners.
    Raises: Refused when a field is not valid (field roles, days or max_uses).
    """
    held = require_role(by, _locked_club(club.pk), Role.OWNER, Role.ORGANISER)
    given = _checked_roles(roles)
    if Role.OWNER in given and Role.OWNER not in held:
        raise Forbidden(_("Only an owner can make somebody an owner."))
    if not 1 <= days <= LONGEST_INVITATION:
        raise Refused(_("A link works for 1 to %d days.") % LONGEST_INVITATION, field="days")
    if not 1 <= max_uses <= MOST_USES:
        raise Refused(_("A link is for 1 to %d people.") % MOST_USES, field="max_uses")
    invitation, token = make_invitation(club=club, roles=given, days=days, max_uses=max_uses, created_by=by)
    details = {"roles": given, "days": days, "people": max_uses}
    record(actor=by, action="invitation made", subject=invitation, club_id=club.pk, details=details)
    return invitation, token


def make_invitation(
    *, club: Club, roles: Iterable[str], days: int, max_uses: int, created_by: User
) -> tuple[Invitation, str]:
    """Create a link, without checks and without a record in the log. Returns the invitation and its token."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    until = clock.now() + timedelta(days=days)
    kept = {"token_hash": hash_of(token), "roles": list(roles), "expires_at": until, "max_uses": max_uses}
    return Invitation.objects.create(club=club, created_by=created_by, **kept), token


@transaction.atomic
def accept_invitation(*, by: User, token: str) -> Membership:
    """Join the club of the link.

    Raises: Http404 when the token is unknown.
    Raises: Refused when the link no longer works, or the person cannot join. The message says why.
    """
    invitation = (
        Invitation.objects.select_for_update(of=("self",))
        .select_related("club")
        .filter(token_hash=hash_of(token))
        .first()
    )
    if invitation is None:
        raise Http404
    if Membership.objects.filter(club=invitation.club, user=by).exists():
        raise Refused(_("You are a member of %s already.") % invitation.club)
    refuse_if_spent(invitation)
    membership = add_member(person=by, club=invitation.club, roles=invitation.roles)
    Invitation.objects.filter(pk=invitation.pk).update(uses=F("uses") + 1)
    details = {"roles": membership.roles, "invitation": invitation.pk}
    record(actor=by, action="joined", subject=membership, club_id=invitation.club_id, details=details)
    return membership


def add_member(*, person: User, club: Club, roles: Iterable[str]) -> Membership:
    """Make a person a member. Runs inside a transaction.

    Raises: CannotJoin when the person is banned, or a member has a name that looks the same.
    Raises: Refused when the person is a member already, or a bot would get a role outside OF_BOTS.
    Raises: ClubClosed when the club is closed.
    """
    ban = Ban.objects.filter(club=club, person=person, lifted_at=None).first()
    if ban is not None:
        told = {"club": club, "reason": ban.reason}
        says = _("Banned from the club: %(reason)s") % told
        raise CannotJoin(_("%(club)s does not let you in: %(reason)s") % told, says)
    refuse_if_closed(_lock_names(person, club))
    _refuse_office_for_bot(person, roles)
    if is_taken(person.name, person=person, club_id=club.pk):
        named = {"club": club, "name": person.name}
        message = _(
            "%(club)s has a member called %(name)s, or with a name that looks the same. Change your name, then join."
        )
        says = _("A member is called %(name)s, or has a name that looks the same. They must change their name first.")
        raise CannotJoin(message % named, says % named)
    try:
        with transaction.atomic():
            membership = Membership.objects.create(club=club, user=person, roles=list(roles))
    except IntegrityError as error:  # joined by another link at the same moment
        raise Refused(_("You are a member of %s already.") % club) from error
    for follower in joining_followers:
        follower.member_joined(club, person)
    return membership


def _lock_names(by: User, club: Club) -> Club:
    """Lock the person and the club. Until the transaction ends, neither the person nor a member can be renamed, nobody
    else can join, and the person cannot become a bot. Returns the current row of the club.
    """
    now = User.objects.select_for_update(no_key=True).get(pk=by.pk)
    by.name, by.is_bot = now.name, now.is_bot
    return _locked_club(club.pk)


def _locked_club(club_id: int) -> Club:
    """The current row of the club, locked: nobody can close it until the transaction ends. Writes of rows that only
    point to it do not wait.
    """
    return Club.objects.select_for_update(no_key=True).get(pk=club_id)


def refuse_if_spent(invitation: Invitation) -> None:
    """Check that people can still join by this link.

    Raises: Refused when they cannot. The message says why.
    """
    refuse_if_closed(invitation.club)
    if invitation.revoked_at is not None:
        raise Refused(_("This invitation has been withdrawn. Ask the club for a new link."))
    if clock.now() >= invitation.expires_at:
        raise Refused(_("This invitation has expired. Ask the club for a new link."))
    if invitation.uses >= invitation.max_uses:
        raise Refused(_("This invitation has been used already. Ask the club for a new link."))


@transaction.atomic
def revoke_invitation(*, by: User, invitation: Invitation) -> Invitation:
    """Withdraw a link. Withdrawing it again changes nothing."""
    require_role(by, invitation.club, Role.OWNER, Role.ORGANISER)
    locked = Invitation.objects.select_for_update().get(pk=invitation.pk)
    if locked.revoked_at is None:
        locked.revoked_at = clock.now()
        locked.save(update_fields=["revoked_at"])
        record(actor=by, action="invitation withdrawn", subject=locked, club_id=locked.club_id)
    return locked


@transaction.atomic
def set_roles(*, by: User, membership: Membership, roles: Iterable[str]) -> Membership:
    """Give a member exactly these roles. Organisers and owners may; only owners may give or take the role of owner.

    Raises: Refused when the club would be left without an organiser or an owner, or a bot would get a role outside
    OF_BOTS (field roles).
    """
    # So that the member cannot become a bot meanwhile.
    User.objects.select_for_update(no_key=True).get(pk=membership.user_id)
    locked, held = _locked(membership, by)
    given, before = _checked_roles(roles), list(locked.roles)
    if before == given:
        return locked
    _refuse_office_for_bot(locked.user, given, field="roles")
    if (Role.OWNER in given) != (Role.OWNER in before) and Role.OWNER not in held:
        raise Forbidden(_("Only an owner can give or take the owner role."))
    _refuse_last_one_out(locked, keeps=given, field="roles")
    locked.roles = given
    locked.save(update_fields=["roles"])
    details = {"before": before, "after": given}
    record(actor=by, action="roles changed", subject=locked, club_id=locked.club_id, details=details)
    return locked


@transaction.atomic
def remove_member(*, by: User, membership: Membership, reason: str = "") -> None:
    """Remove somebody from the club. Organisers and owners may; only owners may remove owners. It does not notify the
    person; moderation.remove_with_reason does.

    Raises: Forbidden when `by` may not remove this member.
    Raises: Http404 when the person is no member any more.
    Raises: Refused when the person is the club's last owner or organiser.
    """
    locked, held = _locked(membership, by)
    if Role.OWNER in locked.roles and Role.OWNER not in held:
        raise Forbidden(_("Only an owner can remove an owner."))
    _remove(locked, by=by, action="member removed", reason=reason)


@transaction.atomic
def leave(*, by: User, club: Club) -> None:
    """Leave the club, also a closed one.

    Raises: Refused when the person is its last owner, or the last organiser of an open club.
    """
    _locked_club(club.pk)
    require_role_to_read(by, club)
    _remove(Membership.objects.select_related("club", "user").get(club=club, user=by), by=by, action="left")


def _remove(membership: Membership, *, by: User, action: str, reason: str = "") -> None:
    _refuse_last_one_out(membership, keeps=[], field=None)
    record(
        actor=by,
        action=action,
        subject=membership,
        club_id=membership.club_id,
        details={"roles": membership.roles} | ({"reason": reason} if reason else {}),
    )
    membership.delete()


def _locked(membership: Membership, by: User) -> tuple[Membership, frozenset[str]]:
    """The current row of the membership, and the roles of `by`, who must be an owner or organiser (`require_role`).

    The club is locked first, so that the last two organisers cannot both leave at once, and nobody acts by a role that
    they are losing.
    """
    club = _locked_club(membership.club_id)
    held = require_role(by, club, Role.OWNER, Role.ORGANISER)
    locked = Membership.objects.select_related("club", "user").filter(pk=membership.pk).first()
    if locked is None:
        raise Http404
    return locked, held


def _refuse_office_for_bot(person: User, roles: Iterable[str], *, field: str | None = None) -> None:
    if person.is_bot and not set(roles) <= OF_BOTS:
        raise Refused(_("A bot makes turns and decides nothing else."), field=field)


def _refuse_last_one_out(membership: Membership, *, keeps: Iterable[str], field: str | None) -> None:
    if membership.user.is_bot:
        return  # its roles as owner or organiser do not count
    others = Membership.objects.filter(club=membership.club_id, user__closed_at=None, user__is_bot=False)
    others = others.exclude(pk=membership.pk)
    for role, message in (
        (Role.ORGANISER, _("%s is the club's last organiser. Make somebody else an organiser first.")),
        (Role.OWNER, _("%s is the club's last owner. Make somebody else an owner first.")),
    ):
        if role == Role.ORGANISER and membership.club.closed_at is not None:
            continue  # there is nothing to organise, and nobody can be made an organiser
        gives_up = role in membership.roles and role not in keeps
        if gives_up and not others.filter(roles__contains=[role]).exists():
            raise Refused(message % membership.user, field=field)


def hash_of(token: str) -> str:
    """The hash of an invitation's token, which the database stores."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def checked_name(name: str) -> str:
    """A club's name as it is stored.

    Raises: Refused when it is not valid (field name).
    """
    name = stored_form(name.strip())
    if not name or len(name) > 80:
        raise Refused(_("Give the club a name of 1 to 80 characters."), field="name")
    try:
        one_line(name)
    except ValidationError as error:
        raise Refused(error.messages[0], field="name") from error
    return name


def _slugs(name: str) -> Iterable[str]:
    """Slugs to try for a club with that name, in order. The last one is random and practically never taken."""
    stem = slugify(name)[:40].strip("-") or "club"
    if stem not in RESERVED_SLUGS:
        yield stem
    for number in range(2, 10):
        yield f"{stem}-{number}"
    yield f"{stem}-{slugify(new_key())}"


def _ordered(roles: Iterable[str]) -> list[str]:
    """The roles in their fixed order, each once."""
    wanted = set(roles)
    return [role.value for role in Role if role in wanted]


def _checked_roles(roles: Iterable[str]) -> list[str]:
    wanted = set(roles)
    if not wanted:
        raise Refused(_("Choose at least one role."), field="roles")
    if not wanted <= set(Role.values):
        raise Refused(_("There is no such role."), field="roles")
    return _ordered(wanted)


class RolesOfPeople:
    """Roles in clubs that somebody must have."""

    def account_closing(self, person: User) -> None:
        """Refuse to close the account of the last owner or organiser of a club that has other members.

        Bots do not count, because they cannot be owners or organisers. Closed clubs do not count either: an operator
        can open them again.

        Raises: Refused when a club would be left without an owner or an organiser.
        """
        held = Membership.objects.filter(user=person, club__closed_at=None)
        # Locks the clubs, so that of two people who leave at once the second sees that the first has left.
        list(Club.objects.select_for_update(no_key=True).filter(pk__in=held.values("club")).order_by("pk"))
        for mine in held.select_related("club"):
            others = Membership.objects.filter(club=mine.club_id, user__closed_at=None, user__is_bot=False)
            others = others.exclude(pk=mine.pk)
            for role in (Role.OWNER, Role.ORGANISER):
                if role in mine.roles and others.exists() and not others.filter(roles__contains=[role]).exists():
                    says = _(
                        "You are the last %(role)s of %(club)s. Give somebody else this role, then close your account."
                    )
                    raise Refused(says % {"role": role.label, "club": mine.club})


def open_club() -> Club:
    """Return the club of open stages, which are for everybody, created with the first one. It has no members and no
    page, and nobody can be invited to it. Everybody with a link may see its content.
    """
    defaults = {"name": "Open stage", "visibility": Club.Visibility.LINK, "takes_requests": False}
    return Club.objects.get_or_create(slug=OPEN_STAGES_SLUG, defaults=defaults)[0]


def practice_club() -> Club:
    """Return the driving school: the club of practice stages, created at the first call. It has no members and no page,
    and nobody can be invited to it.
    """
    return Club.objects.get_or_create(slug=SCHOOL_SLUG, defaults={"name": "Driving school"})[0]

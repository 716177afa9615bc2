"""What clubs do when an account is being closed."""

from __future__ import annotations

from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.clubs.models import Club, Membership, Role
from championship.platform.refusals import Refused


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

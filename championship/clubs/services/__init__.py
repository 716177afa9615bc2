"""Every write about clubs: founding and closing them, members and their roles, invitations, holidays, moderation.

What other apps call is named here; the modules beside this one import each other by their own names.
"""

from championship.clubs.services.members import (
    LONGEST_INVITATION,
    MOST_USES,
    OF_BOTS,
    RESERVED_SLUGS,
    CannotJoin,
    ClubClosed,
    accept_invitation,
    add_member,
    checked_name,
    create_club,
    hash_of,
    invite,
    leave,
    make_invitation,
    refuse_if_closed,
    refuse_if_spent,
    remove_member,
    require_role,
    require_role_to_read,
    revoke_invitation,
    set_roles,
)

__all__ = [
    "LONGEST_INVITATION",
    "MOST_USES",
    "OF_BOTS",
    "RESERVED_SLUGS",
    "CannotJoin",
    "ClubClosed",
    "accept_invitation",
    "add_member",
    "checked_name",
    "create_club",
    "hash_of",
    "invite",
    "leave",
    "make_invitation",
    "refuse_if_closed",
    "refuse_if_spent",
    "remove_member",
    "require_role",
    "require_role_to_read",
    "revoke_invitation",
    "set_roles",
]

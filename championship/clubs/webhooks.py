"""A club's webhooks: where its rallies' news are posted to. Owners and organisers manage them, and the log tells."""

from championship.accounts.models import User
from championship.clubs.models import Club, Role
from championship.clubs.services import require_role
from championship.notices.webhooks import Owner


def managed(*, by: User, club: Club) -> Owner:
    """The club as the owner of its webhooks, for who may manage them.

    Raises: Forbidden for other members, Http404 for strangers.
    """
    require_role(by, club, Role.OWNER, Role.ORGANISER)
    return Owner(by, club)

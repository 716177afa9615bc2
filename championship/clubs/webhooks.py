"""A club's webhooks, to which the news of its rallies are posted. Owners and organisers manage them; the log records
it.
"""

from championship.accounts.models import User
from championship.clubs.models import Club, Role
from championship.clubs.services import require_role
from championship.notices.services.webhooks import Owner


def managed(*, by: User, club: Club) -> Owner:
    """The club as the owner of its webhooks, for a person who may manage them.

    Raises: Forbidden when `by` is another member.
    Raises: Http404 when `by` is no member.
    """
    require_role(by, club, Role.OWNER, Role.ORGANISER)
    return Owner(by, club)

"""Writes about guests: makes one, within limits, and hands over what one has when it turns out who it is."""

from __future__ import annotations

import secrets
from http import HTTPStatus

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import override

from championship.accounts.followers import guest_followers
from championship.accounts.models import User
from championship.accounts.rate_limit_answers import in_words
from championship.platform import clock, counting
from championship.platform.refusals import Refused

DOMAIN = "guest.invalid"
"""The domain of the addresses of guests. No mail is ever sent there."""
MOST_FROM_A_NETWORK = ((90, 60), (400, 3600), (600, 86_400))
"""(guests, seconds): in a minute and in an hour as many as may sign up over one connection (settings)."""


class TooManyGuests(Refused):
    """No further guest can drive now."""

    status = HTTPStatus.SERVICE_UNAVAILABLE


class TooManyFromHere(TooManyGuests):
    """Too many guests have begun over this network. `seconds`: how long to wait."""

    status = HTTPStatus.TOO_MANY_REQUESTS

    def __init__(self, seconds: int) -> None:
        super().__init__(_("Too many attempts. Try again in %s.") % in_words(seconds))
        self.seconds = seconds


def make_guest(*, network: str, language: str = "en") -> User:
    """Make a guest for a visitor from this network. Requests at the same moment may exceed the number of guests by one
    each.

    Raises: TooManyFromHere, or TooManyGuests when GUESTS_AT_ONCE are there.
    """
    for most, window in MOST_FROM_A_NETWORK:
        counted = counting.count(f"guests-{window}-{network}", window=window)
        if counted.used > most:
            raise TooManyFromHere(counted.seconds)
    if User.objects.filter(is_guest=True).count() >= settings.GUESTS_AT_ONCE:
        raise TooManyGuests(_("All cars for guests are on the road. Sign in, or come back later."))
    address = f"{secrets.token_hex(12)}@{DOMAIN}"
    guest = User(email=address, refused_address=address, is_guest=True, is_active=False)
    guest.language = language if language in User.Language.values else User.Language.ENGLISH
    with override(guest.language):
        guest.name = _("Guest")
    guest.date_joined = clock.now()
    guest.set_unusable_password()
    guest.save(force_insert=True)
    return guest


@transaction.atomic
def take_along(*, guest_id: int, person: User) -> bool:
    """Give all that the guest has to the person, and delete the guest. Returns False where there is no such guest any
    more: of two tabs that sign in, one takes it along.

    The lock lets a turn of the guest end that is being played: it needs the guest's row for its post.
    """
    guest = User.objects.select_for_update(no_key=True).filter(pk=guest_id, is_guest=True).first()
    if guest is None:
        return False
    for follower in guest_followers:
        follower.guest_signed_in(guest, person)
    guest.delete()
    return True

"""A club's webhook: where its rallies' news are posted to. Owners and organisers set it, and the log tells."""

from django.db import transaction

from championship.accounts.models import User
from championship.audit.services import record
from championship.clubs.models import Club, Role
from championship.clubs.services import require_role
from championship.notices import choosing
from championship.notices.models import Webhook


def set_club_webhook(*, by: User, club: Club, url: str, shape: str) -> Webhook:
    """Post the club's news to that address, in the language of who sets it. Refused (field url) for a private one."""
    require_role(by, club, Role.OWNER, Role.ORGANISER)
    choosing.check_webhook(url=url, shape=shape)
    with transaction.atomic():
        webhook = choosing.keep_webhook(club=club, by=by, url=url, shape=shape)
        # The address is as good as a password at Discord or Slack: the log, which all officials read, keeps its shape.
        record(actor=by, action="webhook set", subject=club, club_id=club.pk, details={"shape": shape})
    return webhook


@transaction.atomic
def remove_club_webhook(*, by: User, club: Club) -> None:
    """Post nowhere any more; doing it again changes nothing."""
    require_role(by, club, Role.OWNER, Role.ORGANISER)
    if webhook_of(club) is not None:
        choosing.remove_webhook(club=club)
        record(actor=by, action="webhook removed", subject=club, club_id=club.pk)


def webhook_of(club: Club) -> Webhook | None:
    """The club's webhook, if it has one: one query."""
    return Webhook.objects.filter(club_id=club.pk).first()

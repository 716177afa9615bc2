"""Writes about webhooks of a person or a club: adds and changes them, rotates secrets, and sends posts again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.text import one_line
from championship.audit.services import record
from championship.notices import kinds, ssrf
from championship.notices.channels import Channel
from championship.notices.models import Notice, Webhook, new_signing_secret
from championship.notices.services.letters import queue_delivery
from championship.platform import clock
from championship.platform.refusals import Refused

MOST = 10
"""The most webhooks of one owner."""
LONGEST_NAME = 60
OLD_SECRET_FOR = timedelta(days=3)
"""How long posts are also signed with the previous secret."""
SETTLED = (Notice.Status.SENT, Notice.Status.DROPPED, Notice.Status.UNSURE, Notice.Status.DEAD)


@dataclass(frozen=True, slots=True)
class Owner:
    """The owner of webhooks: `club`, whose webhooks `by` may manage (clubs.webhooks.managed); `by` if club is None."""

    by: User
    club: Model | None = None

    def webhooks(self) -> QuerySet[Webhook]:
        """All webhooks of this owner, the oldest first."""
        own = Webhook.objects.filter(person=self.by)
        if self.club is not None:
            own = Webhook.objects.filter(club_id=self.club.pk)
        return own.order_by("pk")

    def kinds(self) -> list[kinds.Kind]:
        """The kinds of notice that this owner may choose from."""
        return list(kinds.switchable() if self.club is None else kinds.public())

    def note(self, action: str, webhook: Webhook) -> None:
        """Add a record to the log, with name and shape only: at Discord or Slack the address works like a password."""
        subject, club_id = self.club or self.by, self.club.pk if self.club else None
        details = {"shape": webhook.shape, **({"name": webhook.name} if webhook.name else {})}
        record(actor=self.by, action=action, subject=subject, club_id=club_id, details=details)


def add(owner: Owner, *, url: str, shape: str, name: str = "", kinds: Iterable[str] = ()) -> Webhook:
    """Add a webhook. Posts use the language and zone of the person who adds it.

    Raises: Refused when a field (url, shape, name, kinds) is not valid, the service does not send to the address, or
    the owner has MOST webhooks already or one with this address.
    """
    check(url=url, shape=shape)
    with transaction.atomic():
        (owner.club or owner.by)._meta.model._base_manager.select_for_update(no_key=True).get(
            pk=(owner.club or owner.by).pk  # serialises two additions at once
        )
        if owner.webhooks().count() >= MOST:
            raise Refused(_("You have %d webhooks. Remove one first.") % MOST, field="url")
        _check_new_address(owner, url)
        webhook = Webhook(person=owner.by) if owner.club is None else Webhook(club_id=owner.club.pk)
        return _keep(owner, webhook, url=url, shape=shape, name=name, chosen=kinds)


def change(owner: Owner, pk: int, *, url: str, shape: str, name: str = "", kinds: Iterable[str] = ()) -> Webhook:
    """Change a webhook, and switch it on. A new address gets a new secret.

    Raises: Refused when a field is not valid, as in `add`.
    Raises: Http404 when the webhook is somebody else's.
    """
    check(url=url, shape=shape)
    with transaction.atomic():
        webhook = locked(owner, pk)
        _check_new_address(owner, url, besides=pk)
        return _keep(owner, webhook, url=url, shape=shape, name=name, chosen=kinds)


def check(*, url: str, shape: str) -> None:
    """Check the address and the shape. It queries a name server, so it must be called outside of transactions.

    Raises: Refused when the service does not send to the address, its name is unknown, or there is no such shape.
    """
    if shape not in Webhook.Shape.values:
        raise Refused(_("There is no such format."), field="shape")
    try:
        ssrf.destination(url.strip(), resolver=ssrf.resolve_briefly)
    except ssrf.Refusal as refusal:
        raise Refused(str(refusal), field="url") from refusal
    except OSError as error:
        raise Refused(_("There is nothing at this address: its name is unknown."), field="url") from error


@transaction.atomic
def remove(owner: Owner, pk: int) -> None:
    """Remove a webhook and drop its queued posts. Removing it again changes nothing."""
    webhook = owner.webhooks().select_for_update().filter(pk=pk).first()
    if webhook is None:
        return
    webhook.posts.filter(status=Notice.Status.QUEUED).update(status=Notice.Status.DROPPED)
    owner.note("webhook removed", webhook)
    webhook.delete()


@transaction.atomic
def rotate(owner: Owner, pk: int) -> Webhook:
    """Give a webhook a new secret. For OLD_SECRET_FOR posts are signed with both, so that its receiver has time to
    change.

    Raises: Http404 when the webhook is somebody else's.
    """
    webhook = locked(owner, pk)
    webhook.old_secret, webhook.old_secret_until = webhook.secret, clock.now() + OLD_SECRET_FOR
    webhook.secret = new_signing_secret()
    webhook.save(update_fields=["secret", "old_secret", "old_secret_until"])
    owner.note("webhook secret changed", webhook)
    return webhook


@transaction.atomic
def send_again(owner: Owner, pk: int, notice: str) -> None:
    """Post a notice again, under the same id, after any outcome. A notice that is queued or being sent does not change.

    Raises: Http404 when it is not a post of a webhook of this owner.
    Raises: Refused when the webhook is switched off.
    """
    webhook = locked(owner, pk)
    try:
        found = webhook.posts.select_for_update().filter(pk=notice).first()
    except ValidationError:  # not the id of a notice
        found = None
    if found is None:
        raise Http404
    if webhook.off_because:
        raise Refused(_("The webhook is switched off. Save it to switch it on."))
    if found.status not in SETTLED:
        return
    found.status, found.attempts, found.sent_at, found.answer = Notice.Status.QUEUED, 0, None, ""
    found.next_try_at, found.first_tried_at, found.handed_over_at = clock.now(), None, None
    found.save(
        update_fields=["status", "attempts", "sent_at", "answer", "next_try_at", "first_tried_at", "handed_over_at"]
    )
    owner.note("webhook post sent again", webhook)
    queue_delivery([Channel.WEBHOOK])


def locked(owner: Owner, pk: int) -> Webhook:
    """The owner's webhook with that number, locked.

    Raises: Http404 when there is none.
    """
    webhook = owner.webhooks().select_for_update().filter(pk=pk).first()
    if webhook is None:
        raise Http404
    return webhook


def _keep(owner: Owner, webhook: Webhook, *, url: str, shape: str, name: str, chosen: Iterable[str]) -> Webhook:
    """Save the webhook, after `check` has accepted it, and switch it on."""
    url = url.strip()
    if webhook.url != url:
        fresh: dict[str, Any] = {"secret": new_signing_secret(), "old_secret": "", "old_secret_until": None}
        fresh |= {"last_at": None, "last_answer": "", "test_answer": ""}
        fresh |= {"test_asked_at": None, "test_begun_at": None, "test_well": None}
        for field, value in fresh.items():
            setattr(webhook, field, value)
    webhook.url, webhook.shape, webhook.off_because = url, shape, ""
    webhook.name, webhook.kinds = _checked_name(name), _checked_kinds(owner, chosen)
    webhook.failures, webhook.failing_since = 0, None
    webhook.language, webhook.time_zone, webhook.set_by = owner.by.language, owner.by.time_zone, owner.by
    webhook.save()
    owner.note("webhook set", webhook)
    return webhook


def _check_new_address(owner: Owner, url: str, *, besides: int | None = None) -> None:
    """Check that no other webhook of the owner has this address: each post would arrive there twice.

    Raises: Refused when one has.
    """
    if owner.webhooks().filter(url=url.strip()).exclude(pk__in=[besides] if besides else []).exists():
        raise Refused(
            _("Another of these webhooks has this address already: each post would arrive twice."), field="url"
        )


def is_address_elsewhere(owner: Owner, url: str) -> bool:
    """Whether notices are posted to this address for another owner too: posts about the same thing arrive twice."""
    return Webhook.objects.filter(url=url.strip()).exclude(pk__in=owner.webhooks()).exists()


def _checked_name(name: str) -> str:
    name = name.strip()
    try:
        one_line(name)
    except ValidationError as error:
        raise Refused(error.messages[0], field="name") from error
    if len(name) > LONGEST_NAME:
        raise Refused(_("A name has %d characters at most.") % LONGEST_NAME, field="name")
    return name


def _checked_kinds(owner: Owner, chosen: Iterable[str]) -> list[str]:
    """The chosen kinds, each once. If all kinds are chosen, the list is empty, which means the same."""
    known, wanted = [kind.name for kind in owner.kinds()], set(chosen)
    if not wanted <= set(known):
        raise Refused(_("There is no such kind of notice."), field="kinds")
    return [] if wanted == set(known) else [name for name in known if name in wanted]

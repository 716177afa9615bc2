"""Webhooks of a person or a club: made, changed, given another secret, and what was posted there sent again."""

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

from championship import clock
from championship.accounts.models import User
from championship.accounts.text import one_line
from championship.audit.services import record
from championship.notices import kinds, ssrf
from championship.notices.channels import Channel
from championship.notices.models import Notice, Webhook, new_signing_secret
from championship.notices.services import offer_to_workers
from championship.refusals import Refused

MOST = 10
"""Webhooks of one owner."""
LONGEST_NAME = 60
OLD_SECRET_FOR = timedelta(days=3)
"""So long posts are signed with the secret of before as well."""
SETTLED = (Notice.Status.SENT, Notice.Status.DROPPED, Notice.Status.UNSURE, Notice.Status.DEAD)


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose webhooks: the club's, where `by` may manage them (clubs.webhooks.managed); `by`'s own where it is None."""

    by: User
    club: Model | None = None

    def webhooks(self) -> QuerySet[Webhook]:
        """All of them, the oldest first."""
        own = Webhook.objects.filter(person=self.by)
        if self.club is not None:
            own = Webhook.objects.filter(club_id=self.club.pk)
        return own.order_by("pk")

    def kinds(self) -> list[kinds.Kind]:
        """The kinds of notice that they may choose among."""
        return list(kinds.switchable() if self.club is None else kinds.public())

    def note(self, action: str, webhook: Webhook) -> None:
        """Tell the log. The address is as good as a password at Discord or Slack: the log keeps name and shape."""
        subject, club_id = self.club or self.by, self.club.pk if self.club else None
        details = {"shape": webhook.shape, **({"name": webhook.name} if webhook.name else {})}
        record(actor=self.by, action=action, subject=subject, club_id=club_id, details=details)


def add(owner: Owner, *, url: str, shape: str, name: str = "", kinds: Iterable[str] = ()) -> Webhook:
    """Post to that address from now on, in the language and zone of the person who adds it.

    Raises: Refused with the field (url, shape, name, kinds): for a place that we do not send to, or one too many.
    """
    check(url=url, shape=shape)
    with transaction.atomic():
        (owner.club or owner.by)._meta.model._base_manager.select_for_update(no_key=True).get(
            pk=(owner.club or owner.by).pk  # two at once, one behind the other
        )
        if owner.webhooks().count() >= MOST:
            raise Refused(_("You have %d webhooks. Remove one first.") % MOST, field="url")
        webhook = Webhook(person=owner.by) if owner.club is None else Webhook(club_id=owner.club.pk)
        return _keep(owner, webhook, url=url, shape=shape, name=name, chosen=kinds)


def change(owner: Owner, pk: int, *, url: str, shape: str, name: str = "", kinds: Iterable[str] = ()) -> Webhook:
    """Change a webhook, and switch it on. Another address gets another secret.

    Raises: Refused as `add` does; Http404 for somebody else's.
    """
    check(url=url, shape=shape)
    with transaction.atomic():
        return _keep(owner, locked(owner, pk), url=url, shape=shape, name=name, chosen=kinds)


def check(*, url: str, shape: str) -> None:
    """Refused for a place we do not send to. It asks a name server, so it is called outside of transactions."""
    if shape not in Webhook.Shape.values:
        raise Refused(_("There is no such shape."), field="shape")
    try:
        ssrf.destination(url.strip(), resolver=ssrf.resolve_briefly)
    except ssrf.Refusal as refusal:
        raise Refused(str(refusal), field="url") from refusal
    except OSError as error:
        raise Refused(_("There is nobody at this address: its name is not known."), field="url") from error


@transaction.atomic
def remove(owner: Owner, pk: int) -> None:
    """Post there no more; what still waits is dropped. Doing it again changes nothing."""
    webhook = owner.webhooks().select_for_update().filter(pk=pk).first()
    if webhook is None:
        return
    webhook.posts.filter(status=Notice.Status.QUEUED).update(status=Notice.Status.DROPPED)
    owner.note("webhook removed", webhook)
    webhook.delete()


@transaction.atomic
def rotate(owner: Owner, pk: int) -> Webhook:
    """Give a webhook another secret. The one of before signs as well for OLD_SECRET_FOR, so that its receiver can take
    the new one at leisure. Http404 for somebody else's.
    """
    webhook = locked(owner, pk)
    webhook.old_secret, webhook.old_secret_until = webhook.secret, clock.now() + OLD_SECRET_FOR
    webhook.secret = new_signing_secret()
    webhook.save(update_fields=["secret", "old_secret", "old_secret_until"])
    owner.note("webhook secret changed", webhook)
    return webhook


@transaction.atomic
def send_again(owner: Owner, pk: int, notice: str) -> None:
    """Post something again, under the same number, whatever became of it. What is on its way stays so.

    Raises: Http404 for what was not posted to a webhook of theirs; Refused while the webhook is switched off.
    """
    webhook = locked(owner, pk)
    try:
        found = webhook.posts.select_for_update().filter(pk=notice).first()
    except ValidationError:  # no number of a notice
        found = None
    if found is None:
        raise Http404
    if webhook.off_because:
        raise Refused(_("The webhook is switched off. Save it to switch it on."))
    if found.status not in SETTLED:
        return
    found.status, found.attempts, found.sent_at, found.answer = Notice.Status.QUEUED, 0, None, ""
    found.next_try_at, found.handed_over_at = clock.now(), None
    found.save(update_fields=["status", "attempts", "sent_at", "answer", "next_try_at", "handed_over_at"])
    owner.note("webhook post sent again", webhook)
    offer_to_workers([Channel.WEBHOOK])


def locked(owner: Owner, pk: int) -> Webhook:
    """The webhook of that number among theirs, locked. Http404 where there is none."""
    webhook = owner.webhooks().select_for_update().filter(pk=pk).first()
    if webhook is None:
        raise Http404
    return webhook


def _keep(owner: Owner, webhook: Webhook, *, url: str, shape: str, name: str, chosen: Iterable[str]) -> Webhook:
    """Keep what `check` has let pass, and switch it on."""
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
    """The chosen kinds, each once; all of them is the same as none."""
    known, wanted = [kind.name for kind in owner.kinds()], set(chosen)
    if not wanted <= set(known):
        raise Refused(_("There is no such kind of notice."), field="kinds")
    return [] if wanted == set(known) else [name for name in known if name in wanted]

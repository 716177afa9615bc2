"""Tests of webhooks: requested on a page, posted by a worker, and shown on the page once the response is there.

A test is posted once and never retried. Each person may send one test per BETWEEN, counted before anything is sent, so
that nobody can use the service to attack other servers.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from functools import partial

from django.core.cache import cache
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import override

from championship.accounts.models import User
from championship.failures.services import Attempts
from championship.notices import outbound_http, ssrf
from championship.notices.models import Webhook
from championship.notices.services import webhook_transport
from championship.platform import clock, task_dispatch
from championship.platform.refusals import Refused

BETWEEN = timedelta(seconds=10)
LOST_AFTER = timedelta(minutes=2)
"""After this long without an outcome, the worker of the test has died."""


class TooSoon(Refused):
    """A post went to this webhook, or a test was sent by this person, a moment ago."""


def request_test(*, by: User, webhook: Webhook) -> None:
    """Have a worker post a test to the webhook after the commit.

    Raises: TooSoon when the last post or test was a moment ago.
    """
    recent = webhook.last_at is not None and clock.now() - webhook.last_at < BETWEEN
    if recent or not cache.add(f"webhook-test-{by.pk}", 1, BETWEEN.total_seconds()):
        raise TooSoon(_("Something was posted there a moment ago. Wait a little."))
    with transaction.atomic():
        kept = Webhook.objects.select_for_update().filter(pk=webhook.pk).first()
        if kept is None or kept.test_is_on_its_way:
            raise TooSoon(_("Something was posted there a moment ago. Wait a little."))
        kept.test_asked_at, kept.test_begun_at, kept.test_well, kept.test_answer = clock.now(), None, None, ""
        kept.save(update_fields=["test_asked_at", "test_begun_at", "test_well", "test_answer"])
        task_dispatch.after_commit(task_dispatch.named("championship.notices.tasks.deliver_posts"))


def send_requested(*, until: float | None = None) -> int:
    """Post the requested tests. Returns how many. None is begun after `until`, a moment of time.monotonic()."""
    fail_lost_tests(now=clock.now())
    sent = 0
    tries = Attempts("test of a webhook", now=clock.now())
    asked = waiting().filter(test_begun_at=None).exclude(pk__in=tries.put_off()).order_by("test_asked_at")
    while (until is None or time.monotonic() < until) and (pk := asked.values_list("pk", flat=True).first()):
        sent += tries.attempt(pk, partial(_send, pk)) or 0
        asked = asked.exclude(pk=pk)
    return sent


def _send(pk: int) -> bool:
    """Post the requested test of one webhook. Returns False when another worker has done so."""
    webhook = _claimed(pk, clock.now())
    if webhook is None:
        return False
    with override(webhook.language):
        well, said = _post(webhook)
    Webhook.objects.filter(pk=webhook.pk, test_asked_at=webhook.test_asked_at).update(
        test_well=well, test_answer=said.replace("\x00", "")[:300]
    )
    return True


def fail_lost_tests(*, now: datetime) -> int:
    """Mark tests whose worker died as failed. They may have arrived, so they are not posted again. Returns how many."""
    lost, says = (
        waiting().filter(test_begun_at__lte=now - LOST_AFTER),
        _("No answer came to the test. It may have arrived."),
    )
    ids = list(lost.values_list("pk", flat=True))
    if not ids:
        return 0
    failed = Attempts("lost test of a webhook", now=now).attempt_together(
        ids, lambda some: lost.filter(pk__in=some).update(test_well=False, test_answer=says)
    )
    return len(failed)


def waiting() -> QuerySet[Webhook]:
    """Webhooks whose test has no outcome yet."""
    return Webhook.objects.filter(test_asked_at__isnull=False, test_well=None)


@transaction.atomic
def _claimed(pk: int, now: datetime) -> Webhook | None:
    asked = waiting().filter(test_begun_at=None).select_for_update(skip_locked=True, of=("self",))
    webhook = asked.filter(pk=pk).first()
    if webhook is not None:
        webhook.test_begun_at = now
        webhook.save(update_fields=["test_begun_at"])
    return webhook


def _post(webhook: Webhook) -> tuple[bool, str]:
    """Post the test. Returns whether it was accepted, and the text for the webhook's owner."""
    try:
        answer = webhook_transport.send_test(webhook)
    except ssrf.Refusal as refusal:
        return False, _("The test did not arrive: %s") % refusal
    except outbound_http.NoAnswer:
        return False, _("No answer came to the test. It may have arrived.")
    except OSError:
        return False, _("The test did not arrive: nobody listens at this address.")
    if webhook_transport.is_success(answer):
        return True, _("The test has arrived: the answer was %d.") % answer.status
    return False, _("The test was refused: %(status)d %(text)s") % {
        "status": answer.status,
        "text": answer.text[:200],
    }

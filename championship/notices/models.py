"""The outbox, in which every message is stored as a row before it is sent, and people's choices about notices."""

import base64
import json
import secrets
import uuid
from datetime import datetime, time
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.serializers.json import DjangoJSONEncoder
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from championship.notices.channels import Channel
from championship.platform import clock, tracing

__all__ = ["Channel", "Keypair", "Notice", "Preferences", "PushSubscription", "SentMail", "Switch", "Webhook"]

SECRET_PREFIX = "whsec_"  # noqa: S105
LONGEST_LEAD = 72
"""The most hours before a deadline at which a reminder may be sent."""


class ContextEncoder(DjangoJSONEncoder):
    """Marks datetimes, so that they are decoded as datetimes and a mail can show them in its reader's zone."""

    def default(self, o: Any) -> Any:
        if isinstance(o, datetime):
            return {"__instant__": o.isoformat()}
        return super().default(o)


class ContextDecoder(json.JSONDecoder):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(object_hook=_instant, **kwargs)


def _instant(read: dict[str, Any]) -> Any:
    return datetime.fromisoformat(read["__instant__"]) if set(read) == {"__instant__"} else read


def new_secret() -> str:
    """256 random bits for an address that must not be guessable."""
    return secrets.token_urlsafe(32)


def new_signing_secret() -> str:
    """256 random bits to sign posts with, in the format that libraries for Standard Webhooks read."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


class Notice(models.Model):
    """A message to one person, or one club, over one channel, sent once.

    `kind` selects the texts (kinds.py), `subject_key` says what it is about. Together with recipient and channel they
    are unique, so that nothing is sent twice. Letters with the same `thread` belong together. A post has its `webhook`,
    None after that was removed, and the last response in `answer`. `first_tried_at` is set when a try has failed,
    because each retry moves `next_try_at`.
    """

    class Status(models.TextChoices):
        QUEUED = "queued", _("queued")
        SENDING = "sending", _("being sent")
        SENT = "sent", _("sent")
        DROPPED = "dropped", _("dropped")
        UNSURE = "unsure", _("held")
        DEAD = "dead", _("dead")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    recipient = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE, related_name="notices"
    )
    club = models.ForeignKey("clubs.Club", null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    webhook = models.ForeignKey(
        "Webhook", null=True, blank=True, on_delete=models.SET_NULL, related_name="posts", db_index=False
    )
    channel = models.CharField(max_length=16, choices=Channel.choices, default=Channel.MAIL)
    kind = models.CharField(max_length=60)
    subject_key = models.CharField(max_length=200)
    thread = models.CharField(max_length=200, blank=True)
    context = models.JSONField(default=dict, encoder=ContextEncoder, decoder=ContextDecoder)
    link = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.QUEUED)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_try_at = models.DateTimeField(default=clock.now)
    first_tried_at = models.DateTimeField(null=True, editable=False)
    claimed_at = models.DateTimeField(null=True, editable=False)
    handed_over_at = models.DateTimeField(null=True, editable=False)
    reached = models.JSONField(default=list, editable=False)
    sent_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True)
    answer = models.CharField(max_length=200, blank=True, default="", editable=False)
    request_id = models.CharField(max_length=tracing.LONGEST, blank=True, default=tracing.current, editable=False)

    class Meta:
        verbose_name = _("notice")
        verbose_name_plural = _("notices")
        constraints = [
            models.UniqueConstraint(
                fields=["recipient", "channel", "kind", "subject_key"],
                condition=~Q(channel="webhook"),
                name="notices_told_once",
            ),
            models.UniqueConstraint(
                fields=["webhook", "kind", "subject_key"],
                condition=Q(webhook__isnull=False),
                name="notices_posted_once",
            ),
            models.CheckConstraint(
                condition=Q(recipient__isnull=False, club__isnull=True)
                | Q(recipient__isnull=True, club__isnull=False, channel="webhook"),
                name="notices_to_a_person_or_a_club",
            ),
            models.CheckConstraint(
                condition=Q(status="sent", sent_at__isnull=False) | (~Q(status="sent") & Q(sent_at__isnull=True)),
                name="notices_sent_has_a_time",
            ),
            models.CheckConstraint(
                condition=~Q(status="sending") | Q(claimed_at__isnull=False), name="notices_sending_since"
            ),
        ]
        indexes = [
            models.Index(fields=["next_try_at", "created_at"], condition=Q(status="queued"), name="notices_due"),
            models.Index(fields=["kind", "subject_key"], condition=Q(status="queued"), name="notices_droppable"),
            models.Index(fields=["recipient", "channel"], condition=Q(status="queued"), name="notices_of_one_lane"),
            models.Index(fields=["recipient", "sent_at"], condition=Q(status="sent"), name="notices_lately"),
            models.Index(fields=["status"], condition=Q(status__in=["sending", "unsure", "dead"]), name="notices_odd"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} to {self.recipient_id or self.club_id} about {self.subject_key}"


class Switch(models.Model):
    """A person's choice for one kind of notice over one channel, on or off. Without it the kind's default applies."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="switches")
    channel = models.CharField(max_length=16, choices=Channel.choices, default=Channel.MAIL)
    kind = models.CharField(max_length=60)
    on = models.BooleanField()

    class Meta:
        verbose_name = _("switch of a kind of notice")
        verbose_name_plural = _("switches of kinds of notice")
        constraints = [models.UniqueConstraint(fields=["person", "channel", "kind"], name="notices_switched_once")]

    def __str__(self) -> str:
        return f"{self.kind} by {self.channel}: {'on' if self.on else 'off'}"


class Preferences(models.Model):
    """When a person wants to get notices, and the key of the person's calendar."""

    class Rhythm(models.TextChoices):
        AT_ONCE = "at once", _("At once")
        HOURLY = "hourly", _("Once an hour, together")
        DAILY = "daily", _("Once a day, together")

    person = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="notice_preferences"
    )
    rhythm = models.CharField(max_length=8, choices=Rhythm.choices, default=Rhythm.AT_ONCE)
    daily_at = models.TimeField(default=time(18))
    reminder_hours = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(LONGEST_LEAD)]
    )
    calendar_key = models.CharField(max_length=64, unique=True, default=new_secret, editable=False)

    class Meta:
        verbose_name = _("choices about notices")
        verbose_name_plural = _("choices about notices")
        constraints = [
            models.CheckConstraint(
                condition=Q(reminder_hours__isnull=True) | Q(reminder_hours__gte=1, reminder_hours__lte=LONGEST_LEAD),
                name="notices_lead_of_1_to_72_hours",
            ),
        ]

    def __str__(self) -> str:
        return self.rhythm


class PushSubscription(models.Model):
    """A browser that shows a person's notices: its endpoint, and the keys with which only it can decrypt.

    `refusals`: how many pushes in a row its push service has refused.
    """

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="push_subscriptions")
    endpoint = models.CharField(max_length=1000, unique=True)
    p256dh = models.CharField(max_length=120)
    auth = models.CharField(max_length=40)
    browser = models.CharField(max_length=80, blank=True)
    refusals = models.PositiveSmallIntegerField(default=0, db_default=0, editable=False)
    created_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        verbose_name = _("browser that shows notices")
        verbose_name_plural = _("browsers that show notices")
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.browser or self.endpoint[:40]


class Webhook(models.Model):
    """An address to which notices of a person or a club are posted, signed with `secret` (webhook_transport.py). An
    owner may have several. `kinds`: the kinds of notice that are posted there; empty for all. Until `old_secret_until`
    posts are signed with `old_secret` as well.

    `failures`: how many in a row, the first of them at `failing_since`. `off_because`: the last response, if the
    webhook is switched off because of it. `set_by`: the person who set it up, for a club or for themselves, and who is
    notified when it is switched off. A test is requested (`test_asked_at`), begun by a worker (`test_begun_at`), and
    then successful or not (`test_well`, webhook_tests.py).
    """

    class Shape(models.TextChoices):
        JSON = "json", _("Plain JSON, signed")
        DISCORD = "discord", "Discord"
        SLACK = "slack", "Slack, Mattermost"

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE, related_name="webhooks"
    )
    club = models.ForeignKey(
        "clubs.Club", null=True, blank=True, on_delete=models.CASCADE, related_name="notices_webhooks"
    )
    name = models.CharField(_("name"), max_length=60, blank=True, default="")
    kinds = ArrayField(models.CharField(max_length=60), default=list, blank=True)
    url = models.CharField(_("address"), max_length=500)
    shape = models.CharField(_("shape"), max_length=8, choices=Shape.choices, default=Shape.JSON)
    secret = models.CharField(max_length=80, default=new_signing_secret, editable=False)
    old_secret = models.CharField(max_length=80, blank=True, default="", editable=False)
    old_secret_until = models.DateTimeField(null=True, editable=False)
    language = models.CharField(max_length=8, default="en")
    time_zone = models.CharField(max_length=64, default="UTC")
    set_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    failures = models.PositiveIntegerField(default=0, editable=False)
    failing_since = models.DateTimeField(null=True, editable=False)
    off_because = models.CharField(max_length=200, blank=True)
    last_at = models.DateTimeField(null=True, editable=False)
    last_answer = models.CharField(max_length=200, blank=True, editable=False)
    test_asked_at = models.DateTimeField(null=True, editable=False)
    test_begun_at = models.DateTimeField(null=True, editable=False)
    test_well = models.BooleanField(null=True, editable=False)
    test_answer = models.CharField(max_length=300, blank=True, editable=False)

    class Meta:
        verbose_name = _("webhook")
        verbose_name_plural = _("webhooks")
        constraints = [
            models.CheckConstraint(
                condition=Q(person__isnull=False, club__isnull=True) | Q(person__isnull=True, club__isnull=False),
                name="notices_webhook_of_a_person_or_a_club",
            ),
        ]
        indexes = [
            models.Index(
                fields=["test_asked_at"],
                condition=Q(test_asked_at__isnull=False, test_well__isnull=True),
                name="notices_tests_asked_for",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.shape} webhook {self.pk}"

    @property
    def display_name(self) -> str:
        """The name to show to its owner: its name, else the host to which it posts."""
        return self.name or urlsplit(self.url).hostname or self.url

    def secrets(self, now: datetime) -> list[str]:
        """The secrets that sign at that moment, the newest first."""
        old = self.old_secret if self.old_secret_until is not None and now < self.old_secret_until else ""
        return [self.secret, *([old] if old else [])]

    def takes(self, kind: str) -> bool:
        """Whether notices of that kind are posted there."""
        return not self.kinds or kind in self.kinds

    @property
    def test_is_on_its_way(self) -> bool:
        """Whether a requested test has no outcome yet."""
        return self.test_asked_at is not None and self.test_well is None


class Keypair(models.Model):
    """A private key that this installation has generated, by name, where the environment sets none."""

    name = models.CharField(max_length=20, primary_key=True)
    private_pem = models.TextField()
    made_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        verbose_name = _("key pair")
        verbose_name_plural = _("key pairs")

    def __str__(self) -> str:
        return self.name


class SentMail(models.Model):
    """A mail of the demo or the tests: stored here instead of being sent (stored_mail.py)."""

    message_id = models.CharField(max_length=255, unique=True)
    to = models.TextField()
    subject = models.TextField()
    body = models.TextField()
    html = models.TextField(blank=True)
    headers = models.JSONField(default=dict)
    at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        verbose_name = _("sent mail")
        verbose_name_plural = _("sent mails")
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.to}: {self.subject}"

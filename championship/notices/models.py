"""The outbox: what somebody is to be told is a row before it is a message."""

import json
import uuid
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class ContextEncoder(DjangoJSONEncoder):
    """Keeps instants as instants, so that a mail can show them in its reader's zone."""

    def default(self, o: Any) -> Any:
        if isinstance(o, datetime):
            return {"__instant__": o.isoformat()}
        return super().default(o)


class ContextDecoder(json.JSONDecoder):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(object_hook=_instant, **kwargs)


def _instant(read: dict[str, Any]) -> Any:
    return datetime.fromisoformat(read["__instant__"]) if set(read) == {"__instant__"} else read


class Channel(models.TextChoices):
    MAIL = "mail", _("mail")


class Notice(models.Model):
    """One thing to tell one person over one channel, once.

    `kind` says which words (kinds.py), `subject_key` what it is about; together with recipient and channel
    they are unique, so that nothing is said twice.
    """

    class Status(models.TextChoices):
        QUEUED = "queued", _("queued")
        SENT = "sent", _("sent")
        DROPPED = "dropped", _("dropped: no longer wanted")
        DEAD = "dead", _("dead: given up")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    recipient = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices")
    channel = models.CharField(max_length=16, choices=Channel.choices, default=Channel.MAIL)
    kind = models.CharField(max_length=60)
    subject_key = models.CharField(max_length=200)
    context = models.JSONField(default=dict, encoder=ContextEncoder, decoder=ContextDecoder)
    link = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.QUEUED)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_try_at = models.DateTimeField(default=timezone.now)
    sent_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True)

    class Meta:
        verbose_name = _("notice")
        verbose_name_plural = _("notices")
        constraints = [
            models.UniqueConstraint(fields=["recipient", "channel", "kind", "subject_key"], name="notices_said_once"),
            models.CheckConstraint(
                condition=models.Q(status="sent", sent_at__isnull=False)
                | (~models.Q(status="sent") & models.Q(sent_at__isnull=True)),
                name="notices_sent_has_a_time",
            ),
        ]
        indexes = [
            models.Index(
                fields=["next_try_at", "created_at"],
                condition=models.Q(status="queued"),
                name="notices_due",
            ),
            models.Index(fields=["kind", "subject_key"], condition=models.Q(status="queued"), name="notices_droppable"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} to {self.recipient_id} about {self.subject_key}"


class Mute(models.Model):
    """A kind of notice a person has switched off for one channel."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="mutes")
    channel = models.CharField(max_length=16, choices=Channel.choices, default=Channel.MAIL)
    kind = models.CharField(max_length=60)

    class Meta:
        verbose_name = _("switched-off kind of notice")
        verbose_name_plural = _("switched-off kinds of notice")
        constraints = [models.UniqueConstraint(fields=["person", "channel", "kind"], name="notices_muted_once")]


class SentMail(models.Model):
    """A mail the demo and the tests have sent: kept instead of going anywhere (mailbox.py)."""

    message_id = models.CharField(max_length=255, unique=True)
    to = models.TextField()
    subject = models.TextField()
    body = models.TextField()
    at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("sent mail")
        verbose_name_plural = _("sent mails")
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.to}: {self.subject}"

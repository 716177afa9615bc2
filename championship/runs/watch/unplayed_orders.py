"""What a driver has laid and not yet played: a draft, and orders sent ahead of the turn."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from engine.verification import SALT_LENGTH

PLAN_LENGTH = 600
"""The longest draft that is accepted, in characters. No real draft is as long."""


class Draft(models.Model):
    """A plan that a driver has begun and not yet sent, in the game's own form, with the orders under which it is to be
    carried out. It is stored on the server, so that a draft begun on the phone can be finished at the desk. `version`:
    the seat's version of the run at the last change.
    """

    run = models.ForeignKey("runs.Run", on_delete=models.CASCADE, related_name="drafts")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    laid: models.JSONField[Any, Any] = models.JSONField(_("laid"), default=str, blank=True)
    orders: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(_("standing orders"), default=dict)
    version = models.PositiveIntegerField(_("version of the run"))
    updated_at = models.DateTimeField(_("changed"))

    class Meta:
        verbose_name = _("draft")
        verbose_name_plural = _("drafts")
        constraints = [
            models.UniqueConstraint(fields=["run", "person"], name="runs_one_draft_per_run_and_person"),
        ]

    def __str__(self) -> str:
        return f"{self.run}, {self.person}"


class SentAhead(models.Model):
    """Orders ahead: a plan that a driver sent before the turn came, with the orders under which it is played. It is
    played when the turn begins, unless the situation that it meets (`outlook`) has changed. `version`: the run's when
    it was sent. `person`: the sender; a new driver of the car does not see it. `salt` was made when the plan was sent.

    A plan that was not played says why: the engine's template and its values, the rule, and the move (from 1).
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("waits for the turn")
        DRIVEN = "driven", _("driven")
        NOT_DRIVEN = "not driven", _("not driven")
        WITHDRAWN = "withdrawn", _("withdrawn")

    seat = models.ForeignKey("runs.Seat", on_delete=models.CASCADE, related_name="sent_ahead")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    turn = models.ForeignKey("runs.Turn", on_delete=models.SET_NULL, null=True, blank=True, related_name="sent_ahead")
    laid: models.JSONField[Any, Any] = models.JSONField(_("laid"))
    orders: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(_("standing orders"))
    salt = models.CharField(_("salt"), max_length=SALT_LENGTH, blank=True, default="")
    outlook = models.JSONField(_("what it meets"))
    version = models.PositiveIntegerField(_("version of the run"))
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.WAITING)
    reason = models.CharField(_("reason"), max_length=400, blank=True)
    values = models.JSONField(default=dict)
    rule = models.CharField(_("rule"), max_length=8, blank=True)
    move = models.PositiveSmallIntegerField(_("move"), null=True, blank=True)
    sent_at = models.DateTimeField(_("sent"))
    settled_at = models.DateTimeField(_("settled"), null=True, blank=True)

    class Meta:
        verbose_name = _("plan sent ahead")
        verbose_name_plural = _("plans sent ahead")
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["seat"], condition=Q(state="waiting"), name="runs_one_plan_ahead_per_seat"),
            models.CheckConstraint(
                condition=Q(state="waiting", settled_at__isnull=True)
                | (~Q(state="waiting") & Q(settled_at__isnull=False)),
                name="runs_plan_ahead_settled_at_a_moment",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.seat} #{self.pk}"

    @property
    def why(self) -> str:
        """Why it was not played, in the reader's language."""
        said = gettext(self.reason) % self.values if self.reason else ""
        return gettext("Move %(move)d: %(said)s") % {"move": self.move, "said": said} if self.move else said

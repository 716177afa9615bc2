"""Tables about moderation: bans, and reported texts."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from championship.accounts.text import shortened
from championship.platform import clock

LONGEST_REASON = 500


class Ban(models.Model):
    """A person who may not join a club until the ban is lifted."""

    club = models.ForeignKey("clubs.Club", on_delete=models.CASCADE, related_name="bans")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="bans")
    reason = models.CharField(_("reason"), max_length=LONGEST_REASON)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(_("banned"), default=clock.now)
    lifted_at = models.DateTimeField(_("lifted"), null=True)
    lifted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        verbose_name = _("ban")
        verbose_name_plural = _("bans")
        ordering = ["-at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["club", "person"], condition=Q(lifted_at=None), name="clubs_one_ban_in_force"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="clubs_ban_has_a_reason"),
        ]

    def __str__(self) -> str:
        return str(self.person)


class Report(models.Model):
    """A text that somebody has reported to the stewards and organisers of a club, or to the operator (no club)."""

    club = models.ForeignKey("clubs.Club", on_delete=models.CASCADE, null=True, related_name="reports")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    page = models.CharField(_("page"), max_length=300, blank=True)
    text = models.TextField(_("the text"), max_length=2000)
    reason = models.CharField(_("what is wrong with it"), max_length=LONGEST_REASON)
    at = models.DateTimeField(_("reported"), default=clock.now)
    settled_at = models.DateTimeField(_("settled"), null=True)
    settled_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    answer = models.CharField(_("answer"), max_length=LONGEST_REASON, blank=True)

    class Meta:
        verbose_name = _("report")
        verbose_name_plural = _("reports")
        ordering = ["-at", "-pk"]
        indexes = [models.Index(fields=["club"], condition=Q(settled_at=None), name="clubs_reports_open")]
        constraints = [
            models.CheckConstraint(
                condition=Q(settled_at=None, answer="") | (Q(settled_at__isnull=False) & ~Q(answer="")),
                name="clubs_settled_report_has_an_answer",
            ),
        ]

    def __str__(self) -> str:
        return shortened(self.text, 60)

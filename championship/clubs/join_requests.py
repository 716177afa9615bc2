"""The table of requests to join a club, with the organisers' answers."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from championship.platform import clock

LONGEST_WORDS = 500


class JoinRequest(models.Model):
    """A person's request to join. `accepted` is None until an organiser has answered."""

    club = models.ForeignKey("clubs.Club", on_delete=models.CASCADE, related_name="join_requests")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="join_requests")
    words = models.CharField(_("a few words about you"), max_length=LONGEST_WORDS, blank=True)
    page = models.CharField(max_length=300, blank=True)
    at = models.DateTimeField(_("asked"), default=clock.now)
    accepted = models.BooleanField(null=True)
    answered_at = models.DateTimeField(_("answered"), null=True)
    answered_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    answer = models.CharField(_("answer"), max_length=LONGEST_WORDS, blank=True)

    class Meta:
        verbose_name = _("request to join")
        verbose_name_plural = _("requests to join")
        ordering = ["at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["club", "person"], condition=Q(accepted=None), name="clubs_one_open_request"
            ),
            models.CheckConstraint(
                condition=Q(accepted=None, answered_at=None) | Q(accepted__isnull=False, answered_at__isnull=False),
                name="clubs_answered_at_a_moment",
            ),
        ]

    def __str__(self) -> str:
        return str(self.person)

"""The audit log: who did what to what, when. Rows are only ever added: the database enforces it."""

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Record(models.Model):
    """One act. `actor` is null when the clock acted; `club_id` is null when no club is concerned.

    `from_archive`: it comes from the archive of a restored club. Nobody has done here what it says.
    """

    at = models.DateTimeField(_("when"), default=timezone.now, editable=False)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+", verbose_name=_("who")
    )
    action = models.CharField(_("act"), max_length=80)
    subject_type = models.CharField(max_length=80)
    subject_id = models.CharField(max_length=64)
    subject_label = models.CharField(_("about"), max_length=200)
    club_id = models.BigIntegerField(null=True)
    details = models.JSONField(_("details"), default=dict, encoder=DjangoJSONEncoder)
    from_archive = models.BooleanField(_("from an archive"), default=False, db_default=False, editable=False)

    class Meta:
        verbose_name = _("record")
        verbose_name_plural = _("records")
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["club_id", "-id"], name="audit_of_club"),
            models.Index(fields=["subject_type", "subject_id"], name="audit_of_subject"),
        ]

    def __str__(self) -> str:
        return f"{self.action}: {self.subject_label}"

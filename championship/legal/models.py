"""The operator's texts for everybody: privacy, imprint, terms, contact. A missing text has a default."""

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from championship.accounts.models import User

LONGEST = 40_000
"""Characters of one text."""


class Topic(models.TextChoices):
    PRIVACY = "privacy", _("Privacy")
    IMPRINT = "imprint", _("Imprint")
    TERMS = "terms", _("Terms of use")
    CONTACT = "contact", _("Contact")


class Text(models.Model):
    """The operator's own text about a topic in one language."""

    topic = models.CharField(max_length=10, choices=Topic.choices)
    language = models.CharField(_("language"), max_length=8, choices=User.Language.choices)
    body = models.TextField(_("text"), max_length=LONGEST)
    changed_at = models.DateTimeField(default=timezone.now)
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")

    class Meta:
        verbose_name = _("legal text")
        verbose_name_plural = _("legal texts")
        constraints = [models.UniqueConstraint(fields=["topic", "language"], name="legal_one_text_per_language")]

    def __str__(self) -> str:
        return f"{self.get_topic_display()} ({self.language})"

"""The ways a notice can go."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Channel(models.TextChoices):
    """mail: a letter. push: the browsers a person has allowed. webhook: an address of a person's or a club's."""

    MAIL = "mail", _("Mail")
    PUSH = "push", _("Browser")
    WEBHOOK = "webhook", _("Webhook")

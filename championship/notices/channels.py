"""The channels over which a notice can be sent."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Channel(models.TextChoices):
    """mail: a letter. push: the browsers that a person has allowed. webhook: an address of a person or a club."""

    MAIL = "mail", _("Mail")
    PUSH = "push", _("Browser")
    WEBHOOK = "webhook", _("Webhook")

"""Which people have a public page. Its content comes from the tables of rallies and seasons."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from championship.platform import clock
from championship.platform.keys import KEY_LENGTH, new_key


class PublicProfile(models.Model):
    """A person's public page across clubs. It exists as long as this row does. `found`: whether search engines may
    index it.
    """

    person = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="public_profile")
    key = models.CharField(max_length=KEY_LENGTH, unique=True, default=new_key, editable=False)
    found = models.BooleanField(_("search engines may find it"), default=False)
    since = models.DateTimeField(_("since"), default=clock.now, editable=False)

    class Meta:
        verbose_name = _("public profile")
        verbose_name_plural = _("public profiles")

    def __str__(self) -> str:
        return str(self.person)

    def get_absolute_url(self) -> str:
        return reverse("profiles:driver", args=[self.key])

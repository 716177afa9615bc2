"""Stage designs: which tiles, how they lie, and whose they are."""

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from championship.clubs.models import Club
from championship.keys import KEY_LENGTH, new_key


class StageDesign(models.Model):
    """A stage that may be driven. Without a club it is ready-made, for every club, and `source` says which one it is
    (rally and stage, as in "1/2"). `spec` is the stage document in the normal form of the game's ruleset."""

    key = models.CharField(max_length=KEY_LENGTH, unique=True, default=new_key, editable=False)
    club = models.ForeignKey(Club, null=True, blank=True, on_delete=models.CASCADE, related_name="stage_designs")
    name = models.CharField(_("name"), max_length=80)
    game = models.CharField(max_length=20)
    spec = models.JSONField()
    designer = models.CharField(_("designer"), max_length=80, blank=True)
    source = models.CharField(max_length=20, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("stage design")
        verbose_name_plural = _("stage designs")
        ordering = ["game", "source", "name", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["game", "source"], condition=models.Q(club=None), name="stages_ready_made_once"
            ),
            models.UniqueConstraint(fields=["club", "name"], name="stages_name_once_in_a_club"),
            models.CheckConstraint(condition=~models.Q(name=""), name="stages_design_has_a_name"),
            models.CheckConstraint(
                condition=models.Q(club__isnull=False) | ~models.Q(source=""), name="stages_ready_made_has_a_source"
            ),
            models.CheckConstraint(
                condition=models.Q(club__isnull=False) | models.Q(created_by=None),
                name="stages_ready_made_by_nobody_here",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("stages:design", args=[self.key])

    @property
    def title(self) -> str:
        """The name; a ready-made stage is named in the reader's language."""
        if self.club_id is not None or "/" not in self.source:
            return self.name
        rally, stage = self.source.split("/", 1)
        return _("Rally %(rally)s, stage %(stage)s") % {"rally": rally, "stage": stage}

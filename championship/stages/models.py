"""Stage designs and their owners, drafts in the stage builder, and ratings."""

from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from championship import catalogue
from championship.clubs.models import Club
from championship.platform import clock
from championship.platform.keys import KEY_LENGTH, new_key
from championship.stages.course_names import name_by_source

LONGEST_NAME = 80


class StageDesign(models.Model):
    """A stage that rallies may drive. `spec` is the stage document in the normal form of the game.

    A design without a club is ready-made and for every club; `source` identifies it (rally and stage, as in "1/2").
    For a club's design, `source` is the id that the game's own pages use for it, mostly "".
    """

    key = models.CharField(max_length=KEY_LENGTH, unique=True, default=new_key, editable=False)
    club = models.ForeignKey(Club, null=True, blank=True, on_delete=models.CASCADE, related_name="stage_designs")
    name = models.CharField(_("name"), max_length=LONGEST_NAME)
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
        """The name. A ready-made stage that has only its source is named by it, in the reader's language and in the
        words of its game.
        """
        return self.name if self.is_named else self.numbered

    @property
    def is_named(self) -> bool:
        """Whether it has a name of its own: it is a club's, or more than its numbers name it."""
        return self.club_id is not None or "/" not in self.source or self.name != name_by_source(self.source)

    @property
    def numbered(self) -> str:
        """ "Rally 4, stage 2", as the rulebook counts a ready-made stage, in the words of its game; "" for others, and
        for one that has a name and no number: "stage kidney" would say less than "The Kidney".
        """
        if self.club_id is not None or "/" not in self.source:
            return ""
        rally, stage = self.source.split("/", 1)
        if self.is_named and not stage.isdigit():
            return ""
        return str(catalogue.words_of(self.game).ready_made) % {"rally": rally, "stage": stage}

    @property
    def name_and_number(self) -> str:
        """The title, and behind it how the rulebook counts a stage that has a name too."""
        return f"{self.title} ({self.numbered})" if self.is_named and self.numbered else self.title


class StageDraft(models.Model):
    """A stage that an organiser is building for a club and has not saved yet: one per organiser, club and game.

    `version` counts its changes, so that the server notices when a page is out of date. `history` holds the specs that
    undo can restore, oldest first. `wishes` holds the options of the last random stage, with its seed.
    """

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="stage_drafts")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    game = models.CharField(max_length=20)
    name = models.CharField(_("name"), max_length=LONGEST_NAME, blank=True)
    spec: "models.JSONField[dict[str, Any], dict[str, Any]]" = models.JSONField(_("course"))
    history: "models.JSONField[list[dict[str, Any]], list[dict[str, Any]]]" = models.JSONField(
        _("history"), default=list
    )
    wishes: "models.JSONField[dict[str, Any], dict[str, Any]]" = models.JSONField(_("wishes"), default=dict)
    version = models.PositiveIntegerField(_("version"), default=0)
    updated_at = models.DateTimeField(_("changed"), auto_now=True)

    class Meta:
        verbose_name = _("stage draft")
        verbose_name_plural = _("stage drafts")
        constraints = [
            models.UniqueConstraint(fields=["club", "author", "game"], name="stages_one_draft_on_the_bench"),
        ]

    def __str__(self) -> str:
        return f"{self.club} / {self.author} / {self.version}"


class Rating(models.Model):
    """One request to rate how hard a stage is. `result` is the game's summary of the runs, set when all chunks are
    driven.
    """

    design = models.ForeignKey(StageDesign, on_delete=models.CASCADE, related_name="ratings")
    seed = models.PositiveIntegerField(_("seed"))
    asked_at = models.DateTimeField(_("asked"), default=clock.now, editable=False)
    rated_at = models.DateTimeField(_("rated"), null=True, blank=True)
    result: "models.JSONField[dict[str, Any] | None, Any]" = models.JSONField(_("result"), null=True, blank=True)

    class Meta:
        verbose_name = _("rating")
        verbose_name_plural = _("ratings")
        constraints = [
            models.UniqueConstraint(fields=["design", "seed"], name="stages_rating_seed_once"),
            models.UniqueConstraint(
                fields=["design"], condition=models.Q(rated_at=None), name="stages_one_rating_under_way"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.design} / {self.seed}"


class Chunk(models.Model):
    """Some runs of a rating that one worker drives in one task: `runs` of them, from run number `first`."""

    rating = models.ForeignKey(Rating, on_delete=models.CASCADE, related_name="chunks")
    first = models.PositiveIntegerField(_("first run"))
    runs = models.PositiveSmallIntegerField(_("runs"))
    driven: "models.JSONField[list[dict[str, Any]] | None, Any]" = models.JSONField(_("driven"), null=True, blank=True)

    class Meta:
        verbose_name = _("chunk of a rating")
        verbose_name_plural = _("chunks of a rating")
        constraints = [
            models.UniqueConstraint(fields=["rating", "first"], name="stages_chunk_once"),
        ]

    def __str__(self) -> str:
        return f"{self.rating}: {self.first}"

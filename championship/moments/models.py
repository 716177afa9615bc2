"""Comments and cheers of members on the moments of their club. The moments themselves are not stored: they are computed
from results and from the stories of stages. Only where a story has its highlights is stored, for the list of moments.
"""

from __future__ import annotations

import re
import unicodedata

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from championship.accounts.text import one_line
from championship.clubs.models import Club
from championship.clubs.moderation_tables import LONGEST_REASON
from championship.rallies.models import Rally, SpecialStage
from championship.runs.models import Run
from championship.seasons.models import Championship

LONGEST = 500
"""The longest comment, in characters."""
MOST_LINES = 8
"""The most lines of a comment."""
NAME = re.compile(r"\A(started|over|won|([1-9][0-9]{0,4})(-(out|told)-([1-9][0-9]{0,2}))?)\Z")
"""The names of moments of a rally or a championship: "started", "over", "won" for a championship, "2" for the results
of stage 2, "2-out-7" for the crash of car 7 on it, "2-told-1" for the first highlight of its story. A club's archive
contains these names, so they must not change.
"""


def plain_words(value: str) -> None:
    """Check that a text is plain text of a few lines.

    Raises: ValidationError for control characters, for invisible characters, and for too many lines.
    """
    lines = value.split("\n")
    if len(lines) > MOST_LINES:
        raise ValidationError(_("At most %(n)d lines, please."), code="lines", params={"n": MOST_LINES})
    if any(unicodedata.category(letter) == "Cc" for line in lines for letter in line):
        raise ValidationError(_("Use ordinary characters, without control characters."), code="control")
    for line in lines:
        one_line(line)


class Comment(models.Model):
    """A member's comment on a moment of a rally or of a championship; `moment` is the moment's name there (NAME).

    A hidden comment is shown to its author only, with the reason.
    """

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="comments")
    rally = models.ForeignKey(Rally, on_delete=models.CASCADE, null=True, related_name="comments")
    championship = models.ForeignKey(Championship, on_delete=models.CASCADE, null=True, related_name="comments")
    moment = models.CharField(_("moment"), max_length=20, validators=[RegexValidator(NAME)])
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="comments")
    text = models.CharField(_("comment"), max_length=LONGEST, validators=[plain_words])
    at = models.DateTimeField(_("written"))
    hidden_at = models.DateTimeField(_("hidden"), null=True)
    hidden_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    hidden_reason = models.CharField(_("why it was hidden"), max_length=LONGEST_REASON, blank=True)

    class Meta:
        verbose_name = _("comment")
        verbose_name_plural = _("comments")
        ordering = ["at", "pk"]
        indexes = [
            models.Index(fields=["rally", "moment"], name="moments_of_rally"),
            models.Index(fields=["championship", "moment"], name="moments_of_championship"),
            models.Index(fields=["author", "at"], name="moments_by_author"),
        ]
        constraints = [
            models.CheckConstraint(condition=~Q(text=""), name="moments_comment_says_something"),
            models.CheckConstraint(
                condition=Q(rally__isnull=False, championship=None) | Q(rally=None, championship__isnull=False),
                name="moments_comment_on_one_thing",
            ),
            models.CheckConstraint(
                condition=Q(hidden_at=None, hidden_reason="") | (Q(hidden_at__isnull=False) & ~Q(hidden_reason="")),
                name="moments_hidden_for_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return str(self.author)

    def get_absolute_url(self) -> str:
        key = self.rally.key if self.rally is not None else self.championship.key if self.championship else ""
        return reverse("moments:moment", args=[self.club.slug, key, self.moment])


class Cheer(models.Model):
    """A member's cheer for a moment, one for each member and moment."""

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="cheers")
    rally = models.ForeignKey(Rally, on_delete=models.CASCADE, null=True, related_name="cheers")
    championship = models.ForeignKey(Championship, on_delete=models.CASCADE, null=True, related_name="cheers")
    moment = models.CharField(_("moment"), max_length=20, validators=[RegexValidator(NAME)])
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="cheers")
    at = models.DateTimeField(_("cheered"))

    class Meta:
        verbose_name = _("cheer")
        verbose_name_plural = _("cheers")
        ordering = ["at", "pk"]
        indexes = [models.Index(fields=["author", "at"], name="moments_cheers_by_author")]
        constraints = [
            models.UniqueConstraint(
                fields=["rally", "moment", "author"],
                condition=Q(championship=None),
                name="moments_one_cheer_for_a_rally",
            ),
            models.UniqueConstraint(
                fields=["championship", "moment", "author"],
                condition=Q(rally=None),
                name="moments_one_cheer_for_a_season",
            ),
            models.CheckConstraint(
                condition=Q(rally__isnull=False, championship=None) | Q(rally=None, championship__isnull=False),
                name="moments_cheer_for_one_thing",
            ),
        ]

    def __str__(self) -> str:
        return str(self.author)


class Highlight(models.Model):
    """A turning point of the story of a stage that is over: the event after which it is told, and what it is. `number`
    counts the highlights of the stage. Its words are those of the story.
    """

    special_stage = models.ForeignKey(SpecialStage, on_delete=models.CASCADE, related_name="highlights")
    number = models.PositiveSmallIntegerField(_("number"))
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="highlights")
    event = models.PositiveIntegerField(_("event"))
    beat = models.CharField(_("kind"), max_length=60)
    happened_at = models.DateTimeField(_("happened"))

    class Meta:
        verbose_name = _("highlight")
        verbose_name_plural = _("highlights")
        ordering = ["special_stage", "number"]
        constraints = [
            models.UniqueConstraint(fields=["special_stage", "number"], name="moments_highlight_number_once"),
        ]

    def __str__(self) -> str:
        return f"{self.special_stage} {self.number}"


class StageTold(models.Model):
    """The highlights of a stage have been chosen, even if there is none."""

    special_stage = models.OneToOneField(SpecialStage, on_delete=models.CASCADE, related_name="told")
    at = models.DateTimeField(_("chosen"))

    class Meta:
        verbose_name = _("story of a stage")
        verbose_name_plural = _("stories of stages")
        ordering = ["special_stage"]

    def __str__(self) -> str:
        return str(self.special_stage)

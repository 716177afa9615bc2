"""Puzzles found in finished runs, the answers of people, and what comes back to a person or is driven on from."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from championship.platform.keys import new_key
from championship.runs.models import Run, new_secret


class Rated(models.Model):
    """A rating by Glicko-2 (glicko.py): of a person who solves, or of a puzzle."""

    rating = models.FloatField(_("rating"), default=1500, db_default=1500)
    deviation = models.FloatField(_("deviation of the rating"), default=350, db_default=350)
    volatility = models.FloatField(_("volatility of the rating"), default=0.06, db_default=0.06)

    class Meta:
        abstract = True


class Searched(models.Model):
    """A run in which puzzles were looked for, by that version of the game's questions."""

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="searched_for_puzzles")
    version = models.CharField(_("version of the questions"), max_length=40)
    at = models.DateTimeField(_("at"))

    class Meta:
        verbose_name = _("run searched for puzzles")
        verbose_name_plural = _("runs searched for puzzles")


class Puzzle(Rated):
    """A turn of a finished run as a question. One without a `day` waits.

    `event`: how many events of the run come before it. `state`: the situation, `prepared`: what makes answers fast, as
    the game of that `version` gives them. `best`, `second`, `obvious`: ways, {"orders", "value", "chances"}. `gap`:
    what the second way gives up, in hundredths. `tried`, `solved`: the first answers of people with an account.
    `likes`: votes for it less those against it.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="puzzles")
    event = models.PositiveIntegerField(_("event"))
    seat = models.CharField(_("seat"), max_length=40)
    version = models.CharField(_("version of the questions"), max_length=40)
    state: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(_("state"))
    prepared: models.JSONField[Any, Any] = models.JSONField(_("prepared"), null=True)
    best: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(_("best way"))
    second: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(_("second way"))
    obvious: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(_("obvious way"))
    themes: models.JSONField[list[str], list[str]] = models.JSONField(_("themes"), default=list)
    ways = models.PositiveIntegerField(_("ways"))
    gap = models.PositiveIntegerField(_("gap to the second way"))
    found_at = models.DateTimeField(_("found"))
    day = models.DateField(_("day"), null=True, blank=True, unique=True)
    tried = models.PositiveIntegerField(_("answers"), default=0, db_default=0)
    solved = models.PositiveIntegerField(_("right answers"), default=0, db_default=0)
    likes = models.IntegerField(_("votes"), default=0, db_default=0)

    class Meta:
        verbose_name = _("puzzle")
        verbose_name_plural = _("puzzles")
        ordering = ["-day"]
        constraints = [
            models.UniqueConstraint(fields=["run", "event"], name="puzzles_one_for_a_turn"),
        ]

    def get_absolute_url(self) -> str:
        return reverse("puzzles:puzzle", args=[self.day])


class Answer(models.Model):
    """The first answer of a person to a puzzle, and their vote: 1, -1 or 0. `loss`: what it gave up, in hundredths."""

    puzzle = models.ForeignKey(Puzzle, on_delete=models.CASCADE, related_name="answers")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="puzzle_answers")
    loss = models.PositiveIntegerField(_("given up"))
    solved = models.BooleanField(_("solved"))
    vote = models.SmallIntegerField(_("vote"), default=0, db_default=0)
    at = models.DateTimeField(_("at"))

    class Meta:
        verbose_name = _("answer to a puzzle")
        verbose_name_plural = _("answers to puzzles")
        constraints = [
            models.UniqueConstraint(fields=["puzzle", "person"], name="puzzles_first_answer_of_a_person"),
            models.CheckConstraint(condition=Q(vote__in=[-1, 0, 1]), name="puzzles_vote_for_or_against"),
        ]


class Solver(Rated):
    """A person's rating as a solver. `shown`: the person wants to see it; nobody else does."""

    person = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="puzzle_rating")
    shown = models.BooleanField(_("shown"), default=False, db_default=False)

    class Meta:
        verbose_name = _("rating as a solver")
        verbose_name_plural = _("ratings as solvers")


class TurnAgain(models.Model):
    """A turn of a person's own that they missed when they drove it again. It comes back (services/turns_again.py).

    `event`: how many events of the run come before it. `box`: how often it was right in a row. `due`: None when it has
    been right often enough.
    """

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="turns_again")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="turns_again")
    event = models.PositiveIntegerField(_("event"))
    box = models.PositiveSmallIntegerField(_("right in a row"), default=0, db_default=0)
    due = models.DateField(_("due"), null=True, blank=True)

    class Meta:
        verbose_name = _("turn to drive again")
        verbose_name_plural = _("turns to drive again")
        constraints = [
            models.UniqueConstraint(fields=["person", "run", "event"], name="puzzles_a_turn_comes_back_once"),
        ]
        indexes = [models.Index(fields=["person", "due"], name="puzzles_turns_due")]


class DriveOn(models.Model):
    """A drive on from a turn of a finished run, against the codriver. It counts for nothing, and has its own secret.

    `state`: the situation at its beginning. `posts`: what was driven, each {"seat", "orders", "events"}.
    `last_key`: of the form that was sent last.
    """

    key = models.CharField(max_length=24, unique=True, default=new_key, editable=False)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="drives_on")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="driven_on")
    event = models.PositiveIntegerField(_("event"))
    seat = models.CharField(_("seat"), max_length=40)
    state: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(_("state"))
    posts: models.JSONField[list[dict[str, Any]], list[dict[str, Any]]] = models.JSONField(_("posts"), default=list)
    secret = models.BinaryField(_("secret"), default=new_secret, editable=False)
    last_key = models.CharField(_("key of the last form"), max_length=64, blank=True, default="", db_default="")
    begun_at = models.DateTimeField(_("begun"))

    class Meta:
        verbose_name = _("drive on")
        verbose_name_plural = _("drives on")

    def get_absolute_url(self) -> str:
        return reverse("puzzles:drive", args=[self.key])

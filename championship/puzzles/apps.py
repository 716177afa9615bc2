"""Puzzles from finished runs, own turns driven again, and driving on from a turn."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PuzzlesConfig(AppConfig):
    name = "championship.puzzles"
    label = "puzzles"
    verbose_name = _("puzzles")

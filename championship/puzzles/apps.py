"""Puzzles from finished runs, own turns driven again, and driving on from a turn."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PuzzlesConfig(AppConfig):
    name = "championship.puzzles"
    label = "puzzles"
    verbose_name = _("puzzles")

    def ready(self) -> None:
        from championship.puzzles import selectors
        from championship.runs.watch import my_turns

        my_turns.BESIDE.register("puzzle", selectors.newest_of_page)
        my_turns.BESIDE.register("turns again", selectors.due_of_page)

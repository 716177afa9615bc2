"""The school of Rallyman: DIRT: its scenes, its exam, and what was driven beside what was better."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext_lazy

from championship.games.dirt import lessons
from championship.games.dirt.school import advanced, basics
from championship.games.dirt.school.comparing import compared
from championship.runs.watch.practice import Exercise
from championship.runs.watch.scenes import EXAM as EXAM_NAME
from championship.runs.watch.scenes import Scene

__all__ = ["EXAM", "LEFT_OUT", "SCENES", "compared"]

SCENES: tuple[Scene, ...] = basics.SCENES + advanced.SCENES

EXAM: Exercise | None = Exercise(
    name=EXAM_NAME,
    title=gettext_lazy("Exam: a short stage against the codriver"),
    stage=lessons.STAGE,
    rivals=1,
    manner="learner",
)

LEFT_OUT: Mapping[str, str] = {
    "M10 E6": "they happen to a car that has no choice, and hardly ever",
    "E7 E8": "nobody practises retiring",
    "F6 F7": "they say what pages show",
}

"""The school of Formula D: its scenes, its exam, and what was driven beside what was better."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext_lazy

from championship.games.formula_d import lessons
from championship.games.formula_d.school.comparing import compared
from championship.games.formula_d.school.scenes import SCENES
from championship.runs.watch.practice import Exercise
from championship.runs.watch.scenes import EXAM as EXAM_NAME

__all__ = ["EXAM", "LEFT_OUT", "SCENES", "compared"]

EXAM: Exercise | None = Exercise(
    name=EXAM_NAME,
    title=gettext_lazy("Exam: a lap against the codriver"),
    stage=lessons.STAGE,
    options=lessons.OPTIONS,
    rivals=1,
    manner="learner",
)

LEFT_OUT: Mapping[str, str] = {
    "A2 A3 A4 P5 P4 D4 S7 K3 K5 K6": "details that a driver meets on the road, and that the page explains there",
    "B2 B3 B4 M7 X1 X3 X4 X5 G6": "they happen to a car that has no choice",
    "R2 R4 R5 R6 Y7 W2 Q6": "they say how results are counted, of teams and heats too",
    "Y1 Y5 Y6 P10 T6": "choices of a form, which explains them",
}

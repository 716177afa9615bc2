"""The school of Dirt & Dust: its scenes, its exam, and what was driven beside what was better."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext_lazy

from championship.games.dust import lessons
from championship.games.dust.school.comparing import compared
from championship.games.dust.school.scenes import SCENES
from championship.runs.watch.practice import Exercise
from championship.runs.watch.scenes import EXAM as EXAM_NAME

__all__ = ["EXAM", "LEFT_OUT", "SCENES", "compared"]

EXAM: Exercise | None = Exercise(
    name=EXAM_NAME,
    title=gettext_lazy("Exam: five stage cards against the codriver"),
    stage=lessons.STAGE,
    rivals=1,
    manner="learner",
)

LEFT_OUT: Mapping[str, str] = {
    "C1 C2 C4 U1 U2 U3 U4 U5 U6": "components and the set-up, which the service does",
    "S1 S2 S3 S4 S5 S6 S7 S8 S9 S10": "they say how turns are posted, closed and drawn",
    "D3 D6 P8 P9 P10 P11 N3 N5 N6 M5 R6 B5 B6 Q5": "details that a card or a page explains where they come up",
    "F5 F6 G6 T1 T2 T3 T4 O1 O2 O3 O4 O5 O6": "options, rallies, the training stage and how results are counted",
    "E1 E2 E3 E4 E5 E6 E7 E8 E9 E10": "the language in which cards are written",
}

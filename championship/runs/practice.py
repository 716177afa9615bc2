"""Practice stages: the lessons of a game, which of them a run shows as done, and what of that a page tells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from championship.runs.models import Event, Practice
from engine import ruleset
from engine.ruleset import Choices, RuleError

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

    from championship.accounts.models import User
    from championship.runs.selectors import RunPage

GAME = "dirt"
"""The game that is taught."""

SCHOOLS: Mapping[str, str] = {"dirt": "championship.runs.games.dirt.lessons"}
"""Names of games and the module that teaches each."""

DONE, SKIPPED, NOW, TO_COME = "done", "skipped", "now", "to come"


@dataclass(frozen=True, slots=True)
class Seen:
    """What there is to see of a run: its events so far, the plan on the table, how it may go on."""

    events: Sequence[Mapping[str, Any]]
    plan: str = ""
    choices: Choices | None = None


@dataclass(frozen=True, slots=True)
class Lesson:
    """One thing to learn: what to do, why, the rules behind it, and when it is done."""

    name: str
    title: _StrPromise
    what: _StrPromise
    why: _StrPromise
    rules: tuple[str, ...]
    done: Callable[[Seen], bool]


class School(Protocol):
    """What a game gives to practice stages."""

    STAGE: Mapping[str, Any]
    """The stage, as its ruleset reads one."""

    LESSONS: tuple[Lesson, ...]

    def hint(self, lesson: Lesson, seen: Seen) -> str:
        """Where the lesson can be done right now; "" where there is nothing to say."""

    def happened(self, events: Sequence[Mapping[str, Any]]) -> str:
        """What just went wrong in these events, explained; "" when nothing did."""


def school(game: str) -> School:
    """The lessons of a game; KeyError when it is not taught."""
    return cast(School, import_module(SCHOOLS[game]))


@dataclass(frozen=True, slots=True)
class LessonShown:
    """A lesson on a page, and where it stands: done, skipped, now, or to come."""

    lesson: Lesson
    standing: str
    number: int


@dataclass(frozen=True, slots=True)
class Taught:
    """The panel of a practice stage: all lessons, the one that is next, what has just happened."""

    practice: Practice
    lessons: list[LessonShown]
    hint: str
    happened: str

    @property
    def current(self) -> LessonShown | None:
        return next((shown for shown in self.lessons if shown.standing == NOW), None)

    @property
    def done(self) -> int:
        return sum(shown.standing == DONE for shown in self.lessons)

    @property
    def left_out(self) -> list[LessonShown]:
        """Lessons that were skipped, or that a stage now over did not come to."""
        return [shown for shown in self.lessons if shown.standing != DONE]


def standings(lessons: Sequence[Lesson], seen: Seen, skipped: Sequence[str]) -> list[LessonShown]:
    """Where each lesson stands. One that was skipped and then done after all is done."""
    shown, current = [], False
    for number, lesson in enumerate(lessons, 1):
        if lesson.done(seen):
            standing = DONE
        elif lesson.name in skipped:
            standing = SKIPPED
        else:
            standing = TO_COME if current else NOW
            current = True
        shown.append(LessonShown(lesson, standing, number))
    return shown


def taught(page: RunPage, plan: str) -> Taught | None:
    """The lessons beside a stage page, for who practises there; None on every other. Two queries, for them only."""
    run = page.run
    if not run.special_stage.rally.practice or page.mine is None:
        return None
    practice = Practice.objects.filter(rally=run.special_stage.rally_id, person=page.mine.entry.driver_id).first()
    if practice is None:
        return None
    lessons = school(run.game)
    events = list(Event.objects.filter(run=run).order_by("number").values_list("data", flat=True))
    seen = Seen(events, plan, _choices(page, plan))
    shown = standings(lessons.LESSONS, seen, practice.skipped)
    now = next((each.lesson for each in shown if each.standing == NOW), None)
    newest = [event.data for post in page.posts[:1] for event in post.events.all()]
    return Taught(practice, shown, lessons.hint(now, seen) if now else "", lessons.happened(newest))


def _choices(page: RunPage, plan: str) -> Choices | None:
    """How the driver may go on; None where it is not their turn or the plan breaks a rule."""
    if page.my_turn is None or page.mine is None:
        return None
    try:
        return ruleset.get(page.run.game).choices(page.run.state, page.mine.driver, plan)
    except RuleError:
        return None


def under_way(person: User) -> Practice | None:
    """The practice stage that somebody is on: one query."""
    return Practice.objects.filter(person=person, ended_at=None).select_related("rally").first()

"""Practice stages: the lessons of a game, which of them a run shows as done, and what of that a page tells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from django.utils.translation import gettext as _

from championship.games import Part, UnknownGame, offers
from championship.refusals import Refused
from championship.runs import watching
from championship.runs.models import Practice
from engine import registry
from engine.contract import RuleError, Ways

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

    from championship.accounts.models import User
    from championship.runs.selectors import RunPage

DONE, SKIPPED, NOW, TO_COME = "done", "skipped", "now", "to come"


@dataclass(frozen=True, slots=True)
class Seen:
    """What there is to see of a run: its events so far, the plan on the table, how it may go on."""

    events: Sequence[Mapping[str, Any]]
    plan: str = ""
    choices: Ways | None = None


@dataclass(frozen=True, slots=True)
class Lesson:
    """One thing to learn: what to do, why, the rules behind it, and when it is done."""

    name: str
    title: _StrPromise
    what: _StrPromise
    why: _StrPromise
    rules: tuple[str, ...]
    done: Callable[[Seen], bool]


@dataclass(frozen=True, slots=True)
class Exercise:
    """Something to practise on after the lessons: another stage of the game, or the same with other options.

    `rivals`: how many codrivers drive along.
    """

    name: str
    title: _StrPromise
    stage: Mapping[str, Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    rivals: int = 0


class School(Protocol):
    """What a game gives to practice stages."""

    ABOUT: _StrPromise
    """What the practice stage is, in a few sentences."""

    STAGE: Mapping[str, Any]
    """The stage, as its game reads one."""

    LESSONS: tuple[Lesson, ...]

    OPTIONS: Mapping[str, Any]
    """What is chosen of the game's options."""

    RIVALS: int
    """How many codrivers drive along; without any the pupil is alone against the clock."""

    EXERCISES: tuple[Exercise, ...]
    """What there is to practise on besides; none where the one stage is all."""

    def hint(self, lesson: Lesson, seen: Seen) -> str:
        """Where the lesson can be done right now; "" where there is nothing to say."""

    def happened(self, events: Sequence[Mapping[str, Any]]) -> str:
        """What just went wrong in these events, explained; "" when nothing did."""


SCHOOL: Part[School] = Part("lessons")


def school(game: str) -> School:
    """The lessons of a game.

    Raises: UnknownGame for a game that is not taught.
    """
    found = SCHOOL.of(game)
    if found is None:
        raise UnknownGame(f"the game {game!r:.40} is not taught")
    return found


def taught_games() -> tuple[str, ...]:
    """The games that are taught."""
    return offers(SCHOOL)


def game_taught(name: str | None) -> str:
    """The game of that name, the first one for None.

    Raises: Refused (field game) where it is not taught.
    """
    known = taught_games()
    if not known or (name is not None and name not in known):
        raise Refused(_("This game has no practice stage."), field="game")
    return known[0] if name is None else name


def exercise_of(game: str, name: str | None) -> Exercise:
    """The exercise of that name; the game's practice stage itself for None.

    Raises: Refused (field exercise).
    """
    lessons = school(game)
    if name is None:
        return Exercise("", lessons.ABOUT, lessons.STAGE, lessons.OPTIONS, lessons.RIVALS)
    found = next((each for each in lessons.EXERCISES if each.name == name), None)
    if found is None:
        raise Refused(_("There is no such exercise."), field="exercise")
    return found


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
    events = list(watching.events_for(run, page.seat).order_by("number").values_list("data", flat=True))
    seen = Seen(events, plan, _choices(page, plan))
    shown = standings(lessons.LESSONS, seen, practice.skipped)
    now = next((each.lesson for each in shown if each.standing == NOW), None)
    newest = [event.data for post in page.posts[:1] for event in post.events.all()]
    return Taught(practice, shown, lessons.hint(now, seen) if now else "", lessons.happened(newest))


def _choices(page: RunPage, plan: str) -> Ways | None:
    """How the driver may go on; None where it is not their turn or the plan breaks a rule."""
    if page.my_turn is None or page.mine is None:
        return None
    try:
        return registry.get(page.run.game).choices(page.run.state, page.mine.driver, plan or None)
    except RuleError:
        return None


def under_way(person: User) -> Practice | None:
    """The practice stage that somebody is on: one query."""
    return Practice.objects.filter(person=person, ended_at=None).select_related("rally").first()

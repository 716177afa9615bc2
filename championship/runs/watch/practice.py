"""Practice stages: the lessons of a game, which of them the driver has done, and what a page shows of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from django.utils.translation import gettext as _

from championship.catalogue import Part, UnknownGame, offers
from championship.platform.refusals import Refused
from championship.rallies.desk.practice_designs import exercise_practised
from championship.rallies.models import StageTime
from championship.rallies.results import measures
from championship.runs.models import Practice, Run, SceneDone
from championship.runs.watch import scenes, watching
from engine import registry
from engine.contract import RuleError, StageResult, Ways

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

    from championship.accounts.models import User
    from championship.runs.watch.selectors import RunPage

DONE, SKIPPED, NOW, TO_COME = "done", "skipped", "now", "to come"
PASSED, BEATEN, RETIRED = "passed", "beaten", "retired"


@dataclass(frozen=True, slots=True)
class Seen:
    """What a lesson is checked against: the run's events so far, the draft, and the legal ways."""

    events: Sequence[Mapping[str, Any]]
    plan: str = ""
    choices: Ways | None = None

    def of_kind(self, kind: str, **values: object) -> list[Mapping[str, Any]]:
        """Return the events of a kind, with these values."""
        wanted = {"kind": kind, **values}
        return [event for event in self.events if all(event.get(name) == value for name, value in wanted.items())]


@dataclass(frozen=True, slots=True)
class Lesson:
    """One thing to learn: what to do, why, the rules behind it, and the test for whether it is done. `terms` are the
    things on the table that it speaks of, by their names in the rulebook.
    """

    name: str
    title: _StrPromise
    what: _StrPromise
    why: _StrPromise
    rules: tuple[str, ...]
    done: Callable[[Seen], bool]
    terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Exercise:
    """Something to practise after the lessons: another stage of the game, or the same stage with other options.

    `rivals`: how many codrivers drive along; `manner`: how they drive, "" for the stand-in's manner.
    """

    name: str
    title: _StrPromise
    stage: Mapping[str, Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    rivals: int = 0
    manner: str = ""


class School(Protocol):
    """What a game provides for practice stages."""

    ABOUT: _StrPromise
    """A description of the practice stage, in a few sentences."""

    STAGE: Mapping[str, Any]
    """The stage, in the form that its game reads."""

    LESSONS: tuple[Lesson, ...]

    OPTIONS: Mapping[str, Any]
    """The chosen options of the game."""

    RIVALS: int
    """How many codrivers drive along; with 0 the pupil is alone against the clock."""

    EXERCISES: tuple[Exercise, ...]
    """Further exercises; empty where there is only the one stage."""

    def hint(self, lesson: Lesson, seen: Seen) -> str:
        """Return how the lesson can be done right now; "" where there is nothing to say."""

    def happened(self, events: Sequence[Mapping[str, Any]]) -> str:
        """Return an explanation of what just went wrong in these events; "" when nothing did."""


SCHOOL: Part[School] = Part("lessons")


def school(game: str) -> School:
    """Return the lessons of a game.

    Raises: UnknownGame when the game has no lessons.
    """
    found = SCHOOL.of(game)
    if found is None:
        raise UnknownGame(f"the game {game!r:.40} is not taught")
    return found


def taught_games() -> tuple[str, ...]:
    """Return the games that have lessons."""
    return offers(SCHOOL)


def game_taught(name: str | None) -> str:
    """Return the game of that name; for None, the first game that has lessons.

    Raises: Refused (field game) when it has none.
    """
    known = taught_games()
    if not known or (name is not None and name not in known):
        raise Refused(_("This game has no practice stage."), field="game")
    return known[0] if name is None else name


def exercise_of(game: str, name: str | None) -> Exercise:
    """Return the exercise of that name; for None, the game's practice stage itself.

    Raises: Refused (field exercise) when there is no such exercise.
    """
    lessons = school(game)
    if name is None:
        return Exercise("", lessons.ABOUT, lessons.STAGE, lessons.OPTIONS, lessons.RIVALS)
    exam = scenes.exam_of(game)
    exercises: tuple[Exercise, ...] = (*lessons.EXERCISES, *((exam,) if exam else ()))
    found = next((each for each in exercises if each.name == name), None)
    if found is None:
        raise Refused(_("There is no such exercise."), field="exercise")
    return found


@dataclass(frozen=True, slots=True)
class LessonShown:
    """A lesson on a page, and its status: done, skipped, now, or to come."""

    lesson: Lesson
    standing: str
    number: int


@dataclass(frozen=True, slots=True)
class Taught:
    """The panel of a practice stage: all lessons, the next one, and what just went wrong. An exam has no lessons;
    `passed` says whether the driver has ever passed it, `verdict` how this attempt has ended.
    """

    practice: Practice
    lessons: list[LessonShown]
    hint: str
    happened: str
    exam: bool = False
    passed: bool = False
    verdict: str = ""

    @property
    def current(self) -> LessonShown | None:
        return next((shown for shown in self.lessons if shown.standing == NOW), None)

    @property
    def done(self) -> int:
        return sum(shown.standing == DONE for shown in self.lessons)

    @property
    def left_out(self) -> list[LessonShown]:
        """Lessons that were not done: skipped, or not reached before the stage was over."""
        return [shown for shown in self.lessons if shown.standing != DONE]


def standings(lessons: Sequence[Lesson], seen: Seen, skipped: Sequence[str]) -> list[LessonShown]:
    """Return the status of each lesson. A lesson that was skipped and then done counts as done."""
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
    """Return the lessons beside a stage page, for the driver of a practice stage; None otherwise, and for the open
    stage out of competition. Three queries, none for other viewers.
    """
    run = page.run
    if not run.special_stage.rally.practice or page.mine is None:
        return None
    practice = Practice.objects.filter(rally=run.special_stage.rally_id, person=page.mine.entry.driver_id).first()
    if practice is None or practice.of_week:
        return None
    if exercise_practised(run.special_stage) == scenes.EXAM:
        passed = SceneDone.objects.filter(person=practice.person_id, game=run.game, scene=scenes.EXAM).exists()
        return Taught(practice, [], "", "", exam=True, passed=passed, verdict=_verdict(run, page.mine.name))
    lessons = school(run.game)
    events = list(watching.events_for(run, page.seat).order_by("number").values_list("data", flat=True))
    seen = Seen(events, plan, _choices(page, plan))
    shown = standings(lessons.LESSONS, seen, practice.skipped)
    now = next((each.lesson for each in shown if each.standing == NOW), None)
    newest = [event.data for post in page.posts[:1] for event in post.events.all()]
    return Taught(practice, shown, lessons.hint(now, seen) if now else "", lessons.happened(newest))


def passes_exam(game: str, result: StageResult, seat: str) -> bool:
    """Return whether a seat has finished an exam and no other one did better."""
    sign = 1 if registry.get(game).measure.better == "fewest" else -1
    done = {one.seat: (sign * one.measure, one.rank) for one in result.seats if one.measure is not None}
    return seat in done and done[seat] <= min(done.values())


def _verdict(run: Run, seat: str) -> str:
    """Return how an exam has ended: PASSED, BEATEN or RETIRED; "" while it is driven. No query."""
    result = watching.result_of(run)
    if result is None:
        return ""
    if passes_exam(run.game, result, seat):
        return PASSED
    own = next((one for one in result.seats if one.seat == seat), None)
    return RETIRED if own is None or own.measure is None else BEATEN


def week_of(page: RunPage) -> str:
    """Return the week of the open stage that the viewer drives out of competition; "" otherwise. No query."""
    rally = page.run.special_stage.rally
    return rally.week_name if rally.practice and rally.is_open_stage and page.mine is not None else ""


def own_result(page: RunPage) -> str:
    """Return the viewer's result of a run that is over, in words; "" without one. One query where it is over."""
    if page.mine is None or page.run.status != Run.Status.FINISHED:
        return ""
    time = StageTime.objects.filter(special_stage=page.run.special_stage_id, entry=page.mine.entry_id).first()
    if time is None or time.measure is None:
        return ""
    return measures.result(time.measure, page.run.special_stage.rally.measure)


def _choices(page: RunPage, plan: str) -> Ways | None:
    """Return the driver's legal ways; None where it is not their turn or the plan breaks a rule."""
    if page.my_turn is None or page.mine is None:
        return None
    try:
        return registry.get(page.run.game).choices(page.run.state, page.mine.name, plan or None)
    except RuleError:
        return None


def under_way(person: User) -> Practice | None:
    """Return the person's current practice stage, or None. One query."""
    return Practice.objects.filter(person=person, ended_at=None).select_related("rally").first()

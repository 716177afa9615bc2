"""The scenes of a game's school: short situations that one drives, each with one thing to learn. And what was driven in
one of them, played again from its orders.

Nothing of a scene under way is stored. Its address holds the orders so far, so a page is a function of its address.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from django.core import signing
from django.http import Http404
from django.utils.translation import gettext as _

from championship import catalogue
from championship.catalogue import Part, offers
from championship.platform.refusals import Refused
from championship.runs.models import SceneDone
from engine import registry
from engine.chance import Chance, DrawScope, SeededChance
from engine.contract import RuleError, State

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

    from championship.accounts.models import User
    from championship.runs.watch.practice import Exercise

NEW = "new"
"""What an address says in place of the orders of a scene in which nothing has been driven yet."""
LONGEST = 6000
"""How long the orders in an address may be, in characters."""
MOST_POSTS = 60
"""How many posts a scene takes. No scene needs a third of them."""
MOST_BY_OTHERS = 40
"""How many posts of other seats may follow one of the pupil's."""
SALT = "runs.scenes"


@dataclass(frozen=True, slots=True)
class Opening:
    """The situation at the beginning of a scene. `state` is in the form of the game, `pupil` the seat that learns.

    `draws`: the results of the first draws, as numbers that `Chance.number` returns. The others are drawn.
    """

    course: Any
    options: Mapping[str, Any]
    state: State
    pupil: str
    seats: tuple[str, ...]
    draws: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ScenePost:
    """Orders of a seat in a scene: the state before them, and the events they brought."""

    seat: str
    orders: Mapping[str, Any]
    before: State
    events: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Driven:
    """What was driven in a scene so far, and the state after it. `answer`: the chosen one, "" for none."""

    opening: Opening
    state: State
    posts: tuple[ScenePost, ...] = ()
    answer: str = ""

    @property
    def events(self) -> list[Mapping[str, Any]]:
        """All events, in order."""
        return [event for post in self.posts for event in post.events]

    @property
    def own(self) -> list[ScenePost]:
        """The pupil's posts, in order."""
        return [post for post in self.posts if post.seat == self.opening.pupil]

    def of_kind(self, kind: str, **values: object) -> list[Mapping[str, Any]]:
        """Return the events of a kind, with these values."""
        wanted = {"kind": kind, **values}
        return [event for event in self.events if all(event.get(name) == value for name, value in wanted.items())]


@dataclass(frozen=True, slots=True)
class Scene:
    """One thing to learn. `goal` says what to do, `learned` what one knows after it. `rules` are the numbers behind it.

    `opening` makes the situation, `done` tests what was driven. The scene ends after `turns` turns of the pupil; with
    `at_once` also as soon as it is done. A scene with `answers` (name, words) asks instead of letting drive: what it
    teaches is decided away from the road. `of_game`: what only the game reads of the scene.
    """

    name: str
    title: _StrPromise
    goal: _StrPromise
    learned: _StrPromise
    rules: tuple[str, ...]
    opening: Callable[[], Opening]
    done: Callable[[Driven], bool]
    turns: int = 1
    at_once: bool = False
    answers: tuple[tuple[str, _StrPromise], ...] = ()
    of_game: Mapping[str, Any] = field(default_factory=dict)


class SceneSchool(Protocol):
    """What a game provides for its school."""

    SCENES: tuple[Scene, ...]
    """The scenes, in the order in which one learns. The first says how one wins."""

    EXAM: Exercise | None
    """A short stage against the codriver, after the scenes; None for no exam."""

    LEFT_OUT: Mapping[str, str]
    """Numbers of rules that have no scene, each with the reason. "T1 T5" stands for both."""

    def compared(self, scene: Scene, driven: Driven) -> str:
        """Return what was driven beside what was better, in two or three sentences with numbers of the engine."""


SCENES: Part[SceneSchool] = Part("scenes")
EXAM = "exam"
"""The name under which a passed exam is stored."""


def schooled_games() -> tuple[str, ...]:
    """Return the games that have scenes."""
    return offers(SCENES)


def scene_school(game: str) -> SceneSchool:
    """Return the scenes of a game.

    Raises: Http404 when there is no such game, or it has none.
    """
    found = SCENES.of(game) if game in catalogue.names() else None
    if found is None:
        raise Http404
    return found


def exam_of(game: str) -> Exercise | None:
    """Return the exam of a game; None when it has none."""
    found = SCENES.of(game)
    return None if found is None else found.EXAM


def scene_of(game: str, name: str) -> Scene:
    """Return the scene of a game by its name.

    Raises: Http404 when there is none.
    """
    for scene in scene_school(game).SCENES:
        if scene.name == name:
            return scene
    raise Http404


# Driving ---------------------------------------------------------------------------------------------


class LaidChance:
    """Chance that gives the laid numbers first, and then draws from a seed. A laid number that is too large for its
    draw counts from the other end.
    """

    def __init__(self, laid: Sequence[int], seed: str) -> None:
        self._laid = list(laid)
        self._then = SeededChance(hashlib.sha256(seed.encode()).digest())

    def number(self, what: str, ends: int, *, by: DrawScope = "run") -> int:
        if self._laid:
            return self._laid.pop(0) % ends
        return self._then.number(what, ends, by="seat" if by == "seat" else "run")


Given = Sequence[tuple[str, Mapping[str, Any]]]
"""The pupil's posts, each with the key of its form. The key of the first one seeds the draws."""


def driven(game: str, scene: Scene, given: Given) -> Driven:
    """Return what the pupil's orders bring in a scene. Other seats are driven by the codriver.

    Raises: RuleError when the rules forbid the last orders.
    """
    opening = scene.opening()
    if scene.answers:
        return Driven(opening, opening.state, answer=_answer(scene, given))
    seed = given[0][0] if given else ""
    chance = LaidChance(opening.draws, f"{game} {scene.name} {seed}")
    now = _with_others(game, Driven(opening, opening.state), chance, scene)
    for _key, orders in given:
        if is_over(game, scene, now):
            break
        now = _with_others(game, _played(game, now, opening.pupil, orders, chance), chance, scene)
    return now


def _answer(scene: Scene, given: Given) -> str:
    """Return the first answer that was given; "" for none, and for one that the scene does not offer."""
    chosen = given[0][1].get("answer") if given else ""
    return next((name for name, _words in scene.answers if name == chosen), "")


def _played(game: str, now: Driven, seat: str, orders: Mapping[str, Any], chance: Chance) -> Driven:
    state, events = registry.get(game).play(now.state, seat, orders, chance)
    post = ScenePost(seat, orders, now.state, tuple(events))
    return replace(now, state=state, posts=(*now.posts, post))


def _with_others(game: str, now: Driven, chance: Chance, scene: Scene) -> Driven:
    """Let the codriver play what needs no decision of the pupil, until the pupil is to decide or nobody is to play."""
    rules, pupil = registry.get(game), now.opening.pupil
    for _post in range(MOST_BY_OTHERS):
        playing = rules.to_play(now.state)
        if not playing or is_over(game, scene, now):
            break
        seat = pupil if pupil in playing else playing[0]
        if seat == pupil and not rules.choices(now.state, pupil).forced:
            break
        now = _played(game, now, seat, rules.autopilot(now.state, seat), chance)
    return now


def is_over(game: str, scene: Scene, now: Driven) -> bool:
    """Return whether the scene has ended: the pupil's turns are made, or there is nothing left to drive."""
    if scene.answers:
        return bool(now.answer)
    rules, pupil = registry.get(game), now.opening.pupil
    made = rules.turns_made(now.state, pupil) - rules.turns_made(now.opening.state, pupil)
    if made >= scene.turns or not rules.to_play(now.state):
        return True
    return scene.at_once and bool(now.own) and scene.done(now)


def so_far(given: Given) -> str:
    """Return the part of an address that holds these posts.

    Raises: Refused when they are more than a scene takes.
    """
    written = signing.dumps([[key, dict(orders)] for key, orders in given], salt=SALT, compress=True) if given else NEW
    if len(written) > LONGEST or len(given) > MOST_POSTS:
        raise Refused(_("That is more than this scene needs. Begin it again."), field="plan")
    return written


def given_in(text: str) -> list[tuple[str, dict[str, Any]]] | None:
    """Return the posts that an address holds; None where it is not an address that this service has made."""
    if text == NEW:
        return []
    if len(text) > LONGEST:
        return None
    try:
        return [(key, orders) for key, orders in signing.loads(text, salt=SALT)]
    except signing.BadSignature:
        return None


def after(game: str, scene: Scene, given: Given) -> Driven | None:
    """Return what posts of an address bring; None where the rules have changed since, and forbid them now."""
    try:
        return driven(game, scene, given)
    except RuleError:
        return None


# Progress --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SceneShown:
    """A scene on the page of the schools. `number` counts from 1."""

    scene: Scene
    number: int
    done: bool


@dataclass(frozen=True, slots=True)
class SchoolShown:
    """A school on the page: its scenes, and which of them the reader has done. `passed`: the exam."""

    game: catalogue.Game
    exam: Exercise | None
    passed: bool
    scenes: list[SceneShown] = field(default_factory=list)

    @property
    def done(self) -> int:
        """How many scenes are done."""
        return sum(each.done for each in self.scenes)

    @property
    def following(self) -> SceneShown | None:
        """The first scene that is not done; None when all are."""
        return next((each for each in self.scenes if not each.done), None)


def schools(person: User | None) -> list[SchoolShown]:
    """Return all schools with the progress of a person; None for somebody without any. One query at most."""
    rows = SceneDone.objects.filter(person=person).values_list("game", "scene") if person is not None else ()
    done = set(rows)
    return [
        SchoolShown(
            catalogue.get(game),
            scene_school(game).EXAM,
            (game, EXAM) in done,
            [
                SceneShown(scene, number, (game, scene.name) in done)
                for number, scene in enumerate(scene_school(game).SCENES, 1)
            ],
        )
        for game in schooled_games()
    ]


def scene_after(game: str, scene: Scene) -> Scene | None:
    """Return the scene that follows in the book; None behind the last one."""
    every = scene_school(game).SCENES
    number = every.index(scene) + 1
    return every[number] if number < len(every) else None

"""Stories of recorded and of driven stages, without a database.

`python -m tests.games.stories dirt 50` prints the stories of fifty stages, so that somebody can read them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from championship.runs.watch.story.beats import Happened, Scene, ToldRun
from championship.runs.watch.story.plot import plotted
from championship.runs.watch.story.run_marks import marks_of
from championship.runs.watch.story.wording import Worder
from engine import registry
from engine.contract import Courses, Game, offered
from tests.contract.driving import Drive, Post, begun, chance_of, entrants_of
from tests.games.recording import stored

BEGUN = datetime(2026, 5, 2, 12, tzinfo=UTC)
CREWS = ("Ada", "Bo", "Tuula", "Jari", "Lena", "Marek", "Nico", "Olga", "Pia", "Rolf")
MANNERS = {"dirt": ("bold", "normal", ""), "formula_d": ("club", "bold"), "dust": ("",)}


def told_run(
    game: str,
    course: Any,
    entrants: Sequence[Mapping[str, Any]],
    options: Any,
    posts: Iterable[Sequence[Any]],
    key: int = 1,
) -> ToldRun:
    """Return a run from the events of its posts, a minute between two posts. All its events are open, as at the end."""
    rules = registry.get(game)
    state = setup = rules.setup(course, entrants, options)
    happened = list[Happened]()
    for number, events in enumerate(posts, 1):
        for event in events:
            happened.append(Happened(len(happened) + 1, number, BEGUN + timedelta(minutes=number), event))
            state = rules.apply(state, event)
    result = rules.result(state)
    return ToldRun(
        key=key,
        number=key,
        game=game,
        course=course,
        seats=[str(one["id"]) for one in entrants],
        setup=setup,
        happened=happened,
        over=result is not None,
        results=result.seats if result else (),
    )


def of_record(document: Mapping[str, Any]) -> ToldRun:
    """Return the run of a record."""
    posts = [turn["events"] for turn in document["turns"]]
    return told_run(document["game"], document["stage"], document["entrants"], document["options"], posts)


def recorded(game: str) -> dict[str, ToldRun]:
    """Return the recorded runs of a game by their endings."""
    return {ending: of_record(one["record"]) for ending, one in stored(game).items()}


@cache
def driven_stage(game: str, seed: int, seats: int = 5) -> ToldRun:
    """Return a ready-made stage that codrivers of several manners drive to its end."""
    rules = registry.get(game)
    drive = _opened(rules, seed, seats)
    state, chance = begun(drive), chance_of(seed)
    known = getattr(rules, "manners", ()) or ("",)
    while waiting := rules.to_play(state):
        seat = waiting[0]
        manner = list(known)[(drive.entrants.index(_of(drive, seat)) + seed) % len(known)]
        orders = rules.autopilot(state, seat, manner)
        after, events = rules.play(state, seat, orders, chance)
        drive.posts.append(Post(state, seat, orders, tuple(events), after, "", []))
        state = after
    posts = [drive.opening, *(post.events for post in drive.posts)]
    return told_run(game, drive.course, drive.entrants, drive.options, [post for post in posts if post])


def _of(drive: Drive, seat: str) -> dict[str, Any]:
    return next(one for one in drive.entrants if one["id"] == seat)


def _opened(rules: Game, seed: int, seats: int) -> Drive:
    courses = offered(rules, Courses)
    library = sorted(courses.library().items()) if courses else []
    course = courses.read_course(library[seed % len(library)][1]) if courses else {}
    options = rules.clean_options({"laps": 1 + seed % 3} if rules.name == "formula_d" else {})
    entrants = entrants_of(rules, min(seats, rules.seats.most), options)
    setup = rules.setup(course, entrants, options)
    chance = chance_of(seed)
    _state, opening = rules.begin(setup, chance)
    return Drive(rules, course, entrants, options, setup, tuple(opening), chance.draws)


def crews_of(runs: Iterable[ToldRun]) -> dict[tuple[int, str], str]:
    """Return a name for each car of these runs."""
    cars = [(run.key, seat) for run in runs for seat in run.seats]
    return {car: CREWS[place] for place, car in enumerate(cars)}


def story_of(*runs: ToldRun, seed: str = "") -> list[tuple[Scene, str]]:
    """Return the beats of a stage with their sentences, in the active language."""
    game = runs[0].game
    measure = registry.get(game).measure
    worder = Worder(game, runs[0].course, crews_of(runs), measure, seed)
    scenes = plotted([marks_of(run) for run in runs], measure)
    return [(scene, text) for scene in scenes for text in [worder.sentence(scene)] if text is not None]


def _printed(title: str, run: ToldRun) -> None:
    print(f"--- {title}, {len(run.seats)} cars")
    for scene, text in story_of(run, seed=title):
        print(f"{scene.beat.weight} {scene.beat.number:5d} {text}")


if __name__ == "__main__":
    import django

    django.setup()
    name, count = sys.argv[1], int(sys.argv[2])
    for ending, run in recorded(name).items():
        _printed(f"{name}: {ending}", run)
    for seed in range(count):
        _printed(f"{name} {seed}", driven_stage(name, seed, 3 + seed % 5))

"""How strong the manners of codrivers are: `python -m engine ladder GAME` lets them drive duels, and keeps the results.

A duel is two cars on one course. It is driven twice on the same chance, with the seats exchanged. Each manner has one
rival that is near to it in strength. The results are in `data/ladder.toml` in the folder of each game. Its `Rung`s are
sorted by `rating`, which adds up the results from rival to rival.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from math import log
from pathlib import Path
from typing import Any, TypeVar

from engine.chance import SeededChance
from engine.contract import Career, Game, Json, Ladder, Rung, SeatResult, State, offered

DATA = "data/ladder.toml"
SEATS = ("1", "2")
One = TypeVar("One")

HEAD = (
    "# How strong the codrivers are. The numbers are written by: python -m engine ladder {game} --duels N --write",
    "# `games` were driven against the manner `rival`, half of them in each order of the seats. `halves` are twice the",
    "# wins, plus the draws.",
)


def rungs_of(package: str) -> tuple[Rung, ...]:
    """Return the rungs of a game's data, the weakest first. `package` is its folder, such as "engine.my_game"."""
    found = tomllib.loads(files(package).joinpath(DATA).read_text("utf-8"))
    return in_order([Rung(name, **numbers) for name, numbers in found.items()])


def in_order(rungs: Sequence[Rung]) -> tuple[Rung, ...]:
    """Return rungs, the weakest first."""
    by_name = {rung.manner: rung for rung in rungs}
    return tuple(sorted(rungs, key=lambda rung: rating(rung, by_name)))


def rating(rung: Rung, by_name: Mapping[str, Rung]) -> float:
    """Return the strength of a manner: the logarithm of wins to losses against its rival, added to that of its rival.
    Half a win and half a loss are added to what was driven, so that a manner without a win has a strength too.
    """
    if not rung.rival:
        return 0.0
    return log((rung.halves + 1) / (2 * rung.games - rung.halves + 1)) + rating(by_name[rung.rival], by_name)


def in_turn(courses: Sequence[One], number: int) -> One:
    """Return one of some courses, in turn."""
    return courses[number % len(courses)]


def drive_duel(rules: Game, game: Ladder, number: int, manners: tuple[str, str]) -> int:
    """Drive a duel. Return 2 when the first manner wins, 1 for a draw, 0 when it loses."""
    course, options = game.duel(number)
    chosen, career = rules.clean_options(options), offered(rules, Career)
    car = {} if career is None else {"luggage": career.new_luggage(chosen)}
    state: State = rules.setup(course, [{"id": seat, **car} for seat in SEATS], chosen)
    chance = SeededChance(sha256(f"ladder {rules.name} {number}".encode()).digest())
    state, _ = rules.begin(state, chance)
    drives = dict(zip(SEATS, manners, strict=True))
    while waiting := rules.to_play(state):
        seat = waiting[0]
        state, _ = rules.play(state, seat, rules.autopilot(state, seat, drives[seat]), chance)
    result = rules.result(state)
    assert result is not None, "the run is over"
    keys = {one.seat: _key(one, better=rules.measure.better) for one in result.seats}
    mine, theirs = keys[SEATS[0]], keys[SEATS[1]]
    return 1 if mine == theirs else 2 * (mine < theirs)


def _key(one: SeatResult, *, better: str) -> tuple[Any, ...]:
    """Return a key of a result, the smaller the better. A car without a measure loses against every other."""
    if one.measure is None:
        return (1, 0, ())
    return (0, -one.measure if better == "most" else one.measure, tuple(one.rank))


def measured(rules: Game, game: Ladder, rung: Rung, duels: int, *, keep: Path | None = None) -> Iterator[Rung]:
    """Drive so many duels of a manner against its rival, each with both orders of the seats. Yield the rung after each
    of them. The file `keep` gets a line for each duel; those in it are not driven again.
    """
    lines = keep.read_text("utf-8").splitlines() if keep is not None and keep.exists() else []
    known = {(name, one, other, number): halves for name, one, other, number, halves in map(json.loads, lines)}
    total = 0
    for driven, number in enumerate(course_by_course(game, duels), 1):
        key = (rules.name, rung.manner, rung.rival, number)
        if key not in known:
            known[key] = drive_duel(rules, game, number, (rung.manner, rung.rival))
            known[key] += 2 - drive_duel(rules, game, number, (rung.rival, rung.manner))
            if keep is not None:
                with keep.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([*key, known[key]]) + "\n")
        total += known[key]
        yield Rung(rung.manner, rung.rival, 2 * driven, total)


def course_by_course(game: Ladder, duels: int) -> list[int]:
    """Return the numbers of so many duels, those on one course together. Codrivers keep tables of the last courses
    only, and filling a table takes longer than a duel.
    """
    found: dict[str, list[int]] = {}
    for number in range(duels):
        found.setdefault(json.dumps(game.duel(number), sort_keys=True), []).append(number)
    return [number for numbers in found.values() for number in numbers]


def written(game: str, rungs: Sequence[Rung]) -> str:
    """Return the text of a game's data file."""
    text = "\n".join(HEAD).format(game=game) + "\n"
    for rung in in_order(rungs):
        text += f"\n[{rung.manner}]\n"
        if rung.rival:
            text += f'rival = "{rung.rival}"\ngames = {rung.games}\nhalves = {rung.halves}\n'
    return text


def data_file(game: str) -> Path:
    """Return the path of the data file of a game in this folder."""
    return Path(__file__).with_name(game) / DATA


def plain(rung: Rung) -> dict[str, Json]:
    """Return a rung as plain JSON, shares in thousandths."""
    return {
        "manner": rung.manner,
        "rival": rung.rival,
        "games": rung.games,
        "won": round(1000 * rung.won),
        "error": round(1000 * rung.error),
    }

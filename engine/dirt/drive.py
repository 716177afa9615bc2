"""Drive a stage many times with one codriver, alone: par time, spread, crashes, the most dangerous tile.

Each run has its own chance, derived from the seed and the number of the run. The results are therefore the same when
runs are driven in another order, in chunks, or on another machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from statistics import fmean, quantiles
from typing import Any

from engine.chance import SeededChance
from engine.contract import Event, Json
from engine.dirt import rally, stage
from engine.dirt.codriver.decisions import orders
from engine.dirt.course.compiled_stage import compiled
from engine.dirt.facts import facts

DRIVER = "codriver"
ALONE: Mapping[str, Json] = {"leader_dice": False}
"""Options for a car that drives alone: it does not open the road for others."""


def drive(
    laid: Mapping[str, Json],
    *,
    codriver: str,
    runs: int,
    seed: int = 0,
    first: int = 1,
    options: Mapping[str, Json] | None = None,
) -> list[dict[str, Json]]:
    """Drive `runs` runs, counted from number `first`, of a stage in normal form, by one codriver in an undamaged car.

    Each result is {"seconds": stage time or None when retired, "retired", "crashes", "lost": tiles (counted from 1) on
    which control was lost before the line, "turns"}. `options` replace the defaults of the ruleset.
    """
    chosen = {option.name: option.default for option in facts().options} | dict(ALONE) | dict(options or {})
    return [_run(laid, codriver, _chance(seed, number), chosen) for number in range(first, first + runs)]


def _chance(seed: int, number: int) -> SeededChance:
    return SeededChance(sha256(f"drive {seed} {number}".encode()).digest())


def _run(laid: Mapping[str, Json], codriver: str, chance: SeededChance, options: Mapping[str, Json]) -> dict[str, Json]:
    state = stage.setup(dict(laid), [{"id": DRIVER, "car": rally.new_car(options)}], options)
    events: list[Event] = []
    while stage.to_play(state):
        state, told = stage.play(state, DRIVER, orders(state, DRIVER, codriver), chance)
        events += told
    return outcome(laid, state["drivers"][DRIVER], events)


def outcome(laid: Mapping[str, Json], me: Mapping[str, Json], events: Sequence[Event]) -> dict[str, Json]:
    """Return the result of a run in the form of `drive`. `me` is the driver in the last state."""
    track = compiled(laid)
    lost = [track.spaces[track.index[event["space"]]] for event in events if event["kind"] == "loss"]
    return {
        "seconds": None if me["retired"] else me["stage_time"],
        "retired": me["retired"],
        "crashes": sum(event["kind"] == "card" and _crashed(event) for event in events),
        "lost": [space.tile for space in lost if not space.behind_finish],
        "turns": me["turns"],
    }


def _crashed(card: Event) -> bool:
    return card["side"] == "back" and str(card["back"]).startswith("crash")


def rating(laid: Mapping[str, Json], driven: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    """Return the rating of a stage from its runs: {"sections": length of the road, "spaces", "runs", "finished",
    "retired", "par": median, "mean", "quartiles": [first, third], "best", "worst", "crash_share": share of runs with a
    crash, "losses": losses of control per run, "tiles": losses by tile, "most_dangerous_tile"}.

    All seconds are whole. Times are None when nobody finished, and the most dangerous tile is None when nobody lost
    control. The caller joins the runs of several chunks first.
    """
    times = sorted(run["seconds"] for run in driven if run["seconds"] is not None)
    track = compiled(laid)
    tiles = Counter(tile for run in driven for tile in run["lost"])
    lower, par, upper = _quartiles(times)
    runs = len(driven)
    return {
        "sections": max(space.section for space in track.spaces if not space.behind_finish) + 1,
        "spaces": sum(not space.behind_finish for space in track.spaces) - 1,
        "runs": runs,
        "finished": len(times),
        "retired": sum(run["retired"] for run in driven),
        "par": par,
        "mean": round(fmean(times)) if times else None,
        "quartiles": [lower, upper],
        "best": times[0] if times else None,
        "worst": times[-1] if times else None,
        "crash_share": round(sum(run["crashes"] > 0 for run in driven) / runs, 4) if runs else 0.0,
        "losses": round(sum(tiles.values()) / runs, 4) if runs else 0.0,
        "tiles": {str(tile): tiles[tile] for tile in sorted(tiles)},
        "most_dangerous_tile": min(tiles, key=lambda tile: (-tiles[tile], tile)) if tiles else None,
    }


def _quartiles(times: Sequence[int]) -> tuple[int | None, int | None, int | None]:
    if not times:
        return None, None, None
    if len(times) == 1:
        return times[0], times[0], times[0]
    lower, middle, upper = quantiles(times, n=4, method="inclusive")
    return round(lower), round(middle), round(upper)


def report_lines(name: str, codriver: str, rated: Mapping[str, Any]) -> Iterable[str]:
    """Yield the lines of a rating as text. Times are written as m:ss."""
    yield f"{name}: {rated['sections']} sections, {rated['spaces']} spaces"
    yield f"{rated['runs']} runs by the {codriver} codriver"
    if rated["par"] is not None:
        lower, upper = rated["quartiles"]
        yield f"par time {_clock(rated['par'])}, half of all runs from {_clock(lower)} to {_clock(upper)}"
        yield f"fastest {_clock(rated['best'])}, slowest {_clock(rated['worst'])}, mean {_clock(rated['mean'])}"
    yield f"retired {rated['retired']}, runs with a crash {rated['crash_share']:.1%}"
    yield f"losses of control a run {rated['losses']:.2f}"
    if rated["most_dangerous_tile"] is not None:
        tile = rated["most_dangerous_tile"]
        yield f"most dangerous tile {tile}: control lost {rated['tiles'][str(tile)]} times"


def _clock(seconds: int) -> str:
    return f"{seconds // 60}:{seconds % 60:02}"

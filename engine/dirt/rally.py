"""Between stages: service, spare wheel, time control, starting order, rally sheet (E7, F3 to F6, O2, R7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.contract import Column, Decision, Event, Json, Luggage, RuleError, SeatResult
from engine.dirt.facts import facts

SHEET = (
    Column("gear", "Gear damage", "Damage", "Gear"),
    Column("coast", "Coast damage", "Damage", "Coast"),
    Column("brake", "Brake damage", "Damage", "Brake"),
    Column("spare", "Spare wheel"),
    Column("sisu", "SISU"),
)

RETIREMENTS = {"E7": "wrecked", "M10": "stuck", "E8": "gave_up"}
"""The name of each kind of retirement, by its rule."""

SPARE_HELP = {
    "coast": "Repairs one coast damage without losing time; the wheel is gone until service (F3).",
    "gear": "Repairs one gear damage without losing time; the wheel is gone until service (F3).",
}
PENALTY_HELP = "Each adds %(seconds)d s to the stage time; a slower driver starts the next stage later (F4)."


NEWCOMER = "newcomer"


def new_car(options: Mapping[str, Json], *, newcomer: bool = True) -> Luggage:
    """Return a car without damage, with its spare wheel, and with a SISU token if the options have one for its driver
    (R7). Where they ask for it, the luggage remembers whether the driver is a newcomer.
    """
    has_token = options["sisu"] != "none" and (newcomer or not newcomer_limit(options))
    car = {"damage": {"gear": 0, "coast": 0, "brake": 0}, "spare": True, "sisu": has_token}
    return {**car, NEWCOMER: newcomer} if newcomer_limit(options) else car


def newcomer_limit(options: Mapping[str, Any]) -> int:
    """Return from how many finished stages on a driver is no newcomer; 0 where the rally makes no difference. Records
    of earlier versions have no `sisu_for`.
    """
    return int(options["newcomer_stages"]) if options.get("sisu_for", "all") != "all" else 0


def car_after_stage(car: Luggage, *, service: bool, retired: bool, options: Mapping[str, Json]) -> Luggage:
    """Return the car for the next stage. Service removes all damage and returns the spare wheel and, with the option
    "service", the SISU token (F3).

    A car that retired starts the next stage as after service (E7). With the option "stage" the SISU token comes back
    after every stage (R7).
    """
    serviced = service or retired
    fresh = new_car(options, newcomer=bool(car.get(NEWCOMER, True)))
    sisu_back = options["sisu"] == "stage" or (serviced and options["sisu"] == "service")
    return {
        **fresh,
        "damage": dict(fresh["damage"] if serviced else car["damage"]),
        "spare": bool(serviced or car["spare"]),
        "sisu": fresh["sisu"] if sisu_back else car["sisu"],
    }


def wheel_seconds(options: Mapping[str, Any]) -> int:
    """Return the seconds of the spare wheel's card (E4). Records of earlier versions have no `spare_wheel`."""
    return facts().online_wheel_seconds if options.get("spare_wheel") == "online" else int(options["spare_seconds"])


def waiting_seconds(options: Mapping[str, Any]) -> int:
    """Return the seconds of a turn in which a car cannot come back onto the road (E6). Records of earlier versions have
    no `short_wait`.
    """
    return int(options["time_card_1" if options.get("short_wait") else "loss_seconds"])


def _may_change_wheel(car: Luggage, *, service: bool, options: Mapping[str, Json]) -> bool:
    return bool(not service and car["spare"] and car["damage"][options["spare_repairs"]])


def decisions(car: Luggage, *, service: bool, options: Mapping[str, Json], last_stage: bool) -> tuple[Decision, ...]:
    """Return a driver's decisions after a stage: the spare wheel if there is no service (F3), penalties (F4)."""
    if last_stage:
        return ()
    known = facts()
    asked = []
    if _may_change_wheel(car, service=service, options=options):
        asked.append(
            Decision(
                "spare",
                "bool",
                "Use the spare wheel",
                SPARE_HELP[options["spare_repairs"]],
            )
        )
    if options["checkpoints"]:
        asked.append(
            Decision(
                "penalties",
                "int",
                "Penalties at the time control",
                PENALTY_HELP,
                worth=known.penalty_seconds,
                most=known.most_penalties,
            )
        )
    return tuple(asked)


def decide(
    car: Luggage, decision: Mapping[str, Json], *, service: bool, options: Mapping[str, Json], last_stage: bool
) -> tuple[Luggage, int]:
    """Return the car and the seconds of penalty after a driver's decision.

    Raises: RuleError when the decision breaks F3 or F4.
    """
    asked = {one.name: one for one in decisions(car, service=service, options=options, last_stage=last_stage)}
    wheel, penalties = decision.get("spare", False), decision.get("penalties", 0)
    if not isinstance(wheel, bool) or (wheel and "spare" not in asked):
        raise RuleError("F3", "the spare wheel is used without service, while it is aboard, for damage of its kind")
    whole = isinstance(penalties, int) and not isinstance(penalties, bool)
    if not whole or penalties < 0 or (penalties and "penalties" not in asked):
        raise RuleError("F4", "at a time control a driver takes a whole number of penalties, none or more")
    if "penalties" in asked and penalties > asked["penalties"].most:
        raise RuleError("F4", "at most %(most)d penalties can be taken", most=asked["penalties"].most)
    damage = dict(car["damage"])
    if wheel:
        damage[options["spare_repairs"]] -= 1
    return {**car, "damage": damage, "spare": car["spare"] and not wheel}, penalties * facts().penalty_seconds


def retirements(events: Iterable[Event]) -> dict[str, str]:
    """Return the reason of each retirement in these events, by driver (E7, E8, M10)."""
    return {event["driver"]: RETIREMENTS[event["rule"]] for event in events if event["kind"] == "retire"}


COUNTED_SECONDS = "cards_seconds"
"""The key of a result's `detail` for `settle`: the seconds that count for a retired driver when nobody finishes."""


def settle(results: Sequence[SeatResult]) -> tuple[SeatResult, ...]:
    """Return the results of a stage, with the times of the drivers who retired (E7)."""
    times = [one.measure for one in results if one.status == "finished" and one.measure is not None]
    return tuple(
        replace(one, measure=retirement_seconds(times, (one.detail or {}).get(COUNTED_SECONDS, 0)))
        if one.status == "retired"
        else one
        for one in results
    )


def retirement_seconds(finish_times: Sequence[int], cards_seconds: int) -> int:
    """E7: return the time of the slowest finisher plus a minute, or the driver's own cards plus a minute when nobody
    finished.
    """
    return (max(finish_times) if finish_times else cards_seconds) + facts().retirement_seconds


def starting_order(totals: Mapping[str, int], last: Mapping[str, int], lots: Sequence[str]) -> list[str]:
    """O2: return the starting order: by total time, fastest first, then by the time of the last stage, then at random
    (`lots` has the drivers in random order).
    """
    return sorted(totals, key=lambda driver: (totals[driver], last[driver], lots.index(driver)))


def sheet_row(car: Luggage) -> dict[str, Json]:
    """F6: return the damage by kind, and whether the spare wheel and the SISU token are there."""
    return {**car["damage"], "spare": car["spare"], "sisu": car["sisu"]}

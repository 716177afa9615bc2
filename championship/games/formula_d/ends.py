"""After the roll: every end of the movement with its price, the best path first, and a path laid by hand."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.games.formula_d import laid
from championship.games.formula_d.drawing import Target
from championship.games.formula_d.words import percent, space_words, spaces_words, wear_words
from championship.runs.run_pages import DraftShown
from engine.contract import RuleError, State, Way
from engine.formula_d.game import FormulaD

Data = Mapping[str, Any]

TOLD = 5
"""Hundredths of a turn from which an end is told to be worse: fewer are 0.0 turns."""
NEAR = 8
"""The number of ends that the page shows at first. The others are one click away."""


@dataclass(frozen=True, slots=True)
class EndShown:
    """An end of the movement: its space, its price, the dice still to be rolled; `more` is how many turns it is worse
    than the best one. `plan` is its path as a form sends it; `over`: it overshoots a corner.
    """

    space: str
    where: str
    price: str
    dice: str
    notes: list[str]
    more: str
    href: str
    plan: str
    path: tuple[str, ...]
    dear: bool
    over: bool
    best: bool
    chosen: bool
    chip: str

    @property
    def words(self) -> str:
        """The whole end in words, for screen readers."""
        return ", ".join(part for part in (self.where, self.price, *self.notes, self.dice, self.more) if part)


@dataclass(frozen=True, slots=True)
class StepShown:
    """A space of the chosen path, and the URL that continues from it by hand; `kept`: the path laid by hand includes
    it.
    """

    space: str
    where: str
    href: str
    kept: bool


@dataclass(frozen=True, slots=True)
class Movement:
    """The movement that is due: its ends, the chosen one, its path step by step, and the spaces where a path laid by
    hand may continue. `laid` are the spaces laid by hand so far; `problem` and `rule` say why the draft cannot be
    driven.
    """

    phase: str
    ends: list[EndShown]
    chosen: EndShown
    steps: list[StepShown]
    onward: list[str]
    laid: list[str]
    count: int
    problem: str = ""
    rule: str = ""

    @property
    def near(self) -> list[EndShown]:
        return self.ends[:NEAR]

    @property
    def others(self) -> list[EndShown]:
        return self.ends[NEAR:]


def movement(rules: FormulaD, state: State, seat: str, draft: DraftShown, slips: Collection[str] = ()) -> Movement:
    """Return the movement that is due in a state. A draft that cannot be driven is ignored and reported as a problem.
    `slips`: spaces from which a slipstream is possible. Where the page asks for the best way, the ways stand by their
    wear, then the farthest first, and none is called better than another one.
    """
    odds = rules.odds(state, seat, {})
    problem, rule = "", ""
    drafted = laid.from_text(draft.plan) if draft.plan else {"path": []}
    found = list(odds["ends"])
    onward: list[str] = []
    if drafted["path"]:
        try:
            ways = rules.choices(state, seat, drafted["path"])
            found = [_end_of_way(way, found, odds) for way in ways.ways if way.orders.get("path")]
            onward = list(ways.facts["next"])
            found.sort(key=lambda end: (end["hundredths"], len(end["orders"]["path"])))
        except RuleError as error:
            problem, rule, drafted = error.words(_), error.rule, {"path": []}
    if not found:
        problem, rule, drafted, onward = _("No way leads on from there."), "M6", {"path": []}, []
        found = list(odds["ends"])
    path = list(drafted["path"])
    chosen = _chosen(found, draft, drafted)
    distinct = _distinct(found, chosen)
    if draft.asks:
        distinct.sort(key=_by_wear)
        chosen = chosen if path or draft.at else distinct[0]
    ends = _shown(distinct, chosen, path, odds, slips)
    if draft.asks:
        ends = [replace(end, best=False, more="") for end in ends]
    first = next(end for end in ends if end.chosen)
    return Movement(
        phase=odds["phase"],
        ends=ends,
        chosen=first,
        steps=_steps(first.path, path),
        onward=onward,
        laid=path,
        count=int(state["turn"]["count"]),
        problem=problem,
        rule=rule,
    )


def _by_wear(end: Data) -> tuple[int, int, str]:
    return sum(end["wear"].values()), -int(end["driven"]), str(end["to"])


def _distinct(ends: Sequence[Data], chosen: Data) -> list[Data]:
    """Return the best way to each space, without dearer ways to the same space except the chosen one. Nitro, the tyre
    bonus and tyres that brake count as different ways.
    """
    found: dict[str, Data] = {}
    for end in ends:
        key = laid.key_of(end["to"], end["orders"])
        if key not in found or end is chosen:
            found[key] = end
    return list(found.values())


def _end_of_way(way: Way, ends: Sequence[Data], odds: Data) -> dict[str, Any]:
    """Return a way of a path laid by hand in the form of an end in the engine's odds."""
    does = way.does
    key = laid.key_of(does["to"], way.orders)
    same = next((end for end in ends if laid.key_of(end["to"], end["orders"]) == key), None)
    wear = {"tires": does["overshoot"] + does["tires"], "brakes": does["brakes"] + does["slip"]}
    usual: dict[str, Any] = (
        dict(same)
        if same
        else {
            "overshoot": does["overshoot"],
            "spin": does["spin"],
            "stop": False,
            "collision_dice": 0,
            "finish": False,
            "box": False,
            "hundredths": max((end["hundredths"] for end in ends), default=0),
            "wear": {area: number for area, number in wear.items() if number},
        }
    )
    return usual | {
        "to": does["to"],
        "orders": dict(way.orders),
        "marker_dice": does["markers"],
        "driven": does["driven"],
    }


def _chosen(ends: Sequence[Data], draft: DraftShown, drafted: Data) -> Data:
    """Return the end that the driver has selected: the one in the URL, else the end of the drafted path, else the
    best.
    """
    if draft.at:
        for end in ends:
            if laid.key_of(end["to"], end["orders"]) == draft.at:
                return end
        for end in ends:
            if end["to"] == draft.at:
                return end
    if drafted["path"] and not draft.at:
        wanted = {"nitro": False, "bonus": False, "tires": 0, **drafted}
        for end in ends:
            orders = {"nitro": False, "bonus": False, "tires": 0, **end["orders"]}
            if all(orders[word] == wanted[word] for word in ("path", "nitro", "bonus", "tires")):
                return end
    return ends[0]


def _shown(
    ends: Sequence[Data], chosen: Data, path: Sequence[str], odds: Data, slips: Collection[str]
) -> list[EndShown]:
    best = odds["ends"][0]["hundredths"]
    dice = odds["dice"]
    shown = [_end(end, end is chosen, place == 0, best, dice, path) for place, end in enumerate(ends)]
    for one, end in zip(shown, ends, strict=True):
        braked = end["driven"] < max(other["driven"] for other in ends)
        if one.space in slips and not braked and not end["overshoot"]:
            one.notes.append(_("a slipstream is possible"))
    return shown


def _end(end: Data, chosen: bool, first: bool, best: int, dice: Data, path: Sequence[str]) -> EndShown:
    orders = end["orders"]
    price = wear_words(end["wear"])
    asked = {"at": laid.key_of(end["to"], orders)}
    if path:
        asked["plan"] = " ".join(path)
    worse = end["hundredths"] - best
    return EndShown(
        space=end["to"],
        where=space_words(end["to"]),
        price=price or _("no wear"),
        dice=_dice(end, dice),
        notes=_notes(end),
        more=""
        if worse < TOLD
        else _("%(turns)s turns worse") % {"turns": number_format(round(worse / 100, 1), decimal_pos=1)},
        href=f"?{urlencode(asked)}",
        plan=laid.to_text(orders),
        path=tuple(orders["path"]),
        dear=bool(end["wear"]) or bool(end["overshoot"]),
        over=bool(end["overshoot"]),
        best=first,
        chosen=chosen,
        chip=_chip(end),
    )


def _chip(end: Data) -> str:
    """Return the price as a sign for the map."""
    cost = sum(number for number in end["wear"].values() if number > 0)
    return f"−{cost}" if cost else ""


def _notes(end: Data) -> list[str]:
    orders = end["orders"]
    said = [_("finish")] if end["finish"] else []
    said += [_("your box")] if end["box"] else []
    said += [_("counts as a stop")] if end["stop"] else []
    if end["overshoot"]:
        said.append(_("overshoots by %(spaces)s") % {"spaces": spaces_words(end["overshoot"])})
    said += [_("spins")] if end["spin"] else []
    said += [_("with nitro")] if orders.get("nitro") else []
    said += [_("with the tyre bonus")] if orders.get("bonus") else []
    return said


def _dice(end: Data, dice: Data) -> str:
    """Return the dice still to be rolled for this end, each with its chance of damage."""
    said = []
    if end["collision_dice"]:
        said.append(
            ngettext(
                "%(count)d car beside: %(percent)s to be hit",
                "%(count)d cars beside: %(percent)s each to be hit",
                end["collision_dice"],
            )
            % {"count": end["collision_dice"], "percent": percent((dice["collision"], dice["faces"]))}
        )
    if end["marker_dice"]:
        said.append(
            ngettext(
                "debris %(count)d time: %(percent)s to skid",
                "debris %(count)d times: %(percent)s each to skid",
                end["marker_dice"],
            )
            % {"count": end["marker_dice"], "percent": percent((dice["marker"], dice["faces"]))}
        )
    return ", ".join(said)


def _steps(path: Sequence[str], laid_so_far: Sequence[str]) -> list[StepShown]:
    return [
        StepShown(
            space=space,
            where=space_words(space),
            href=f"?{urlencode({'plan': ' '.join(path[: place + 1])})}",
            kept=place < len(laid_so_far),
        )
        for place, space in enumerate(path)
    ]


def targets(moving: Movement) -> list[Target]:
    """Return the spaces of the map that may be chosen: each end once, and the next steps of a path laid by hand."""
    found: dict[str, Target] = {}
    for end in moving.ends:
        known = found.get(end.space)
        if known is None or (end.chosen and not known.best):
            found[end.space] = Target(
                space=end.space, href=end.href, label=end.words, chip=end.chip, dear=end.dear, best=end.chosen
            )
    for space in moving.onward:
        if space not in found:
            href = f"?{urlencode({'plan': ' '.join([*moving.laid, space])})}"
            found[space] = Target(
                space=space, href=href, label=_("on to %(space)s") % {"space": space_words(space)}, next=True
            )
    return list(found.values())

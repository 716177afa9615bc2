"""The possible next moves: each move in words, the target spaces on the map, the dice for each space, and why a die
cannot be laid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from championship.games.dirt.marks import Target
from championship.games.dirt.risk import MoveRisk
from championship.games.dirt.words import LOSSES, NOTES, DieShown, die_shown, space_words
from engine.contract import State
from engine.dirt.facts import facts
from engine.dirt.legal_moves import Choice, refusals

SHORT = 5
"""The number of characters that fit on a chip of the map."""
COAST, REDLINE, BRAKE = "c", "x", "b"


@dataclass(frozen=True, slots=True)
class MoveShown:
    """A legal move on a page: its text in the plan, its dice and their names, where it ends, its effects, and the URL
    of the plan with this move added.
    """

    text: str
    dice: list[DieShown]
    named: str
    gear: int
    where: str
    notes: list[str]
    loses: str
    href: str
    risk: MoveRisk | None

    @property
    def wall(self) -> bool:
        """Whether every way on behind it loses control for certain."""
        return self.risk is not None and self.risk.wall

    @property
    def doomed(self) -> bool:
        """Whether control is lost for certain, with this move or behind it."""
        return bool(self.loses) or self.wall


@dataclass(frozen=True, slots=True)
class Fan:
    """The moves that lead to one space of the map: the name of the space, its words, and the moves."""

    space: str
    where: str
    moves: list[MoveShown]


@dataclass(frozen=True, slots=True)
class DieRefused:
    """A die that no offered move uses: its sign in a plan, the rule, and the reason in words."""

    die: str
    rule: str
    said: str


def href_of(plan: str, **more: str) -> str:
    """Return the URL of the stage page with that plan laid."""
    query = {"plan": plan, **more} if plan or more else {}
    return "?" + urlencode(query) + "#panel"


def shown(move: Choice, plan: str, risky: MoveRisk | None, behind: str = "") -> MoveShown:
    """Return the data for a page of a move that may follow `plan`. `behind`: the moves that are laid behind it."""
    dice = [die_shown(die) for die, _warnings in move.rolls]
    return MoveShown(
        text=move.text,
        dice=dice,
        named=words_of(dice),
        gear=move.gear,
        where=space_words(move.to),
        notes=[str(NOTES[note]) for note in move.notes],
        loses=str(LOSSES.get(move.loses or "", "")),
        href=href_of(f"{plan} {move.text} {behind}".strip()),
        risk=risky,
    )


def words_of(dice: Sequence[DieShown]) -> str:
    """Return the dice of a move in words: "Gear 3 + brake"."""
    alone = len(dice) == 1
    names = {"brake": _("Redline") if alone else _("brake"), "leader": _("Leader"), "coast": _("Coast")}
    return " + ".join(names.get(die.kind) or _("Gear %(number)s") % {"number": die.number} for die in dice)


def fans(moves: Sequence[Choice], words: Sequence[MoveShown]) -> list[Fan]:
    """Return the moves grouped by the space to which they lead, in the order in which spaces are first offered. In each
    group the moves that lose control for certain come last, behind those that lead to a wall.
    """
    found: dict[str, Fan] = {}
    for move, each in zip(moves, words, strict=True):
        found.setdefault(move.to, Fan(move.to, each.where, [])).moves.append(each)
    for fan in found.values():
        fan.moves.sort(key=lambda move: (bool(move.loses), move.wall))
    return list(found.values())


def targets(moves: Sequence[Choice], words: Sequence[MoveShown], plan: str, **more: str) -> list[Target]:
    """Return one target for each space: the move itself when only one leads there, else the link to the choice among
    them. `more` is added to the address of the choice.
    """
    found = []
    for fan in fans(moves, words):
        sound, doomed = (
            [move.text.partition(":")[0] for move in fan.moves if move.doomed == lost] for lost in (False, True)
        )
        found.append(
            Target(
                space=fan.space,
                href=fan.moves[0].href if len(fan.moves) == 1 else href_of(plan, at=fan.space, **more),
                label=_label(fan),
                chip=chip(sound),
                chip_lost=chip(doomed),
                loses_control=not sound,
                attributes={"data-move": fan.moves[0].text} if len(fan.moves) == 1 else {},
            )
        )
    return found


def _label(fan: Fan) -> str:
    """Return the accessible name of a space: its dice, where it is, and which dice lose control there or behind it."""
    dice = chip([move.text.partition(":")[0] for move in fan.moves])
    label = f"{dice} " + _("to %(space)s") % {"space": fan.where}
    lost = [move.text.partition(":")[0] for move in fan.moves if move.loses]
    walled = [move.text.partition(":")[0] for move in fan.moves if move.wall and not move.loses]
    if len(lost) == len(fan.moves):
        return f"{label}: {fan.moves[0].loses}"
    if len(walled) == len(fan.moves):
        return f"{label}: " + _("a wall behind it")
    if lost:
        label += "; " + _("%(dice)s: loss of control") % {"dice": chip(lost)}
    if walled:
        label += "; " + _("%(dice)s: a wall behind it") % {"dice": chip(walled)}
    return label


def chip(dice: Sequence[str]) -> str:
    """Return the dice that lead to a space, short enough for a chip: each die if they are few, else the gears from the
    lowest up.
    """
    each = " ".join(dict.fromkeys(die.replace(COAST, "→").replace(REDLINE, "R") for die in dice))
    if len(each) <= SHORT:
        return each
    gears = sorted({die[0] for die in dice if die[0].isdigit()})
    others = [sign for die, sign in ((COAST, "→"), (REDLINE, "R")) if die in dice]
    between = "–" if int(gears[-1]) - int(gears[0]) == len(gears) - 1 and len(gears) > 2 else " "
    gear_text = between.join((gears[0], gears[-1]) if between == "–" else gears)
    return " ".join([gear_text, *others])


def _refused(die: str, why: str) -> str:
    return _("%(die)s cannot be laid now: %(why)s.") % {"die": die, "why": why}


def refused_dice(state: State, driver: str, plan: str, moves: Sequence[Choice]) -> list[DieRefused]:
    """Return the dice that no move uses, each with the rule that forbids it on the first space that may be chosen."""
    offered = {move.text.partition(":")[0].rstrip("b") for move in moves}
    dice = [die for die in (*map(str, range(1, facts().top_gear + 1)), COAST, REDLINE) if die not in offered]
    space = moves[0].text.partition(":")[2] if moves else ""
    found = []
    if space:
        not_offered = _("no offered move takes it")
        names = {COAST: _("Coast"), REDLINE: _("Redline")}
        for die, error in zip(dice, refusals(state, driver, plan, [f"{die}:{space}" for die in dice]), strict=True):
            name = names.get(die) or _("Gear %(number)s") % {"number": die}
            rule, why = (error.rule, error.words(_)) if error else ("", not_offered)
            found.append(DieRefused(die, rule, _refused(name, why)))
    if not any(BRAKE in move.text.partition(":")[0] for move in moves):
        found.append(DieRefused(BRAKE, "", _refused(_("Brake"), _("no offered move takes it"))))
    return found

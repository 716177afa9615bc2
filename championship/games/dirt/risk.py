"""The engine's odds of a plan, in words and as a small curve: chances, expected seconds, tokens to win.

Everything is for templates: numbers are formatted in the reader's language, coordinates are strings that no language
changes. `turn_odds` computes the odds of one driver's turn (engine/dirt/odds.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from championship.games.dirt import curve
from championship.games.dirt.curve import Bar, Dot, Label
from championship.games.dirt.words import SURE, percent, seconds, space_words, warnings_to_stop_at
from engine.contract import Json, Orders, RuleError
from engine.dirt.legal_moves import Choice
from engine.dirt.odds import Odds, TurnOdds

ONE_BY_ONE, FLAT_OUT = "one by one", "flat out"
ONLY_ONE_BY_ONE = ("stop_after", "stop_at", "secure", "secure_at", "secure_price")
NO_ODDS = ("roll", "as_laid")
NAMES = {"one": gettext_lazy("One by one"), "flat": gettext_lazy("Flat out")}


@dataclass(frozen=True, slots=True)
class RollingMode:
    """A plan rolled in one mode: the chance to keep control after each move as a line, and the totals; `more` in words.
    `kind`: one, stop or flat. `same_as` is the kind of an earlier mode with exactly the same line. `certain`: control
    is lost for certain. `ahead` says in short that the plan ends in front of a wall, "" when it does not. `seconds`
    include the losses of control that no careful driving avoids behind the plan.
    """

    kind: str
    name: str
    line: str
    dots: list[Dot]
    same_as: str
    control: str
    seconds: str
    more: str
    certain: bool
    ahead: str

    @property
    def doomed(self) -> bool:
        """Whether control is lost for certain, with the plan or behind it."""
        return self.certain or bool(self.ahead)

    @property
    def mark(self) -> SafeString:
        """The mark at its points on the drawing."""
        return curve.MARKS[self.kind]


@dataclass(frozen=True, slots=True)
class PlanRisk:
    """The risk of a plan on a page."""

    modes: list[RollingMode]
    ends: list[Label]
    moves: list[Label]
    levels: list[Label]
    bars: list[Bar]
    heard: list[str]
    harm: str
    steepest: str
    certain: bool

    @property
    def one(self) -> RollingMode:
        """The mode of rolling one by one."""
        return self.modes[0]

    @property
    def flat(self) -> RollingMode:
        """The mode of rolling flat out."""
        return self.modes[-1]


@dataclass(frozen=True, slots=True)
class MoveRisk:
    """The effect of an offered move on the plan: the chance to keep control with it and the expected seconds, in both
    modes; the seconds to win flat out. `wall`: behind it every way on loses control for certain.
    """

    one: str
    flat: str
    same: bool
    seconds: str
    width: str
    grade: str
    short: str
    words: str
    wall: bool = False


@dataclass(frozen=True, slots=True)
class RestRisk:
    """The effect of each button in a half-made turn; "" when it does not apply. `standing`: the effect of leaving the
    rest to the standing orders.
    """

    roll: str = ""
    roll_more: str = ""
    secure: str = ""
    stop: str = ""
    sisu: str = ""
    accept: str = ""
    wall: bool = False
    standing: str = ""


# A plan --------------------------------------------------------------------------------------------


def of_plan(turn_odds: TurnOdds, plan: str, orders: Orders | None = None) -> PlanRisk | None:
    """Return the risk of a draft, None when nothing is laid or the engine cannot compute it. `orders`: the driver's
    standing orders, if any.
    """
    moves = plan.split()
    if not moves:
        return None
    standing = _standing(orders)
    weighed = {"one": _odds(turn_odds, plan, _one_by_one(standing, len(moves)))}
    if not standing.keys() & set(ONLY_ONE_BY_ONE):
        weighed["stop"] = _odds(
            turn_odds, plan, {**_one_by_one(standing, len(moves)), "stop_at": warnings_to_stop_at()}
        )
    weighed["flat"] = _odds(turn_odds, plan, _flat_out(standing))
    known = {kind: odds for kind, odds in weighed.items() if odds is not None}
    if "one" not in known or "flat" not in known:
        return None
    one, flat = known["one"], known["flat"]
    floor = curve.floor_of([odds.kept[-1] for odds in known.values()])
    return PlanRisk(
        modes=[_mode(kind, odds, known, floor) for kind, odds in known.items()],
        ends=curve.ends({kind: odds.kept[-1] for kind, odds in known.items()}, floor),
        moves=curve.moves([_die_sign(move) for move in moves]),
        levels=curve.levels(floor),
        bars=curve.bars(one.warnings),
        heard=_heard(moves, one, flat),
        harm=_harm(flat),
        steepest=_steepest(moves, flat.kept),
        certain=flat.lost >= 1 - SURE,
    )


def _odds(turn_odds: TurnOdds, plan: str, orders: Orders) -> Odds | None:
    """Return the engine's odds; None when the orders do not fit the plan, for example because the token that they play
    is spent.
    """
    try:
        return turn_odds.odds(plan, orders)
    except RuleError:
        return None


def _standing(orders: Orders | None) -> dict[str, Json]:
    """Return the part of standing orders that affects the odds: all except the rolling mode, and whether to leave the
    dice as laid.
    """
    return {word: value for word, value in (orders or {}).items() if value is not None and word not in NO_ODDS}


def _one_by_one(standing: Mapping[str, Json], moves: int) -> dict[str, Json]:
    """Return the standing orders that concern a plan with that number of moves, rolled one by one."""
    orders = {**standing, "roll": ONE_BY_ONE}
    if (orders.get("stop_after") or 0) > moves:
        orders["stop_after"] = None
    orders["secure"] = [number for number in orders.get("secure") or () if number <= moves]
    return orders


def _flat_out(standing: Mapping[str, Json]) -> dict[str, Json]:
    """Return the standing orders that apply to flat out, where nobody stops or secures."""
    return {**{word: value for word, value in standing.items() if word not in ONLY_ONE_BY_ONE}, "roll": FLAT_OUT}


def _mode(kind: str, odds: Odds, known: Mapping[str, Odds], floor: float) -> RollingMode:
    kept = odds.kept
    before = list(known)[: list(known).index(kind)]
    whole = sum(end.chance for end in odds.ends if end.moves == len(kept) and not end.lost)
    return RollingMode(
        kind=kind,
        name=str(NAMES[kind]) if kind in NAMES else _stopping(warnings_to_stop_at()),
        line=curve.line(kept, floor),
        dots=curve.dots(kept, floor, off=known["one"].kept if kind == "stop" else ()),
        same_as=next((other for other in before if _alike(known[other].kept, kept)), ""),
        control=percent(kept[-1]),
        seconds=seconds(odds.seconds + odds.cards_ahead),
        more=" · ".join(_more(odds, percent(whole) if kind == "stop" or whole < kept[-1] - SURE else "")),
        certain=kept[-1] < SURE,
        ahead=_("then a wall") if _wall_ahead(odds) else "",
    )


def _wall_ahead(odds: Odds) -> bool:
    """Return whether the plan may keep control, and every way on behind its end loses it for certain."""
    return odds.kept[-1] > SURE and odds.onward < SURE


def _more(odds: Odds, whole: str) -> Iterator[str]:
    """Yield the other results of a mode. `whole`: the chance that all moves are made, "" when it is that of keeping
    control.
    """
    yield _("%(seconds)s expected") % {"seconds": seconds(odds.seconds)}
    if odds.cards_ahead > SURE:
        yield _("%(seconds)s more for a loss of control behind it") % {"seconds": seconds(odds.cards_ahead)}
    if odds.earned:
        yield _("up to %(seconds)s s won") % {"seconds": odds.earned}
    if odds.spent > SURE:
        yield _("%(seconds)s of them to secure") % {"seconds": seconds(odds.spent)}
    if whole:
        yield _("%(percent)s make all moves") % {"percent": whole}


def _stopping(count: int) -> str:
    return ngettext("Stopping at %(count)d warning", "Stopping at %(count)d warnings", count) % {"count": count}


def _alike(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(abs(a - b) < SURE for a, b in zip(one, other, strict=True))


def _die_sign(move: str) -> str:
    """Return the die of a move as a sign of one letter: its gear, an arrow for a coast die, R for the brake that
    redlines.
    """
    return move.partition(":")[0].replace("c", "→").replace("x", "R").rstrip("b")


def _space(move: str) -> str:
    return space_words(move.partition(":")[2].split("^")[-1])


def _heard(moves: Sequence[str], one: Odds, flat: Odds) -> list[str]:
    """Return the curve as sentences, one for each move."""
    said = []
    for number, (move, rolled, thrown) in enumerate(zip(moves, one.kept, flat.kept, strict=True), 1):
        if abs(rolled - thrown) < SURE:
            words = _("Move %(number)d, %(space)s: %(percent)s to be in control.")
            said.append(words % {"number": number, "space": _space(move), "percent": percent(rolled)})
        else:
            words = _("Move %(number)d, %(space)s: %(one)s to be in control one by one, %(flat)s flat out.")
            values = {"one": percent(rolled), "flat": percent(thrown)}
            said.append(words % {"number": number, "space": _space(move), **values})
    return said


def _harm(odds: Odds) -> str:
    """Return the consequences of a loss of control: the chance of a crash, and its damage."""
    said = []
    if odds.crash > SURE:
        said.append(_("%(percent)s for a crash") % {"percent": percent(odds.crash)})
    damage = sum(odds.damage.values())
    if damage > SURE:
        words = _("%(number)s damage markers expected")
        said.append(words % {"number": number_format(round(damage, 2), decimal_pos=2)})
    return ", ".join(said)


def _steepest(moves: Sequence[str], kept: Sequence[float]) -> str:
    """Return which move is the riskiest; "" when the plan has only one move or no relevant risk."""
    drops = [before - after for before, after in zip([1.0, *kept], kept, strict=False)]
    worst = max(range(len(drops)), key=drops.__getitem__)
    if len(moves) == 1 or drops[worst] < 0.01:
        return ""
    words = _("Riskiest: move %(number)d, %(space)s (−%(percent)s)")
    return words % {"number": worst + 1, "space": _space(moves[worst]), "percent": percent(drops[worst])}


# The next move -------------------------------------------------------------------------------------


def of_moves(
    turn_odds: TurnOdds, plan: str, moves: Sequence[Choice], orders: Orders | None = None
) -> list[MoveRisk | None]:
    """Return the risk of the plan with each move that may be laid next; None where the engine cannot compute it."""
    if turn_odds.state["turn"] is not None:
        return [None] * len(moves)
    standing = _standing(orders)
    laid = len(plan.split()) + 1
    found: list[MoveRisk | None] = []
    for move in moves:
        longer = f"{plan} {move.text}".strip()
        one, flat = _odds(turn_odds, longer, _one_by_one(standing, laid)), _odds(turn_odds, longer, _flat_out(standing))
        found.append(None if one is None or flat is None else _move(one, flat))
    return found


def _move(one: Odds, flat: Odds) -> MoveRisk:
    kept, thrown = one.kept[-1], flat.kept[-1]
    worse, same = min(kept, thrown), abs(kept - thrown) < SURE
    wall = _wall_ahead(one)
    values: dict[str, Any] = {
        "percent": percent(kept),
        "seconds": seconds(one.seconds + one.cards_ahead),
        "flat": percent(thrown),
        "flat_seconds": seconds(flat.seconds + flat.cards_ahead),
        "won": flat.earned,
    }
    if same:
        short, words = values["percent"], _("%(percent)s to keep control, %(seconds)s expected, up to %(won)s s won")
    else:
        short = _("%(one)s, flat out %(flat)s") % {"one": values["percent"], "flat": values["flat"]}
        words = _(
            "%(percent)s to keep control, %(seconds)s expected; flat out %(flat)s, %(flat_seconds)s expected with "
            "%(won)s s won"
        )
    said = words % values
    return MoveRisk(
        one=values["percent"],
        flat=values["flat"],
        same=same,
        seconds=values["seconds"],
        width=f"{60 * worse:.1f}",
        grade="lost" if wall else _grade(worse),
        short=short,
        words=_("%(said)s. A wall behind it: every way on loses control.") % {"said": said} if wall else said,
        wall=wall,
    )


def _grade(kept: float) -> str:
    """Return the word by which a chance to keep control is coloured."""
    return "sure" if kept > 1 - SURE else "fair" if kept >= 0.75 else "risky" if kept > SURE else "lost"


# A turn that is half made --------------------------------------------------------------------------


def of_rest(turn_odds: TurnOdds, phase: str, facts: Mapping[str, Json], orders: Orders | None = None) -> RestRisk:
    """Return the effects of the buttons of a turn under way, when the driver decides again after each roll. `facts` are
    those of the engine's choices; `orders` the driver's standing orders, if any.
    """

    def rest(**more: Json) -> Odds | None:
        return _odds(turn_odds, "", {**more, "roll": ONE_BY_ONE})

    if phase == "rolling":
        made = facts["made"]
        rolled_on, stays = rest(), rest(stop_after=made) if made else None
        at_hand = facts["next_price"] is not None and facts["next_price"] <= facts["tokens"]
        secured = rest(secure=[made + 1]) if at_hand else None
        left_to_orders = rest(**_standing(orders)) if orders else None
        return RestRisk(
            roll=percent(rolled_on.kept[made]) if rolled_on else "",
            roll_more=_to_the_end(rolled_on, made) if rolled_on else "",
            secure=percent(secured.kept[made]) if secured else "",
            stop=seconds(stays.cards + stays.cards_ahead) if stays else "",
            wall=stays is not None and stays.onward < SURE,
            standing=_in_short(left_to_orders) if left_to_orders else "",
        )
    if phase in ("lost", "relay"):
        taken, saved = rest(), rest(sisu_from=0) if turn_odds.state["drivers"][turn_odds.driver]["sisu"] else None
        return RestRisk(
            accept=seconds(taken.cards) if taken else "",
            sisu=percent(saved.kept[-1]) if saved else "",
        )
    return RestRisk()


def _in_short(odds: Odds) -> str:
    """Return the result of orders in short."""
    words = _("%(percent)s to keep control, %(seconds)s expected")
    return words % {"percent": percent(odds.kept[-1]), "seconds": seconds(odds.seconds)}


def _to_the_end(odds: Odds, made: int) -> str:
    """Return the result of rolling all moves that are left; the text has the number of moves."""
    left = len(odds.kept) - made
    words = ngettext(
        "%(moves)d move left: %(percent)s to keep control, %(seconds)s expected.",
        "%(moves)d moves left: %(percent)s to keep control, %(seconds)s expected.",
        left,
    )
    return words % {"moves": left, "percent": percent(odds.kept[-1]), "seconds": seconds(odds.seconds)}

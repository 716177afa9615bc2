"""Special actions: steering (A1), tuning a die (A2), a voluntary Risk (A3), blocking a pair of the ghost (G4)."""

from __future__ import annotations

from engine.dust.cards.effects import ROWS
from engine.dust.facts import facts
from engine.dust.state import Pair
from engine.dust.turn import damage, position_track, resolving
from engine.dust.turn.arguments import may_show, value
from engine.dust.turn.driving import require_nothing_open
from engine.dust.turn.step_context import Turn, refuse


def steer(turn: Turn, direction: str, spaces: int) -> None:
    """Carry out `steer`: move the car in the lower row, for one traction per space (A1)."""
    require_nothing_open(turn)
    if position_track.row(turn.me["space"]) != ROWS["brake"]:
        refuse("A1", "a car steers while braking only")
    due = spaces * facts().steer_traction
    if turn.me["traction"] < due:
        refuse("A1", "there is not enough traction")
    space = position_track.moved(turn.cards, turn.me["space"], direction, spaces)
    if space is None:
        refuse("M3", "the move does not fit on the track")
    turn.lose("traction", due)
    turn.me["space"] = space


def tune(turn: Turn, die: str, shown: int) -> None:
    """Carry out `tune`: change an active die, for one key per pip (A2, D5)."""
    require_nothing_open(turn)
    if die not in turn.me["dice"]:
        refuse("A2", "there is no such active die")
    if not may_show(turn, die[0], shown):
        refuse("D5", "the die does not show that value")
    pips = abs(shown - value(die))
    if not pips:
        refuse("A2", "the die shows that already")
    if turn.me["keys"] < pips * facts().tune_keys:
        refuse("A2", "there are not enough keys")
    turn.lose("keys", pips * facts().tune_keys)
    turn.change_die(die, die[0] + str(shown))


def risk(turn: Turn) -> None:
    """Carry out `risk`: gain traction for taking a Risk (A3). It is refused when all risk dice are in the pool."""
    require_nothing_open(turn)
    if turn.me["risk"] >= turn.cards.limits.risk_dice:
        refuse("A3", "no risk die is left on the cockpit")
    turn.gain("traction", facts().risk_traction)
    damage.take_risk(turn, resolving.can_void)


def block(turn: Turn, pair: int, die: str) -> None:
    """Carry out `block`: put an active die on a pair of the ghost with the same value (G4)."""
    require_nothing_open(turn)
    pairs = turn.ghost["dice"] if turn.ghost is not None else []
    if turn.ghost is None or pair > len(pairs):
        refuse("G4", "the ghost has no such pair")
    if die not in turn.me["dice"]:
        refuse("G4", "there is no such active die")
    if pairs[pair - 1]["value"] != die[1]:
        refuse("G4", "the pair shows another value")
    if pairs[pair - 1]["blocked"]:
        refuse("G4", "the pair is blocked already")
    turn.spend_die(die)
    blocked: Pair = {**pairs[pair - 1], "blocked": True}
    turn.ghost = {**turn.ghost, "dice": [*pairs[: pair - 1], blocked, *pairs[pair:]]}

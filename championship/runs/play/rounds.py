"""Rounds together: the time of all cars for a round begins with the round, and the round is driven in road order.

The rulebooks have no such rounds. Where they say nothing, these are our own rules:

T1. The turns of all cars of a round begin when its first car is to play.
T2. Orders ahead are carried out when the car's place in the order comes.
T3. Orders that another car's move has made impossible are not carried out. Their driver may send others until the
    deadline. After it the codriver plays the turn, and this does not count as a missed deadline.
T4. A car that comes up after the deadline without orders is played at once, as at any missed deadline.
"""

from __future__ import annotations

from collections.abc import Sequence

from championship.runs.models import Turn
from championship.runs.play.advancing_run import AdvancingRun
from engine.contract import Rounds, offered


def seats_of_round(each: AdvancingRun) -> tuple[str, ...]:
    """Return the seats that have yet to drive in this round, in road order. Empty where the rally has no rounds
    together.
    """
    rounds = offered(each.rules, Rounds)
    if rounds is None or not each.run.special_stage.rally.together:
        return ()
    return rounds.this_round(each.run.state)


def make_turn_current(each: AdvancingRun, turn: Turn) -> None:
    """Make a turn current, since the cars ahead have driven."""
    turn.to_come = False
    each.changes.changed_round_turns.append(turn)


def mark_sent_in_time(each: AdvancingRun, turn: Turn) -> None:
    """Note that orders were sent in time but could not be carried out: the codriver stands in at the deadline (T3)."""
    turn.sent_in_time = True
    each.changes.changed_round_turns.append(turn)


def write_rounds(runs: Sequence[AdvancingRun]) -> None:
    """Write turns that came up, or whose orders ahead were not carried out. One query, none when there are no such
    turns.
    """
    changed = {turn.pk: turn for each in runs for turn in each.changes.changed_round_turns if turn.pk}
    if changed:
        Turn.objects.bulk_update(changed.values(), ["to_come", "sent_in_time"])

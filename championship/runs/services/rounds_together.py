"""Rounds together: everybody's time for a round begins with the round, and the round is driven in road order.

The books know no such rounds. Where they are silent these are own rules:

T1. The turns of all cars of a round begin when its first car is to play.
T2. Orders sent ahead are carried out when the car's place in the order comes.
T3. Orders that another car's move has made impossible are not carried out. Their driver may send others until the
    deadline. After it the codriver makes the turn, which counts as no missed deadline.
T4. A car that comes up after the deadline without orders is driven at once, as at any missed deadline.
"""

from __future__ import annotations

from collections.abc import Sequence

from championship.runs.models import Turn
from championship.runs.services.moving_run import Moving
from engine.contract import Rounds, offered


def seats_of_round(each: Moving) -> tuple[str, ...]:
    """The seats that have yet to drive in this round, in road order; none where the rally knows no rounds together."""
    rounds = offered(each.rules, Rounds)
    if rounds is None or not each.run.special_stage.rally.together:
        return ()
    return rounds.this_round(each.run.state)


def come_up(each: Moving, turn: Turn) -> None:
    """The cars ahead have driven: this one is to play."""
    turn.to_come = False
    each.come.append(turn)


def sent_in_time(each: Moving, turn: Turn) -> None:
    """Orders were sent and could not be carried out: the codriver stands in at the deadline (T3)."""
    turn.sent_in_time = True
    each.come.append(turn)


def write_rounds(runs: Sequence[Moving]) -> None:
    """Write turns that came up, or whose orders were not carried out: one query where there are any."""
    come = {turn.pk: turn for each in runs for turn in each.come if turn.pk}
    if come:
        Turn.objects.bulk_update(come.values(), ["to_come", "sent_in_time"])

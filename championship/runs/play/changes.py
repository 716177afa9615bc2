"""What was changed in a run in memory and is not written yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from championship.runs.models import Event, Post, Seat, SentAhead, Turn


@dataclass(slots=True)
class Changes:
    """The changes of one run since it was last written. `writing.flush` writes them and puts an empty object in their
    place, so that nothing is written twice.

    `begun`, `ended`: turns.
    `changed_round_turns`: turns of a round driven together that are now played because the cars ahead have
    driven, or whose orders ahead were not played.
    `clock_turns`: turns for which the clock did something.
    `seats_with_changed_bank`: seats whose bank has changed.
    `seats_with_changed_hold`: seats that are held to orders now, or no longer.
    `returned_wheels`: seats whose driver has the wheel again, after the one turn that was handed over.
    `settled_orders`: orders ahead that no longer wait, or that wait for another turn.
    `returned_orders`: those of them that become drafts again.
    `handed_in`: seats whose draft is over, and whether its standing orders hold for the next turn.
    `letters`: notices to drivers.
    `duplicate_subjects`: subject keys about which one notice repeats what another says.
    `late`: seats that have missed a deadline; organisers are notified.
    `phase_closed`: whether a phase has closed, so that its events become readable.
    """

    posts: list[Post] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    begun: list[Turn] = field(default_factory=list)
    ended: list[Turn] = field(default_factory=list)
    clock_turns: list[Turn] = field(default_factory=list)
    changed_round_turns: list[Turn] = field(default_factory=list)
    seats_with_changed_bank: list[Seat] = field(default_factory=list)
    seats_with_changed_hold: list[Seat] = field(default_factory=list)
    returned_wheels: list[Seat] = field(default_factory=list)
    settled_orders: list[SentAhead] = field(default_factory=list)
    returned_orders: list[SentAhead] = field(default_factory=list)
    handed_in: list[tuple[Seat, bool]] = field(default_factory=list)
    letters: list[tuple[Turn, str, dict[str, Any]]] = field(default_factory=list)
    duplicate_subjects: list[str] = field(default_factory=list)
    late: list[Seat] = field(default_factory=list)
    phase_closed: bool = False

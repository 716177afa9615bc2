"""The lessons on the practice stage. Each is done as soon as the run's events or the draft on the table show it.

No progress is stored: it is computed from the run's events.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship.games.dirt.words import space_words
from championship.runs.watch.practice import Exercise, Lesson, Seen

ABOUT = gettext_lazy(
    "A short stage, alone against the clock. In ten minutes you have laid a plan, taken a bend, slid, drifted, gone "
    "flat out and lost control once. Nobody waits, nothing counts."
)

STAGE: Mapping[str, Any] = {
    "tiles": [
        "202a",
        "205a",
        {"tile": "223a", "via": "BD"},
        "204a",
        {"tile": "217a", "via": "DB"},
        "206a",
        {"tile": "212a", "via": "DC"},
        "203a",
    ]
}
"""Straights to gather speed, and three bends that get tighter. None is on a red tile, so a crash costs little."""

OPTIONS: Mapping[str, Any] = {}
RIVALS = 0
EXERCISES: tuple[Exercise, ...] = ()

TOO_FAST = "M1"
BENDS = ("i", "o")
"""The paths through a bend, by the first letter of their slots (T2)."""


def _slot(space: str) -> str:
    """Return the letter of a space's slot: l, r, s, i, o, m; "" on the grid."""
    return space.split(".")[-1][:1] if "." in space else ""


def _plan_laid(seen: Seen) -> bool:
    return any(len(plan.split()) > 1 for plan in (seen.plan, *(turn["plan"] for turn in seen.of_kind("turn"))))


def _rolled_one_by_one(seen: Seen) -> bool:
    return bool(seen.of_kind("roll"))


def _ended_in_control(seen: Seen) -> bool:
    return any(card["side"] == "front" for card in seen.of_kind("card"))


def _drove_onto(seen: Seen, *slots: str) -> bool:
    """Return whether the car has driven onto such a space without losing control there."""
    for event, following in pairwise([*seen.events, {"kind": ""}]):
        if event["kind"] == "move" and _slot(event["space"]) in slots:
            lost = following["kind"] == "loss" or following.get("rule") == TOO_FAST
            if not lost:
                return True
    return False


def _slid(seen: Seen) -> bool:
    return _drove_onto(seen, "s")


def _took_a_bend(seen: Seen) -> bool:
    return _drove_onto(seen, *BENDS)


def _drifted(seen: Seen) -> bool:
    return _drove_onto(seen, "o")


def _went_flat_out(seen: Seen) -> bool:
    return bool(seen.of_kind("roll all"))


def _lost_control(seen: Seen) -> bool:
    return bool(seen.of_kind("loss"))


def _finished(seen: Seen) -> bool:
    return bool(seen.of_kind("finish"))


LESSONS: tuple[Lesson, ...] = (
    Lesson(
        name="plan",
        title=gettext_lazy("Lay a plan"),
        what=gettext_lazy(
            "Lay gear 1 on the first space in front of your car, then gear 2 on the next. On the map, tap a lit space:"
            " its numbers are the gears that may go there, its arrow is a coast die."
        ),
        why=gettext_lazy(
            "One die for each space. A gear die shifts one gear up or down or keeps the gear; a coast die keeps it"
            " too. Nothing has happened yet: a plan can be taken back."
        ),
        rules=("D3", "D4", "D6"),
        done=_plan_laid,
        terms=("gear-die", "coast-die"),
    ),
    Lesson(
        name="one by one",
        title=gettext_lazy("Roll one by one"),
        what=gettext_lazy("Choose “One by one”: it rolls the first die. Look, and roll the next."),
        why=gettext_lazy("Every warning counts until the turn ends. With the third one the car is out of control."),
        rules=("R1", "R2"),
        done=_rolled_one_by_one,
        terms=("one-by-one", "warning"),
    ),
    Lesson(
        name="time card",
        title=gettext_lazy("End a turn in control"),
        what=gettext_lazy("Drive to the end of your plan, or stop earlier when two warnings lie on the table."),
        why=gettext_lazy(
            "The turn then costs the time card of your gear, and the higher the gear, the fewer the seconds. So end"
            " turns in a high gear, but in one that the next bend will take."
        ),
        rules=("E1",),
        done=_ended_in_control,
        terms=("time-card",),
    ),
    Lesson(
        name="slide",
        title=gettext_lazy("Slide"),
        what=gettext_lazy("Before or after a bend, take the slide instead of a lane: its two halves lie at an angle."),
        why=gettext_lazy("A slide takes two moves where a lane takes one: room to shift down in front of a bend."),
        rules=("T2", "T3"),
        done=_slid,
        terms=("slide",),
    ),
    Lesson(
        name="bend",
        title=gettext_lazy("Take a bend"),
        what=gettext_lazy(
            "The number on a bend is the highest gear that it takes. Come in that gear or lower. The brake die goes"
            " along with a gear die and lets you fall one gear further."
        ),
        why=gettext_lazy("Too high a gear is not forbidden, but it costs you the car on that very space."),
        rules=("M1", "D5"),
        done=_took_a_bend,
        terms=("limit", "brake-die"),
    ),
    Lesson(
        name="drift",
        title=gettext_lazy("Drift"),
        what=gettext_lazy("Go around the outside of a bend, space by space."),
        why=gettext_lazy(
            "The cut on the inside is short and slow. The drift takes more dice, but a higher gear, and you leave the"
            " bend faster."
        ),
        rules=("T2", "M1"),
        done=_drifted,
        terms=("cut", "drift"),
    ),
    Lesson(
        name="flat out",
        title=gettext_lazy("Go flat out"),
        what=gettext_lazy("Lay a plan that you trust, and choose “Flat out”: all its dice are thrown at once."),
        why=gettext_lazy(
            "Each gear die and each coast die earns a second token, whatever it shows. Tokens are taken off your time,"
            " or pay for securing a die when you roll one by one."
        ),
        rules=("R4", "R5", "R3"),
        done=_went_flat_out,
        terms=("flat-out", "tokens"),
    ),
    Lesson(
        name="loss of control",
        title=gettext_lazy("Lose control, on purpose"),
        what=gettext_lazy(
            "It happens to everybody; here it costs nothing. Go into a bend in a gear that is too high: the move is"
            " marked “loss of control”, and the plan ends with it."
        ),
        why=gettext_lazy(
            "The top card of your gear's deck is turned over. A spin: the car stays, in gear 0. A crash: it stands"
            " beside the road, and dice may be damaged. Or SISU, and you get away with it."
        ),
        rules=("M1", "E2", "E3"),
        done=_lost_control,
        terms=("sisu", "red"),
    ),
    Lesson(
        name="finish",
        title=gettext_lazy("Bring it home"),
        what=gettext_lazy("Drive over the finish line, as fast as you dare."),
        why=gettext_lazy("Your time is the sum of all your cards, less the second tokens in your hand."),
        rules=("F1", "F2"),
        done=_finished,
    ),
)


def hint(lesson: Lesson, seen: Seen) -> str:
    """Return where the lesson can be done right now: for a loss of control, the spaces that certainly cause it."""
    if lesson.name != "loss of control" or seen.choices is None:
        return ""
    lost = [space_words(move.does["to"]) for move in seen.choices.ways if move.does.get("loses") == TOO_FAST]
    if not lost:
        return ""
    return _("Right now it is certain on %(space)s.") % {"space": ", ".join(dict.fromkeys(lost))}


def happened(events: Sequence[Mapping[str, Any]]) -> str:
    """Return what a loss of control in these events led to, in words for a beginner; "" without one."""
    if not any(event["kind"] == "loss" for event in events):
        return ""
    card = next((event for event in reversed(events) if event["kind"] == "card"), None)
    if card is None:
        return _("The car is out of control. Say whether you play your SISU token, or take the card.")
    if card["side"] == "front":
        return _("You lost control on the finish line, where it does not matter any more.")
    if card["back"] == "spin":
        return _("You lost control and the card said spin: the car stands where it was, in gear 0. Start off again.")
    if card["back"] == "sisu":
        return _("You lost control and the card said SISU: you get away with few seconds and keep your gear.")
    return _(
        "You lost control and the card said crash: the car stands beside the road in gear 0 and comes back with your"
        " next turn. Damaged dice are missing from your tray."
    )

"""The lessons of the practice race. Each is done as soon as the run's events show it.

No progress is stored: it is computed from the run's events.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship.games.formula_d.words import out_words
from championship.runs.watch.practice import Exercise, Lesson, Seen

ABOUT = gettext_lazy(
    "One lap of a short circuit against two codrivers. In ten minutes you have shifted up and down, made your stops in"
    " a corner, braked, overshot once and driven in a slipstream. Nobody waits, nothing counts."
)

STAGE: Mapping[str, Any] = {"track": "monza"}
"""The shortest of the ready-made tracks."""

OPTIONS: Mapping[str, Any] = {"start_roll": False}
RIVALS = 2
EXERCISES: tuple[Exercise, ...] = ()

PUPIL = "1"
"""The seat of the learner."""
FAST = 4


def _own(seen: Seen, kind: str) -> list[Mapping[str, Any]]:
    return seen.of_kind(kind, seat=PUPIL)


def _rolled(seen: Seen) -> bool:
    return bool(_own(seen, "roll"))


def _drove(seen: Seen) -> bool:
    return bool(_own(seen, "step"))


def _shifted_up(seen: Seen) -> bool:
    return any(event["gear"] >= FAST for event in _own(seen, "gear"))


def _stopped(seen: Seen) -> bool:
    return any(event["stops"] for event in _own(seen, "stop"))


def _shifted_down(seen: Seen) -> bool:
    gears = [event["gear"] for event in _own(seen, "gear")]
    return any(later < before for before, later in pairwise(gears))


def _braked(seen: Seen) -> bool:
    return any(event["why"] == "brake" for event in _own(seen, "wear"))


def _overshot(seen: Seen) -> bool:
    return bool(_own(seen, "overshoot"))


def _slipped(seen: Seen) -> bool:
    return bool(_own(seen, "slip"))


def _finished(seen: Seen) -> bool:
    return bool(_own(seen, "finish"))


LESSONS: tuple[Lesson, ...] = (
    Lesson(
        name="gear",
        title=gettext_lazy("Roll the first gear"),
        what=gettext_lazy("Your car stands on the grid in neutral: it starts in gear 1. Press the button that rolls."),
        why=gettext_lazy("Each gear has a die of its own. The higher the gear, the more spaces it shows."),
        rules=("G1", "G2"),
        done=_rolled,
        terms=("gear-dice",),
    ),
    Lesson(
        name="path",
        title=gettext_lazy("Choose where it ends"),
        what=gettext_lazy(
            "Every space where the movement can end is marked on the map, with its price. Press one of them: the path"
            " to it is drawn. Then drive."
        ),
        why=gettext_lazy("You must drive the full number, but you choose the way. On a straight it is the shortest."),
        rules=("M1", "M3", "M6"),
        done=_drove,
        terms=("straight",),
    ),
    Lesson(
        name="shift up",
        title=gettext_lazy("Shift up to gear 4"),
        what=gettext_lazy("One gear up in each turn. Look at the odds of a gear before you roll it."),
        why=gettext_lazy(
            "The bars show how likely you are to make the stop in the corner ahead, to overshoot it, or to go out."
        ),
        rules=("G2",),
        done=_shifted_up,
        terms=("gears",),
    ),
    Lesson(
        name="stop",
        title=gettext_lazy("Make a stop in a corner"),
        what=gettext_lazy("End a turn within a corner: choose a gear whose die is likely to bring you into it."),
        why=gettext_lazy("A corner asks for one to three turns that end there. When they are made you may leave it."),
        rules=("C1", "C2"),
        done=_stopped,
        terms=("corner-badge",),
    ),
    Lesson(
        name="shift down",
        title=gettext_lazy("Shift down"),
        what=gettext_lazy("Take a lower gear before a corner, or in it."),
        why=gettext_lazy("One gear down is free. Each gear that is skipped costs wear, the gearbox first."),
        rules=("G3", "G4"),
        done=_shifted_down,
        terms=("skipped-gears",),
    ),
    Lesson(
        name="brake",
        title=gettext_lazy("Brake"),
        what=gettext_lazy("After a roll, choose an end before the last one: each space that is left costs a brake."),
        why=gettext_lazy("A brake spent at the right corner saves tyres, or a turn."),
        rules=("B1",),
        done=_braked,
        terms=("brakes",),
    ),
    Lesson(
        name="overshoot",
        title=gettext_lazy("Overshoot, on purpose"),
        what=gettext_lazy(
            "Leave a corner with one stop missing: take a gear that is too high for it. The path is marked as costly."
        ),
        why=gettext_lazy("Each space behind the corner costs a tyre point. With the last of them the car spins."),
        rules=("C3", "C5", "C6"),
        done=_overshot,
        terms=("overshoot", "spin"),
    ),
    Lesson(
        name="slipstream",
        title=gettext_lazy("Drive in a slipstream"),
        what=gettext_lazy(
            "End your movement right behind another car, both in gear 4 or higher: the space behind it glows. Then go"
            " on."
        ),
        why=gettext_lazy("Three spaces for nothing, and again as long as there is another car to follow."),
        rules=("S1", "S2"),
        done=_slipped,
        terms=("slipstream",),
    ),
    Lesson(
        name="finish",
        title=gettext_lazy("Bring it home"),
        what=gettext_lazy("Drive over the finish line. Orders for a whole turn do it faster, if you like."),
        why=gettext_lazy("Places give points. What is left of your car counts for nothing: use it up on the last lap."),
        rules=("R1", "R3"),
        done=_finished,
    ),
)


def hint(lesson: Lesson, seen: Seen) -> str:
    """Return where the lesson can be done right now; "" when there is no hint."""
    if seen.choices is None:
        return ""
    if lesson.name == "slipstream" and seen.choices.phase == "slip":
        return _("Right now a slipstream is possible.")
    if lesson.name == "overshoot" and any(way.does.get("overshoot") for way in seen.choices.ways):
        return _("Right now there is a way that overshoots.")
    if lesson.name == "brake" and any(way.does.get("brakes") for way in seen.choices.ways):
        return _("Right now there are ways that brake.")
    return ""


def happened(events: Sequence[Mapping[str, Any]]) -> str:
    """Return what went wrong for the pupil in these events, explained; "" when nothing did."""
    own = {event["kind"]: event for event in events if event.get("seat") == PUPIL}
    if "out" in own:
        return _("Your car is out: %(why)s. Begin again as often as you like.") % {"why": out_words(own["out"]["why"])}
    if "spin" in own:
        return _("That took the last tyre point: the car spins, has one tyre point, and goes on in gear 1.")
    if "overshoot" in own:
        return _("You overshot: the price is paid in tyre points, and this turn counts as no stop.")
    return ""

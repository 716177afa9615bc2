"""The lessons on the training stage (T1 to T4), and exercises against the ghost at all its levels (G1, G2).

A lesson is done as soon as the run's events or the steps that are laid show it: in a round most steps are sent together
at its end, and a beginner sees at once that a step was the right one. No progress is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship.games.dust import card_words
from championship.runs.watch.practice import Exercise, Lesson, Seen
from engine.dust import draft_text
from engine.dust.cards import card_set_reading
from engine.dust.state import OUT
from engine.dust.turn import steps

ABOUT = gettext_lazy(
    "Five stage cards, alone. You prepare, play cards, use dice, buy, place pilot markers and count the "
    "points: with 15 you have passed. After it the ghost waits, at seven levels. Nobody waits, nothing "
    "counts."
)

STAGE: Mapping[str, Any] = {"stage": "training"}
"""The training stage of the rules (T1), with our own cards."""

GHOST_STAGE: Mapping[str, Any] = {"stage": "saltwind"}

LEVELS = {
    "amateur": gettext_lazy("Against the ghost: amateur"),
    "novice": gettext_lazy("Against the ghost: novice"),
    "rookie": gettext_lazy("Against the ghost: rookie"),
    "plain": gettext_lazy("Against the ghost: as it comes"),
    "daredevil": gettext_lazy("Against the ghost: daredevil"),
    "veteran": gettext_lazy("Against the ghost: veteran"),
    "devil": gettext_lazy("Against the ghost: devil"),
}
"""The levels of the ghost (G2), the easiest first."""

OPTIONS: Mapping[str, Any] = {}
RIVALS = 0

EXERCISES: tuple[Exercise, ...] = tuple(
    Exercise(name=f"ghost {level}", title=title, stage=GHOST_STAGE, options={"ghost": level})
    for level, title in LEVELS.items()
)

TOKENS = {
    1: gettext_lazy("Orders to move lead one space further from now on."),
    2: gettext_lazy("Every card costs one key more from now on."),
    3: gettext_lazy("Every pilot marker costs one traction more from now on."),
    4: gettext_lazy("You hold three cards at most from now on."),
    5: gettext_lazy("Orders to move lead one space further again."),
    6: gettext_lazy("Passive effects are gone for the rest of the stage."),
    7: gettext_lazy("Keys and traction go to 0 when a round closes. One token more, and the car is wrecked."),
}
"""What each damage token does (R7)."""


def _steps(seen: Seen, *first: str) -> list[Mapping[str, Any]]:
    return [event for event in seen.of_kind("step") if event["step"].split()[0] in first]


def _laid(seen: Seen, *first: str) -> list[list[str]]:
    """Return the laid steps that begin with these words, each as its words."""
    laid = [step.split() for step in draft_text.split_steps(seen.plan)]
    return [words for words in laid if words and words[0] in first]


def _played_below_a_die(seen: Seen) -> bool:
    """Return whether a card was played, or is laid, on a slot whose number an active die showed then."""
    dice: dict[str, list[str]] = {}
    for event in seen.events:
        seat = event.get("seat", "")
        first, *words = event.get("step", "").split() or [""]
        if first == steps.PLAY and any(die[1] == words[1] for die in dice.get(seat, ())):
            return True
        if "dice" in event.get("set", {}):
            dice[seat] = event["set"]["dice"]
    shown = {die[1] for each in dice.values() for die in each}
    return any(words[2] in shown for words in _laid(seen, steps.PLAY))


def _did(*first: str) -> Callable[[Seen], bool]:
    return lambda seen: bool(_steps(seen, *first) or _laid(seen, *first))


def _moved(seen: Seen) -> bool:
    return any("space" in event["set"] for event in _steps(seen, steps.DO, steps.STEER, steps.PLACE, steps.PASSIVE))


def _rolled_risk(seen: Seen) -> bool:
    return any(kind == "risk" for event in seen.events for _who, kind, _face in event.get("drawn", ()))


def _closed(seen: Seen) -> bool:
    return bool(seen.of_kind("closed"))


def _scored(seen: Seen) -> bool:
    return any(event["assessed"] for event in seen.of_kind("closed"))


def _over(seen: Seen) -> bool:
    return any(not event["opens"] for event in seen.of_kind("closed"))


LESSONS: tuple[Lesson, ...] = (
    Lesson(
        name="prepare",
        title=gettext_lazy("Prepare"),
        what=gettext_lazy("Prepare the round: your hand fills up to five cards, and your three dice are rolled."),
        why=gettext_lazy(
            "First you may give up cards that do not help you now. They come back later: when the deck "
            "is empty, the discard pile becomes the deck."
        ),
        rules=("Q2", "Q3", "D2"),
        done=_did(steps.PREPARE),
        terms=("preparing",),
    ),
    Lesson(
        name="play",
        title=gettext_lazy("Play a card"),
        what=gettext_lazy("Put a card on a slot whose number one of your dice shows."),
        why=gettext_lazy(
            "Playing is free, but slots are few. When the round closes every card moves one slot to the right, and "
            "behind the last it is discarded: a card on the left stays for long."
        ),
        rules=("P2", "C3", "Q1"),
        done=_played_below_a_die,
        terms=("team-board",),
    ),
    Lesson(
        name="use",
        title=gettext_lazy("Use a die"),
        what=gettext_lazy("Use a die above a card: the card opens."),
        why=gettext_lazy("Each die is used once a round. The same card may be used by another die of its number."),
        rules=("P3", "P7"),
        done=_did(steps.USE),
        terms=("player-die",),
    ),
    Lesson(
        name="effect",
        title=gettext_lazy("Choose effects"),
        what=gettext_lazy("Do one effect of the open card after the other, in any order, and close it."),
        why=gettext_lazy(
            "An effect after a row or colour sign works only while the car is there. So an effect that "
            "moves the car may make another possible."
        ),
        rules=("P4", "P6", "E3"),
        done=_did(steps.DO),
        terms=("conditions",),
    ),
    Lesson(
        name="tune",
        title=gettext_lazy("Turn a die"),
        what=gettext_lazy("Pay a key and turn a die by one, so that it is above another card."),
        why=gettext_lazy("You need not lose a die because no card is below it."),
        rules=("A2",),
        done=_did(steps.TUNE),
        terms=("turning-a-die",),
    ),
    Lesson(
        name="move",
        title=gettext_lazy("Move the car"),
        what=gettext_lazy("Change the row, steer in the lower row for traction, or let a card move the car."),
        why=gettext_lazy(
            "Upper row: accelerating, many points, no steering. Lower row: braking, few points, but you steer. Where "
            "the car stands when a stage card leaves the board decides what your marker brings."
        ),
        rules=("M1", "M4", "A1"),
        done=_moved,
        terms=("position-track", "steering"),
    ),
    Lesson(
        name="buy",
        title=gettext_lazy("Buy a card"),
        what=gettext_lazy("Pay keys for a card of a pile."),
        why=gettext_lazy(
            "It goes to your discard pile and comes to your hand later. Some are worth points at the end."
        ),
        rules=("B1", "B3", "F2"),
        done=_did(steps.BUY),
        terms=("pile",),
    ),
    Lesson(
        name="marker",
        title=gettext_lazy("Place a pilot marker"),
        what=gettext_lazy("Pay traction for a marker on a stage card. Its order moves the car at once."),
        why=gettext_lazy(
            "Without a marker on a stage card you score nothing for it. Off the end of the track is a Risk."
        ),
        rules=("N1", "N4", "M2"),
        done=_did(steps.PLACE),
        terms=("pilot-marker", "traction"),
    ),
    Lesson(
        name="risk",
        title=gettext_lazy("Take a risk"),
        what=gettext_lazy("Take a risk for two traction, or let a card make you: a risk die is rolled."),
        why=gettext_lazy(
            "It stays in your pool and is rolled each round until it is repaired. Hits flip damage tokens, popularity "
            "comes with the worst of them. The eighth token wrecks the car."
        ),
        rules=("A3", "R1", "R3", "R5"),
        done=_rolled_risk,
        terms=("risk-die", "hits"),
    ),
    Lesson(
        name="end",
        title=gettext_lazy("End the round"),
        what=gettext_lazy("End your turn. Dice that were not used are lost, cards in your hand stay."),
        why=gettext_lazy("The stage card of the round leaves the board, cards move on, the next card is opened."),
        rules=("P10", "S4", "V1"),
        done=_closed,
    ),
    Lesson(
        name="score",
        title=gettext_lazy("Score"),
        what=gettext_lazy("Have a marker on the stage card that leaves, with the car where it is worth something."),
        why=gettext_lazy("Speed points are the score. Red spaces give popularity, which is worth points at the end."),
        rules=("V2", "M6", "F3"),
        done=_scored,
        terms=("speed-points",),
    ),
    Lesson(
        name="finish",
        title=gettext_lazy("Bring it home"),
        what=gettext_lazy("Drive to the end of the stage. With 15 points you have passed."),
        why=gettext_lazy("Risk dice left in the pool cost a point each, cards may bring some."),
        rules=("F1", "F2", "T4"),
        done=_over,
    ),
)

FIRST_WORDS = {
    "play": steps.PLAY,
    "use": steps.USE,
    "effect": steps.DO,
    "tune": steps.TUNE,
    "buy": steps.BUY,
    "marker": steps.PLACE,
}
MOST_NAMED = 3


def hint(lesson: Lesson, seen: Seen) -> str:
    """Return which cards can be bought, played or marked right now, when that is the lesson; "" when there is no
    hint.
    """
    first = FIRST_WORDS.get(lesson.name)
    if seen.choices is None or first is None:
        return ""
    words = [way.text.split() for way in seen.choices.ways]
    ways = [each[1] for each in words if each[0] == first]
    if not ways:
        if lesson.name == "marker":
            return _("Right now you have too little traction for it.")
        return _("Right now you have too few keys for it.") if lesson.name == "buy" else ""
    if lesson.name in ("play", "buy"):
        names = [card_words.title_of(card_set_reading.own(), name) for name in dict.fromkeys(ways)][:MOST_NAMED]
        return _("Right now: %(cards)s.") % {"cards": ", ".join(names)}
    if lesson.name == "marker":
        return _("Right now: stage card %(numbers)s.") % {"numbers": ", ".join(dict.fromkeys(ways))}
    return ""


def happened(events: Sequence[Mapping[str, Any]]) -> str:
    """Return what damage in these events did to the car, in words for a beginner; "" without any."""
    said: list[str] = []
    for event in events:
        changed = event.get("set", {})
        if changed.get("phase") == OUT:
            return _("One damage token too many: the car is wrecked, and its points are gone.")
        token = changed.get("flipped")
        if token in TOKENS:
            said.append(_("Damage token %(number)d is flipped.") % {"number": token} + f" {TOKENS[token]}")
    return " ".join(said)

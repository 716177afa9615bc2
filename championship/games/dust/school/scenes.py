"""The scenes: how the score is made, dice and cards, buying, placing, risk and damage, popularity, the ghost."""

from __future__ import annotations

from django.utils.translation import gettext_lazy

from championship.games.dust.school import seen
from championship.games.dust.school.openings import on
from championship.runs.watch.scenes import Scene
from engine.dust.turn import steps

FOUR = ("ready", "ready", "engine-tuning", "under-way", "harry-dial")

SCENES: tuple[Scene, ...] = (
    Scene(
        name="win",
        title=gettext_lazy("How one wins"),
        goal=gettext_lazy(
            "The most points win. Put a pilot marker on stage card 1 and end your turn: the card brings what your car's"
            " space is worth."
        ),
        learned=gettext_lazy(
            "When a round closes, its stage card leaves. For each marker on it you get the speed points of the space of"
            " your car; without a marker nothing. Cards you bought add points at the end."
        ),
        rules=("V1", "V2", "V3", "M6", "F2"),
        opening=on(dice=(4, 2, 5), traction=3),
        done=lambda driven: seen.me(driven)["speed"] > 0,
    ),
    Scene(
        name="prepare",
        title=gettext_lazy("Prepare the round"),
        goal=gettext_lazy("Give up a card that does not help you now, then draw and roll."),
        learned=gettext_lazy(
            "The hand fills up to five cards, and three dice are rolled. What you gave up comes back: when the deck is"
            " empty, the discard pile becomes the deck."
        ),
        rules=("D2", "Q2", "Q3", "Q4"),
        opening=on(),
        done=lambda driven: any(len(words) > 1 for words in seen.steps(driven, steps.PREPARE)),
        at_once=True,
    ),
    Scene(
        name="play",
        title=gettext_lazy("Play a card"),
        goal=gettext_lazy("Your dice show 4, 2 and 5. Put a card on a slot with one of these numbers, and send it."),
        learned=gettext_lazy(
            "Playing is free, but slots are few. When the round closes each card moves one slot to the right, and"
            " behind the last it is discarded."
        ),
        rules=("C3", "P1", "P2", "Q1"),
        opening=on(dice=(4, 2, 5)),
        done=seen.below_a_die,
        at_once=True,
    ),
    Scene(
        name="use",
        title=gettext_lazy("Use a die"),
        goal=gettext_lazy("A card lies on slot 4, and a die shows 4. Use that die: the card opens."),
        learned=gettext_lazy("Each die is used once a round. The same card may be used by another die of its number."),
        rules=("P3", "P7"),
        opening=on(dice=(4, 2, 5), board={"4": "bolts"}, hand=FOUR),
        done=lambda driven: seen.did(driven, steps.USE),
        at_once=True,
    ),
    Scene(
        name="effects",
        title=gettext_lazy("Effects of a card"),
        goal=gettext_lazy(
            "Use the card on slot 4, and take two of its effects: one for every row, one for the upper row."
        ),
        learned=gettext_lazy(
            "You choose the order. An effect behind the sign of a row or a colour works only while your car is there."
        ),
        rules=("P4", "P5", "P6"),
        opening=on(dice=(4, 2, 5), board={"4": "bolts"}, hand=FOUR),
        done=lambda driven: len(seen.steps(driven, steps.DO)) >= 2,
        at_once=True,
    ),
    Scene(
        name="tune",
        title=gettext_lazy("Turn a die"),
        goal=gettext_lazy("No die shows 3, where your card lies. Pay a key and turn a die to 3."),
        learned=gettext_lazy("One key for each pip, up or down; 6 and 1 are not neighbours. So no die need be lost."),
        rules=("A2", "D5"),
        opening=on(dice=(4, 2, 5), board={"3": "bolts"}, hand=FOUR, keys=2),
        done=lambda driven: any(words[1].endswith("=3") for words in seen.steps(driven, steps.TUNE)),
        at_once=True,
    ),
    Scene(
        name="rows",
        title=gettext_lazy("Change the row"),
        goal=gettext_lazy("Use the card on slot 4 to bring your car down into the lower row."),
        learned=gettext_lazy(
            "Upper row: accelerating, many points, no steering. Lower row: braking, fewer points, but you steer. Two"
            " spaces lie below each one."
        ),
        rules=("M1", "M4"),
        opening=on(dice=(4, 2, 5), board={"4": "under-way"}, hand=("ready", "ready", "bolts", "bolts", "harry-dial")),
        done=lambda driven: seen.me(driven)["space"].startswith("B"),
        at_once=True,
    ),
    Scene(
        name="steer",
        title=gettext_lazy("Steer"),
        goal=gettext_lazy(
            "Your car is in the lower row, on a space worth 1. Pay traction, under Special actions, and steer to a"
            " space worth 2."
        ),
        learned=gettext_lazy(
            "One traction for each space, in the lower row only. A move that does not fit cannot be chosen."
        ),
        rules=("A1", "M3"),
        opening=on(dice=(4, 2, 5), space="B3", traction=3),
        done=lambda driven: seen.did(driven, steps.STEER) and seen.me(driven)["space"] in ("B4", "B5", "B6", "B7"),
        at_once=True,
    ),
    Scene(
        name="buy",
        title=gettext_lazy("Buy a card"),
        goal=gettext_lazy(
            "You have four keys. Look at the cards under Piles, and buy one that is worth a point at the end."
        ),
        learned=gettext_lazy(
            "It goes to your discard pile and comes to your hand later. Where several drivers want the last copy, more"
            " popularity goes first."
        ),
        rules=("B1", "B2", "B3", "B4", "C5"),
        opening=on(dice=(4, 2, 5), keys=4),
        done=lambda driven: seen.bought_points(driven) > 0,
        at_once=True,
    ),
    Scene(
        name="marker",
        title=gettext_lazy("Mind the order to move"),
        goal=gettext_lazy(
            "Your car stands at the right end. Place a marker on a card that does not push it off the track."
        ),
        learned=gettext_lazy(
            "A marker costs traction, and the card's order moves your car at once. Beyond the end of the track is a"
            " Risk. One marker on a card, three with a star."
        ),
        rules=("N1", "N2", "N4", "M2"),
        opening=on(dice=(4, 2, 5), space="A5", traction=4, draws=(3,)),
        done=lambda driven: seen.did(driven, steps.PLACE) and not seen.rolled_risk(driven),
        at_once=True,
    ),
    Scene(
        name="risk",
        title=gettext_lazy("Take a risk"),
        goal=gettext_lazy(
            "You have no traction. Take a Risk, under Special actions: it brings two traction, and a risk die is rolled"
            " at once."
        ),
        learned=gettext_lazy(
            "The die stays in your pool and is rolled each round until it is repaired. Each hit moves the damage"
            " marker, each symbol is popularity."
        ),
        rules=("A3", "R1", "R2", "R4"),
        opening=on(dice=(4, 2, 5), draws=(1,)),
        done=seen.rolled_risk,
        at_once=True,
    ),
    Scene(
        name="damage",
        title=gettext_lazy("Damage"),
        goal=gettext_lazy(
            "Your damage marker is at 4 of 5, and no token is flipped. A risk die shows two hits. What happens?"
        ),
        learned=gettext_lazy(
            "At 5 a token is flipped for good, and the rest counts on: here the marker ends at 1. Each token makes"
            " something dearer; the eighth wrecks the car, and all its points are gone."
        ),
        rules=("R3", "R5", "R7"),
        opening=on(dice=(4, 2, 5), hits=4),
        done=lambda driven: driven.answer == "token",
        answers=(
            ("wreck", gettext_lazy("The car is wrecked")),
            ("token", gettext_lazy("One token is flipped, and the marker is at 1")),
            ("six", gettext_lazy("The marker is at 6")),
        ),
    ),
    Scene(
        name="repair",
        title=gettext_lazy("Repair"),
        goal=gettext_lazy(
            "A risk die is in your pool. In the lower row the card on slot 4 repairs it for a key: do that."
        ),
        learned=gettext_lazy(
            "The risk die goes back to your cockpit and is rolled no more. Hits and tokens stay as they are."
        ),
        rules=("R8",),
        opening=on(dice=(4, 2, 5), board={"4": "bolts"}, hand=FOUR, space="B5", keys=1, risk=1, draws=(0,)),
        done=lambda driven: seen.me(driven)["risk"] == 0,
        at_once=True,
    ),
    Scene(
        name="popularity",
        title=gettext_lazy("Popularity"),
        goal=gettext_lazy(
            "Red spaces bring popularity. Place a marker on stage card 1, which moves you onto the red space, and end"
            " the turn."
        ),
        learned=gettext_lazy(
            "At the end the highest popularity brings 3 points, the second 1. In each round the most popular driver"
            " rolls one die more, and pays its number in popularity."
        ),
        rules=("F3", "D1", "D4"),
        opening=on(dice=(4, 2, 5), space="A4", traction=2),
        done=lambda driven: seen.me(driven)["popularity"] >= 5,
    ),
    Scene(
        name="passive",
        title=gettext_lazy("Passive effects"),
        goal=gettext_lazy(
            "The card on slot 1 has an effect that needs no die: for two popularity all dice show 6. Use it."
        ),
        learned=gettext_lazy("Once a round, while the card lies uncovered on your board, and no card is open."),
        rules=("A4",),
        opening=on(dice=(4, 2, 5), board={"1": "harry-showman"}, hand=FOUR, popularity=2, draws=(5,)),
        done=lambda driven: seen.did(driven, steps.PASSIVE),
        at_once=True,
    ),
    Scene(
        name="end",
        title=gettext_lazy("What counts at the end"),
        goal=gettext_lazy(
            "The last card is resolved: 20 speed points, cards worth 6, two risk dice in the pool, most popularity."
            " Your points?"
        ),
        learned=gettext_lazy(
            "20 and 6, less 1 for each risk die, and 3 for the highest popularity: 27. More points win."
        ),
        rules=("F1", "F4"),
        opening=on(dice=(4, 2, 5), speed=20, popularity=5, risk=2, draws=(5, 0, 0)),
        done=lambda driven: driven.answer == "27",
        answers=(
            ("24", gettext_lazy("24")),
            ("27", gettext_lazy("27")),
            ("29", gettext_lazy("29")),
        ),
    ),
    Scene(
        name="ghost",
        title=gettext_lazy("Alone against the ghost"),
        goal=gettext_lazy(
            "The ghost has rolled a 4 and a risk die with hits. Put your die with the 4 on it, under Special actions:"
            " that blocks it."
        ),
        learned=gettext_lazy(
            "For each risk die that is not blocked the ghost gets a point for each hit. It has up to three pairs of"
            " dice; you choose its level."
        ),
        rules=("G1", "G2", "G3", "G4", "G5"),
        opening=on(dice=(4, 2, 5), ghost="daredevil", ghost_rolls=(3, 3)),
        done=lambda driven: seen.did(driven, steps.BLOCK),
        at_once=True,
    ),
)

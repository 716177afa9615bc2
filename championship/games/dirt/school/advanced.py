"""The later scenes: shortcuts, mud, bumps, water, other cars, damage, the finish, decisions between stages."""

from __future__ import annotations

from django.utils.translation import gettext_lazy

from championship.games.dirt.school import seen
from championship.games.dirt.school.basics import LUCKY
from championship.games.dirt.school.openings import BEND, BUMP, FORD, HAIRPIN, STRAIGHT, WIDE_BEND, car, on
from championship.runs.watch.scenes import Scene

SCENES: tuple[Scene, ...] = (
    Scene(
        name="shortcut",
        title=gettext_lazy("Take a shortcut"),
        goal=gettext_lazy(
            "Cut the hairpin: drive from the right lane onto the shortcut. It takes gear 5, the bend only 1 or 2."
        ),
        learned=gettext_lazy(
            "On each shortcut space you draw a token: OK, a damaged coast die, or mud on the tile for the others."
        ),
        rules=("T4", "M5"),
        opening=on(HAIRPIN, car("2.1.r", 3), draws=LUCKY),
        done=lambda driven: seen.onto(driven, "1") and any(".k" in space for space in seen.spaces(driven)),
    ),
    Scene(
        name="mud",
        title=gettext_lazy("Mud"),
        goal=gettext_lazy(
            "There is mud on the tile: its bend takes one gear less, 2 inside and 3 outside. Drive out of it in"
            " control."
        ),
        learned=gettext_lazy(
            "A mud marker lowers every bend limit of its tile by one, but not for the driver who threw it."
        ),
        rules=("M2",),
        opening=on(WIDE_BEND, car("2.3.r", 4), mud={3: 1}, draws=LUCKY),
        done=lambda driven: seen.reached(driven, "3.3") and seen.in_control(driven),
    ),
    Scene(
        name="bump",
        title=gettext_lazy("Jump over a bump"),
        goal=gettext_lazy(
            "The bump has the number 5. Drive onto it in gear 5: the car jumps one space farther for nothing."
        ),
        learned=gettext_lazy(
            "Slower than its number nothing happens. One gear faster it jumps two spaces, but one warning costs the"
            " control; two gears faster it is lost."
        ),
        rules=("M3",),
        opening=on(BUMP, car("2.1.l", 4), draws=LUCKY),
        done=lambda driven: seen.jumped(driven) and seen.in_control(driven),
    ),
    Scene(
        name="water",
        title=gettext_lazy("Through water"),
        goal=gettext_lazy("Drive through the water. Only a coast die goes in, or gear 1 without a brake."),
        learned=gettext_lazy("Keep a coast die for water, in any gear. Without one you stop in front of it."),
        rules=("M4",),
        opening=on(FORD, car("2.1.l", 3), draws=LUCKY),
        done=lambda driven: seen.reached(driven, "2.4", "3.1") and seen.in_control(driven),
    ),
    Scene(
        name="passing",
        title=gettext_lazy("Pass a car"),
        goal=gettext_lazy("The car ahead is in gear 4. Come alongside in gear 4 or higher, and go past it."),
        learned=gettext_lazy(
            "A space holds one car, and nobody drives through one. To come alongside you need at least its gear."
        ),
        rules=("M6", "M7"),
        opening=on(STRAIGHT, car("2.1.l", 3), car("2.2.l", 4), queue=("1",), draws=LUCKY),
        done=lambda driven: seen.reached(driven, "2.3") and seen.in_control(driven),
    ),
    Scene(
        name="following",
        title=gettext_lazy("Follow in a bend"),
        goal=gettext_lazy("The car ahead drifts through the bend. Take the same path and come right behind it."),
        learned=gettext_lazy("While a car is in a bend or slides, others take its path there and stay behind it."),
        rules=("M8",),
        opening=on(BEND, car("3.1.l", 3), car("3.2.o3", 3), queue=("1",), draws=LUCKY),
        done=lambda driven: seen.onto(driven, "o2") and seen.in_control(driven),
    ),
    Scene(
        name="blocked",
        title=gettext_lazy("Blocked"),
        goal=gettext_lazy(
            "You are in gear 4 behind two cars in gear 6, side by side. No move is legal. What does the turn cost?"
        ),
        learned=gettext_lazy(
            "A blocked car keeps its gear and its place, and pays the time card of the gear: here 20 s."
        ),
        rules=("M9",),
        opening=on(STRAIGHT, car("2.1.l", 4), car("2.2.l", 6), car("2.2.r", 6), queue=("1",)),
        done=lambda driven: driven.answer == "card",
        answers=(
            ("nothing", gettext_lazy("Nothing: I could not move")),
            ("card", gettext_lazy("The time card of gear 4")),
            ("loss", gettext_lazy("60 s, as for a loss of control")),
        ),
    ),
    Scene(
        name="damage",
        title=gettext_lazy("Drive with damage"),
        goal=gettext_lazy(
            "One gear die and both coast dice are broken. Five gear dice are left: choose them so that you end in gear"
            " 5 or higher."
        ),
        learned=gettext_lazy(
            "Each marker takes a die of its kind away from the next turn on. Which gear dice you leave out, you choose"
            " move by move."
        ),
        rules=("D2", "E5"),
        opening=on(STRAIGHT, car("1.3.l", 2, damage={"gear": 1, "coast": 2}), draws=LUCKY),
        done=lambda driven: seen.ended_in_gear(driven, 5),
    ),
    Scene(
        name="spare-wheel",
        title=gettext_lazy("The spare wheel"),
        goal=gettext_lazy(
            "Both coast dice are broken. End this turn in gear 1 and take the spare wheel: it repairs one."
        ),
        learned=gettext_lazy(
            "It costs its card instead of the time card, once between two services, and the car waits beside the road"
            " in gear 0. On a long stage a die can be worth it."
        ),
        rules=("E4",),
        opening=on(STRAIGHT, car("2.1.l", 2, damage={"coast": 2}), draws=LUCKY),
        done=lambda driven: bool(driven.of_kind("spare")),
    ),
    Scene(
        name="leader-dice",
        title=gettext_lazy("Leader dice"),
        goal=gettext_lazy(
            "You lead, so your coast dice are leader dice with two warnings. End in gear 4 or higher without one."
        ),
        learned=gettext_lazy(
            "Who opens the round rolls leader dice instead of coast dice, until somebody has finished."
        ),
        rules=("D6", "O1"),
        opening=on(STRAIGHT, car("2.1.l", 2), car("1.2.l", 2), draws=LUCKY),
        done=lambda driven: (
            bool(seen.plan_of(driven)) and "c" not in seen.dice_laid(driven) and seen.ended_in_gear(driven, 4)
        ),
    ),
    Scene(
        name="order",
        title=gettext_lazy("Who plays first"),
        goal=gettext_lazy("Car 2 is two spaces ahead of you in gear 2. You are in gear 5. Who opens the next round?"),
        learned=gettext_lazy(
            "The car that is farthest, whatever its gear. On the same row the higher gear comes first. In each round"
            " one more car starts, behind all that are on the road."
        ),
        rules=("O1", "O2"),
        opening=on(STRAIGHT, car("2.1.l", 5), car("2.3.l", 2)),
        done=lambda driven: driven.answer == "far",
        answers=(
            ("gear", gettext_lazy("I do: my gear is higher")),
            ("far", gettext_lazy("Car 2: it is farther")),
            ("number", gettext_lazy("Car 1: its number is lower")),
        ),
    ),
    Scene(
        name="flying-start",
        title=gettext_lazy("The flying start"),
        goal=gettext_lazy(
            "With this option a car in gear 0 may begin in gear 2. Start with gear 2, and end in gear 3 or higher."
        ),
        learned=gettext_lazy("If that first die shows a warning, the turn ends at once: one space on, in gear 2."),
        rules=("D7",),
        opening=on(STRAIGHT, {}, flying_start=True, draws=LUCKY),
        done=lambda driven: seen.dice_laid(driven)[:1] == ["2"] and seen.ended_in_gear(driven, 3),
    ),
    Scene(
        name="redline",
        title=gettext_lazy("Redline"),
        goal=gettext_lazy(
            "With this option the brake die may keep gear 6. Lay it so, after both coast dice, and stay in gear 6."
        ),
        learned=gettext_lazy("It stays a brake die: two warning faces, used up, and no second for it."),
        rules=("D8",),
        opening=on(STRAIGHT, car("2.1.l", 6), redline=True, draws=LUCKY),
        done=lambda driven: "x" in seen.dice_laid(driven) and seen.ended_in_gear(driven, 6),
    ),
    Scene(
        name="finish",
        title=gettext_lazy("Over the line"),
        goal=gettext_lazy("Drive over the finish line, and be in gear 5 or 6 on the first space behind it."),
        learned=gettext_lazy(
            "The last card is that of the gear in which you cross. On the last stage a loss of control on that space"
            " costs nothing more: dare it."
        ),
        rules=("F1", "F2"),
        opening=on(STRAIGHT, car("4.2.l", 4), draws=LUCKY),
        done=lambda driven: bool(driven.of_kind("finish")) and seen.last_gear(driven) >= 5,
    ),
    Scene(
        name="service",
        title=gettext_lazy("Service"),
        goal=gettext_lazy(
            "Gear 1, one coast die is broken, the line is near, and service follows. Is the spare wheel worth its 120"
            " s?"
        ),
        learned=gettext_lazy(
            "Service repairs everything and gives the wheel back. Without service the damage stays, and an unused wheel"
            " repairs one marker between the stages at no cost."
        ),
        rules=("F3",),
        opening=on(STRAIGHT, car("5.1.l", 1, damage={"coast": 1}), service=True),
        done=lambda driven: driven.answer == "no",
        answers=(
            ("yes", gettext_lazy("Yes: the die is whole for the last spaces")),
            ("no", gettext_lazy("No: service repairs it for nothing")),
        ),
    ),
    Scene(
        name="time-control",
        title=gettext_lazy("Time control"),
        goal=gettext_lazy(
            "You lead by 4 s, and the leader starts first and rolls leader dice. At the time control you may take"
            " penalties of 5 s. How many make you start second?"
        ),
        learned=gettext_lazy(
            "The next stage starts in the order of the total times. A penalty counts in them, and in the result too: 5"
            " s against the leader dice of a stage. Nobody sees it until all have chosen."
        ),
        rules=("F4", "F5"),
        opening=on(STRAIGHT, {}, {}),
        done=lambda driven: driven.answer == "one",
        answers=(
            ("none", gettext_lazy("None: the order is drawn")),
            ("one", gettext_lazy("One: 5 s put me 1 s behind")),
            ("two", gettext_lazy("Two: 10 s")),
        ),
    ),
)

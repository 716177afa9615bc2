"""The first scenes: how one wins, the plan, the dice, bends, and going flat out."""

from __future__ import annotations

from django.utils.translation import gettext_lazy

from championship.games.dirt.school import seen
from championship.games.dirt.school.openings import BEND, CALM, STRAIGHT, WARNING, WIDE_BEND, car, on
from championship.runs.watch.scenes import Scene

LUCKY = (CALM,) * 12

SCENES: tuple[Scene, ...] = (
    Scene(
        name="win",
        title=gettext_lazy("How one wins"),
        goal=gettext_lazy(
            "The fewest seconds win. A turn costs the time card of the gear in which it ends: 50 s in gear 1, 10 s in"
            " gear 6. Tap lit spaces, one die for each: the numbers are the gears that fit. End in gear 5 or 6."
        ),
        learned=gettext_lazy(
            "So go far, and end turns in a high gear. The stage time is the sum of all cards, less the second tokens;"
            " the rally is won by the lowest sum of its stages."
        ),
        rules=("E1", "F2", "F5"),
        opening=on(STRAIGHT, car("1.2.l", 2), draws=LUCKY),
        done=lambda driven: seen.ended_in_gear(driven, 5),
    ),
    Scene(
        name="plan",
        title=gettext_lazy("Lay a plan"),
        goal=gettext_lazy(
            "Your car is on the grid in gear 0. Lay gear 1, then 2, then 3, each one space on, and roll."
        ),
        learned=gettext_lazy(
            "One die for each space. A gear die shifts one gear up or down, or keeps the gear. Until you roll, all can"
            " be taken back. Who can move must move."
        ),
        rules=("T1", "T2", "T3", "D3", "D4", "D9"),
        opening=on(STRAIGHT, {}, draws=LUCKY),
        done=lambda driven: seen.dice_laid(driven)[:3] == ["1", "2", "3"] and bool(seen.spaces(driven)),
    ),
    Scene(
        name="one-by-one",
        title=gettext_lazy("Roll one by one"),
        goal=gettext_lazy("Lay four dice or more and roll one by one. Stop when two warnings lie on the table."),
        learned=gettext_lazy(
            "The third warning costs the control. Gears 1 and 2 and the coast die have one warning face, gears 3 to 6"
            " and the brake die two."
        ),
        rules=("D1", "R1", "R2"),
        opening=on(STRAIGHT, car("2.1.l", 3), draws=(WARNING,) * 9),
        done=lambda driven: seen.in_control(driven) and len(seen.spaces(driven)) == 2,
    ),
    Scene(
        name="coast",
        title=gettext_lazy("Coast"),
        goal=gettext_lazy("You are in gear 6. Lay both coast dice: they keep the gear. End the turn in gear 6."),
        learned=gettext_lazy("A coast die keeps any gear above 0, so a fast car stays fast for two spaces more."),
        rules=("D6",),
        opening=on(STRAIGHT, car("2.1.l", 6), draws=LUCKY),
        done=lambda driven: seen.dice_laid(driven).count("c") == 2 and seen.ended_in_gear(driven, 6),
    ),
    Scene(
        name="brake",
        title=gettext_lazy("Brake"),
        goal=gettext_lazy(
            "Gear 5, and a bend comes. Lay the brake die with a gear die and drive onto the bend in control."
        ),
        learned=gettext_lazy(
            "Each brake die lets the gear fall by one more. It has two warning faces and earns no second."
        ),
        rules=("D5",),
        opening=on(BEND, car("2.4.r", 5), draws=LUCKY),
        done=lambda driven: seen.braked(driven) and seen.onto(driven, "i", "o") and seen.in_control(driven),
    ),
    Scene(
        name="bend",
        title=gettext_lazy("Take a bend"),
        goal=gettext_lazy("Drive through the bend and out of it. The number is its highest gear: 2 inside, 3 outside."),
        learned=gettext_lazy(
            "A higher gear is legal, but the control is lost on that very space, and the plan ends there."
        ),
        rules=("M1",),
        opening=on(BEND, car("2.4.r", 3), draws=LUCKY),
        done=lambda driven: seen.reached(driven, "3.3") and seen.in_control(driven),
    ),
    Scene(
        name="slide",
        title=gettext_lazy("Slide"),
        goal=gettext_lazy(
            "Gear 4 is too much for this bend. Take both halves of the slide to fall to gear 2, and enter it."
        ),
        learned=gettext_lazy("A slide takes two moves where a lane takes one: room to shift down in front of a bend."),
        rules=("T3", "T5"),
        opening=on(BEND, car("2.4.r", 4), draws=LUCKY),
        done=lambda driven: seen.onto(driven, "s2") and seen.onto(driven, "i", "o") and seen.in_control(driven),
    ),
    Scene(
        name="drift",
        title=gettext_lazy("Drift"),
        goal=gettext_lazy("Go around the outside of the bend, space by space, in gear 4, and out of it."),
        learned=gettext_lazy(
            "The cut inside takes one die but a low gear. The drift takes more dice, and you leave the bend faster."
        ),
        rules=("T3", "M1"),
        opening=on(WIDE_BEND, car("3.1.l", 4), draws=LUCKY),
        done=lambda driven: seen.onto(driven, "o3") and seen.reached(driven, "3.3", "4.1") and seen.in_control(driven),
    ),
    Scene(
        name="flat-out",
        title=gettext_lazy("Go flat out"),
        goal=gettext_lazy("Lay a plan that you trust and choose “Flat out”: all dice are thrown at once."),
        learned=gettext_lazy(
            "Each gear and coast die earns a second token, whatever it shows. With fewer than three warnings you drive"
            " the whole plan."
        ),
        rules=("R4", "R5"),
        opening=on(STRAIGHT, car("1.3.l", 3), draws=LUCKY),
        done=lambda driven: bool(driven.of_kind("roll all")) and seen.in_control(driven),
    ),
    Scene(
        name="secure",
        title=gettext_lazy("Pay with tokens"),
        goal=gettext_lazy("Two warnings, and the next die is gear 5. Secure it with a second token, do not roll it."),
        learned=gettext_lazy(
            "The first secured die of a turn costs one token, the second two. A secured die shows no warning, but it"
            " does not help against a bend."
        ),
        rules=("R3",),
        opening=on(
            STRAIGHT,
            car("1.2.l", 2, tokens=5),
            begun=[
                {"do": "lay", "plan": "3:1.3.l 4:2.1.l 5:2.2.l", "roll": "one by one"},
                {"do": "roll"},
                {"do": "roll"},
            ],
            dice="!!",
            draws=(WARNING,) * 3,
        ),
        done=lambda driven: bool(driven.of_kind("secure")) and seen.ended_in_gear(driven, 5),
    ),
    Scene(
        name="loss",
        title=gettext_lazy("Lose control, on purpose"),
        goal=gettext_lazy("Here it costs nothing: drive onto the bend in a gear above its number, and see the card."),
        learned=gettext_lazy(
            "The top card of your gear's deck is turned. A spin: the car stays, gear 0. A crash: beside the road, gear"
            " 0, with damage. SISU: you get away with it."
        ),
        rules=("E2", "E3"),
        opening=on(BEND, car("2.4.r", 4, sisu=False)),
        done=lambda driven: bool(driven.of_kind("loss", rule="M1")),
    ),
    Scene(
        name="lay-again",
        title=gettext_lazy("Lay the dice again"),
        goal=gettext_lazy(
            "Flat out, three warnings. Lay the dice again: you lose control on the last one, so go as far as you can."
        ),
        learned=gettext_lazy(
            "After a lost flat out you make a new plan of the same dice. The loss comes anyhow: choose where the car"
            " stands then, and keep the tokens."
        ),
        rules=("R6",),
        opening=on(
            STRAIGHT,
            car("2.1.l", 3, sisu=False),
            begun=[{"do": "lay", "plan": "4:2.2.l 5:2.3.l 6:2.4.l c:3.1.l", "roll": "flat out"}],
            dice="!!.!",
        ),
        done=lambda driven: bool(driven.of_kind("relay")) and seen.reached(driven, "3.1"),
    ),
    Scene(
        name="sisu",
        title=gettext_lazy("The SISU token"),
        goal=gettext_lazy("The third warning has fallen. Play your SISU token, and keep the control."),
        learned=gettext_lazy(
            "SISU cancels all warnings of one turn. It does not help against a bend that is too fast. Keep it for a"
            " loss in a high gear."
        ),
        rules=("R7",),
        opening=on(
            STRAIGHT,
            car("2.1.l", 3),
            begun=[
                {"do": "lay", "plan": "4:2.2.l 5:2.3.l 6:2.4.l", "roll": "one by one"},
                {"do": "roll"},
                {"do": "roll"},
                {"do": "roll"},
            ],
            dice="!!!",
        ),
        done=lambda driven: bool(driven.of_kind("sisu")),
    ),
)

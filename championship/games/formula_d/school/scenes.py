"""The scenes: how one wins, gears and paths, corners, other cars, the pits, and what the options bring.

`highest_gear` in a scene: the highest gear that it lets one choose. A higher one is no better answer to it.
"""

from __future__ import annotations

from django.utils.translation import gettext_lazy

from championship.games.formula_d.school import seen
from championship.games.formula_d.school.openings import black, on, shows
from championship.runs.watch.scenes import Scene

FOURTH = [{"do": "gear", "gear": 4}]

SCENES: tuple[Scene, ...] = (
    Scene(
        name="win",
        title=gettext_lazy("How one wins"),
        goal=gettext_lazy(
            "Who crosses the line first wins. It is six spaces ahead, on the last lap: choose the gear that surely"
            " crosses it this turn."
        ),
        learned=gettext_lazy(
            "Places give points: 1000, 720, 600 and so on. What is left of the car counts for nothing, so use it up on"
            " the last lap."
        ),
        rules=("F4", "F5", "R1", "R3", "M5"),
        opening=on({"space": "S7.2.9", "gear": 3, "lap": 1}, {"space": "S7.1.6", "gear": 2, "lap": 1}, draws=(0,)),
        done=lambda driven: seen.has(driven, "finish", place=1),
    ),
    Scene(
        name="gear",
        title=gettext_lazy("Choose a gear, roll its die"),
        goal=gettext_lazy("The road is free. Shift one gear up, to the fourth, roll, and drive."),
        learned=gettext_lazy(
            "Each gear has a die of its own: the third shows 4 to 8 spaces, the fourth 7 to 12, the fifth 11 to 20. One"
            " gear up in a turn, not more."
        ),
        rules=("A1", "G1", "G2"),
        opening=on({"space": "S1.2.0", "gear": 3, "lap": 1}, draws=(shows(4, 9),)),
        done=lambda driven: seen.gear(driven) == 4 and seen.has(driven, "step"),
    ),
    Scene(
        name="path",
        title=gettext_lazy("Choose where it ends"),
        goal=gettext_lazy("The die shows 9. Tap a marked space in the right-hand lane, and drive there."),
        learned=gettext_lazy(
            "You drive the whole number, but choose the path: the shortest on a straight, any arrows in a corner. No"
            " path leads through a car."
        ),
        rules=("F1", "F2", "F3", "M1", "M2", "M3", "M4", "M6"),
        opening=on(
            {"space": "S2.2.0", "gear": 3, "lap": 1},
            {"space": "S2.2.5", "gear": 2, "lap": 1},
            draws=(shows(4, 9),),
            begun=FOURTH,
        ),
        done=lambda driven: seen.ended_on(driven, 3),
    ),
    Scene(
        name="stop",
        title=gettext_lazy("Stop in a corner"),
        goal=gettext_lazy(
            "The corner asks for one stop: a turn that ends in it. Choose the gear whose die brings you there."
        ),
        learned=gettext_lazy(
            "A corner asks for one to three stops. When they are made you may leave it. The bars show the chances of"
            " each gear before you roll."
        ),
        rules=("F6", "C1", "C2"),
        opening=on({"space": "S2.2.12", "gear": 4, "lap": 1}, draws=(shows(4, 8),)),
        done=lambda driven: seen.stops(driven) == 1,
    ),
    Scene(
        name="two-stops",
        title=gettext_lazy("A corner with two stops"),
        goal=gettext_lazy(
            "One stop is made, this corner asks for two, and your tyres are worn. End this turn in it as well: do not"
            " shift up."
        ),
        learned=gettext_lazy("Brake early, drive the long corner in a low gear, and leave it from its last spaces."),
        rules=("C1", "C4"),
        opening=on({"space": "C1.2.2", "gear": 3, "lap": 1, "stops": 1, "wp": {"tires": 2}}, draws=(-1,)),
        done=lambda driven: seen.stops(driven) == 2,
    ),
    Scene(
        name="shift-down",
        title=gettext_lazy("Shift down"),
        goal=gettext_lazy(
            "Fifth gear, three spaces in front of a corner. Skip a gear down to the third, and stop in the corner."
        ),
        learned=gettext_lazy(
            "One gear down is free. One skipped gear costs a gearbox point, two also a brake, three also an engine"
            " point; more is not possible."
        ),
        rules=("G3", "G4", "G5"),
        opening=on({"space": "S2.2.14", "gear": 5, "lap": 1}, draws=(shows(3, 6),)),
        done=lambda driven: seen.gear(driven) == 3 and seen.stops(driven) == 1,
    ),
    Scene(
        name="brake",
        title=gettext_lazy("Brake"),
        goal=gettext_lazy(
            "The die shows 11, which is too far. Choose an end within the corner: each space left costs a brake."
        ),
        learned=gettext_lazy(
            "There are three brake points for the whole race. One spent at the right corner saves tyres, or a turn."
        ),
        rules=("B1", "Y2"),
        opening=on({"space": "S2.2.14", "gear": 4, "lap": 1}, draws=(shows(4, 11),), begun=FOURTH),
        done=lambda driven: seen.stops(driven) == 1 and seen.paid(driven, "brake") > 0,
    ),
    Scene(
        name="overshoot",
        title=gettext_lazy("Overshoot, on purpose"),
        goal=gettext_lazy("The die shows 11 again. This time leave the corner without its stop, and pay with tyres."),
        learned=gettext_lazy(
            "Each space behind the corner costs a tyre point, and you keep your lane. With two stops missing it is not"
            " possible. The turn makes no stop."
        ),
        rules=("C3", "C5", "C8"),
        opening=on({"space": "S2.2.14", "gear": 4, "lap": 1}, draws=(shows(4, 11),), begun=FOURTH),
        done=lambda driven: seen.has(driven, "overshoot") and not seen.has(driven, "spin"),
    ),
    Scene(
        name="spin",
        title=gettext_lazy("A spin"),
        goal=gettext_lazy("Two tyre points are left. Overshoot by exactly two, and see what the last one costs."),
        learned=gettext_lazy("The car spins: it has one tyre point then, and must go on in first gear."),
        rules=("C6", "C7"),
        opening=on({"space": "S2.2.14", "gear": 4, "lap": 1, "wp": {"tires": 2}}, draws=(shows(4, 11),), begun=FOURTH),
        done=lambda driven: seen.has(driven, "spin"),
    ),
    Scene(
        name="slipstream",
        title=gettext_lazy("Drive in a slipstream"),
        goal=gettext_lazy(
            "The die shows 7. End right behind the other car, both in fourth gear. Then go on in its slipstream."
        ),
        learned=gettext_lazy(
            "Three spaces for nothing, again and again as long as a car is ahead. Not after braking, not after"
            " overshooting; into a corner it costs a brake."
        ),
        rules=("S1", "S2", "S3", "S4", "S5", "S6"),
        opening=on(
            {"space": "S2.2.0", "gear": 4, "lap": 1},
            {"space": "S2.2.8", "gear": 4, "lap": 1},
            draws=(shows(4, 7), 19, 19, 19, 19),
            begun=FOURTH,
        ),
        done=lambda driven: seen.has(driven, "slip"),
    ),
    Scene(
        name="collision",
        title=gettext_lazy("Keep your distance"),
        goal=gettext_lazy(
            "End this turn where no car is beside you or right ahead: then no collision dice are rolled."
        ),
        learned=gettext_lazy(
            "For each car beside you or ahead of you both roll a d20: a 1 costs a body point and leaves a marker. In"
            " the wet 1 and 2."
        ),
        rules=("K1", "K2", "K4"),
        opening=on(
            {"space": "S2.2.0", "gear": 4, "lap": 1},
            {"space": "S2.2.8", "gear": 2, "lap": 1},
            draws=(shows(4, 7),),
            begun=FOURTH,
        ),
        done=lambda driven: seen.has(driven, "step") and not driven.of_kind("collision"),
    ),
    Scene(
        name="marker",
        title=gettext_lazy("Damage markers"),
        goal=gettext_lazy("Parts lie on the middle lane. Drive your seven spaces on a path without a marker."),
        learned=gettext_lazy(
            "For each marked space that you drive onto a d20 is rolled: 1 to 4 costs road holding, and of that there"
            " are two points only."
        ),
        rules=("D1", "D2", "D3"),
        opening=on(
            {"space": "S2.2.0", "gear": 4, "lap": 1}, draws=(shows(4, 7),), markers=("S2.2.1", "S2.2.7"), begun=FOURTH
        ),
        done=lambda driven: seen.has(driven, "step") and not seen.has(driven, "marker"),
    ),
    Scene(
        name="engine",
        title=gettext_lazy("Spare the engine"),
        goal=gettext_lazy(
            "One engine point is left. A 20 in fifth gear or a 30 in sixth strains it: choose a gear that cannot."
        ),
        learned=gettext_lazy(
            "Then all cars in fifth and sixth gear roll a d20: 1 to 4 costs an engine point. The last one is the end of"
            " the race."
        ),
        rules=("E1", "E2", "X2"),
        opening=on({"space": "S5.2.0", "gear": 5, "lap": 1, "wp": {"engine": 1}}, draws=(shows(4, 9),)),
        done=lambda driven: 0 < seen.gear(driven) < 5 and seen.has(driven, "step"),
        of_game={"highest_gear": 4},
    ),
    Scene(
        name="pit-lane",
        title=gettext_lazy("Into the pits"),
        goal=gettext_lazy("One tyre point is left and a lap to go. Drive into the pit lane, as far as your box."),
        learned=gettext_lazy(
            "Any gear will do, and your box stops the car for nothing. On the last lap nobody enters. Cars past the"
            " entry of the pits play before those in the pits, as new races propose; else the pits play last."
        ),
        rules=("P1", "P2", "P3", "O3"),
        opening=on(
            {"space": "S7.3.1", "gear": 3, "lap": 1, "wp": {"tires": 1}}, laps=2, draws=(shows(3, 7), shows(3, 8))
        ),
        done=lambda driven: seen.has(driven, "box"),
        turns=2,
        at_once=True,
    ),
    Scene(
        name="pit-stop",
        title=gettext_lazy("The stop in the box"),
        goal=gettext_lazy(
            "Drive into your box: all tyres are new, and a die says how long it takes. Then drive out again in this"
            " turn."
        ),
        learned=gettext_lazy(
            "A fast stop leads out in fourth gear, half of the die in spaces. After a slow one you leave in the next"
            " turn, in any gear up to the fourth."
        ),
        rules=("P6", "P7", "P8", "P9"),
        opening=on(
            {"space": "P.0.7", "gear": 3, "lap": 1, "wp": {"tires": 1}},
            laps=2,
            draws=(shows(3, 6), black(8)),
            begun=[{"do": "gear", "gear": 3}],
        ),
        done=lambda driven: seen.has(driven, "pit"),
    ),
    Scene(
        name="rain",
        title=gettext_lazy("It rains"),
        goal=gettext_lazy(
            "On a wet road hard tyres slide three spaces where a corner begins. Make the stop all the same."
        ),
        learned=gettext_lazy(
            "In the wet brake for the slide too. Collisions cost on 1 or 2, markers on 1 to 5. Wet tyres slide one"
            " space only."
        ),
        rules=("W1", "W6", "W7", "T2"),
        opening=on({"space": "S2.2.11", "gear": 3, "lap": 1}, weather="rain", draws=(-1,)),
        done=lambda driven: seen.stops(driven) == 1,
    ),
    Scene(
        name="weather",
        title=gettext_lazy("The weather changes"),
        goal=gettext_lazy("The race begins in changeable weather. When can it become rain?"),
        learned=gettext_lazy(
            "At the end of a round, one d20 for each 20 in fifth and 30 in sixth gear. Good weather and rain stay for"
            " the rest of the race."
        ),
        rules=("F7", "W3", "W4", "W5", "O4"),
        opening=on({"space": "S1.2.0", "gear": 3, "lap": 1}, weather="changeable"),
        done=lambda driven: driven.answer == "die",
        answers=(
            ("lap", gettext_lazy("At the end of each lap")),
            ("die", gettext_lazy("When a gear die has shown 20 or 30 in the round")),
            ("never", gettext_lazy("Never: it is fixed at the start")),
        ),
    ),
    Scene(
        name="tyres",
        title=gettext_lazy("Choose the tyres"),
        goal=gettext_lazy("It is dry, and the race has one lap. Which tyres give you a space more in every turn?"),
        learned=gettext_lazy(
            "Soft tyres do, as long as they are new; overshooting costs twice as much on them, later three times. Hard"
            " ones are the same for ever, wet ones are for rain."
        ),
        rules=("T1", "T4", "T5"),
        opening=on({"space": "S1.2.0", "gear": 3, "lap": 1}, tyres=True),
        done=lambda driven: driven.answer == "soft",
        answers=(
            ("hard", gettext_lazy("Hard tyres")),
            ("soft", gettext_lazy("Soft tyres")),
            ("wet", gettext_lazy("Wet tyres")),
        ),
    ),
    Scene(
        name="soft-tyres",
        title=gettext_lazy("One space more"),
        goal=gettext_lazy("Your soft tyres are new, and the die shows 9. Use their space: drive ten."),
        learned=gettext_lazy("The space is free, but it must be driven in full: that movement cannot be braked."),
        rules=("T3", "B5"),
        opening=on(
            {"space": "S5.2.0", "gear": 4, "lap": 1, "age": 0, "tyres": "soft"},
            tyres=True,
            draws=(shows(4, 9),),
            begun=FOURTH,
        ),
        done=lambda driven: seen.has(driven, "bonus"),
    ),
    Scene(
        name="nitro",
        title=gettext_lazy("Nitro"),
        goal=gettext_lazy("The die shows 9 in fourth gear. Use the nitro: drive four spaces more."),
        learned=gettext_lazy(
            "Once a lap, after the die, as many spaces as the gear. They must be driven in full, without braking."
        ),
        rules=("N1", "N2"),
        opening=on({"space": "S5.2.0", "gear": 4, "lap": 1}, nitro=True, draws=(shows(4, 9),), begun=FOURTH),
        done=lambda driven: seen.has(driven, "nitro"),
    ),
    Scene(
        name="start",
        title=gettext_lazy("The start roll"),
        goal=gettext_lazy(
            "Before the first gear die a d20 is rolled; this time it is a 20. Start, and drive all four spaces of it."
        ),
        learned=gettext_lazy(
            "A 20 is a great start: four spaces. With a 1 the engine stalls and the turn is over. The grid itself is"
            " rolled, or driven in qualifying."
        ),
        rules=("Y3", "Y4"),
        opening=on(
            {"space": "S7.1.10", "gear": 0}, {"space": "S7.2.9", "gear": 0}, start_roll=True, draws=(black(20),)
        ),
        done=lambda driven: seen.has(driven, "start", result="great") and len(seen.spaces(driven)) == 4,
    ),
    Scene(
        name="order",
        title=gettext_lazy("Who plays first"),
        goal=gettext_lazy(
            "Car 2 is ahead of you in second gear, car 3 is farthest of all, in its box. Who opens the next round?"
        ),
        learned=gettext_lazy(
            "The car that is farthest ahead on the track; of two side by side the higher gear. A car in the pits"
            " plays after those past the entry, and before those that may still come in."
        ),
        rules=("O1", "O2", "O3"),
        opening=on(
            {"space": "S7.2.4", "gear": 4, "lap": 1},
            {"space": "S7.2.8", "gear": 2, "lap": 1},
            {"space": "PITC1", "gear": 3, "lap": 1},
            laps=2,
        ),
        done=lambda driven: driven.answer == "2",
        answers=(
            ("1", gettext_lazy("I do: my gear is the highest")),
            ("2", gettext_lazy("Car 2, on the track")),
            ("3", gettext_lazy("Car 3, in the pits")),
        ),
    ),
    Scene(
        name="qualifying",
        title=gettext_lazy("Qualifying"),
        goal=gettext_lazy(
            "Each driver drives a lap alone; each turn costs a point, each overshot space one too. Who starts first?"
        ),
        learned=gettext_lazy(
            "The fewest points. Shifting costs nothing there, and there are no brakes. Who leaves a corner of two stops"
            " without any is not qualified."
        ),
        rules=("Q1", "Q2", "Q3", "Q4", "Q5", "Q7"),
        opening=on({"space": "S7.2.14", "gear": 0}),
        done=lambda driven: driven.answer == "few",
        answers=(
            ("few", gettext_lazy("The driver with the fewest points")),
            ("many", gettext_lazy("The driver with the most points")),
            ("entry", gettext_lazy("The driver who entered first")),
        ),
    ),
)

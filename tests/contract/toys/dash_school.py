"""A school of two scenes for Dash, on the plain pages: the machinery of scenes knows nothing of a game."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext_lazy

from championship.runs.watch.practice import Exercise
from championship.runs.watch.scenes import Driven, Opening, Scene
from tests.contract.toys import dash


def begun() -> Opening:
    """Two seats, of which the second has opened; two rolls are laid, of a 6 and a 1."""
    rules = dash.game()
    options = rules.clean_options({})
    state = rules.setup({}, [{"id": "1"}, {"id": "2"}], options)
    state = rules.apply(state, {"kind": "opens", "seat": "1"})
    return Opening({}, options, state, "1", ("1", "2"), draws=(5, 0))


SCENES: tuple[Scene, ...] = (
    Scene(
        name="bank",
        title=gettext_lazy("Bank in time"),
        goal=gettext_lazy("Roll once, and bank what is in the pot."),
        learned=gettext_lazy("A 1 empties the pot."),
        rules=("D3", "D4"),
        opening=begun,
        done=lambda driven: driven.state["seats"]["1"]["points"] > 0,
    ),
    Scene(
        name="turns",
        title=gettext_lazy("Two turns"),
        goal=gettext_lazy("Bank in two turns; the other seat plays between them."),
        learned=gettext_lazy("Seats play one after another."),
        rules=("D1",),
        opening=begun,
        done=lambda driven: len(driven.of_kind("banked", seat="1")) == 2,
        turns=2,
    ),
)
EXAM: Exercise | None = None
LEFT_OUT: Mapping[str, str] = {"D2 D5 D6": "nobody asks"}


def compared(scene: Scene, driven: Driven) -> str:
    """Return the points beside those of the codriver, who banks from a pot of eight."""
    return f"{driven.state['seats']['1']['points']} points; the codriver banks from {dash.ENOUGH}."

"""What a driver may lay now: a plan as far as it is legal, and the rule that the rest of it breaks."""

from __future__ import annotations

from dataclasses import dataclass

from engine.ruleset import Choices, RuleError, Ruleset, State

LAYING = ("plan", "relay")
"""Phases of a turn in which dice are laid."""


@dataclass(frozen=True, slots=True)
class Legal:
    """The legal part of a plan, what may be laid behind it, and the error of the first move that is not legal."""

    choices: Choices
    plan: str
    error: RuleError | None = None


def legal_part(rules: Ruleset, state: State, driver: str, plan: str) -> Legal:
    """A plan up to the move that breaks a rule; empty in phases in which nothing is laid, and where the driver must
    stand. Errors: RuleError when it is not this driver's turn.
    """
    moves = plan.split()
    first: RuleError | None = None
    while True:
        try:
            choices = rules.choices(state, driver, " ".join(moves))
        except RuleError as error:
            if not moves:
                raise
            first = first or error
            moves = moves[: (error.move or 1) - 1]
            continue
        if choices.phase not in LAYING:
            return Legal(choices, "")
        if choices.forced and moves:
            return Legal(choices, "", RuleError(choices.forced, choices.why, move=1))
        return Legal(choices, " ".join(moves), first)

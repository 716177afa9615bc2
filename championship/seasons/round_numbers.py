"""Change the numbers of rounds. No two rounds of a championship may have the same number at any time."""

from __future__ import annotations

from collections.abc import Sequence

from championship.rallies.models import Rally
from championship.seasons.models import Championship, Round

ASIDE = 1000
"""Added to the numbers of rounds in the first of two steps."""


def save_numbers(rounds: Sequence[Round], *fields: str) -> None:
    """Write the numbers of these rounds, and other `fields`. Two queries. The championship must be locked."""
    numbers = [each.number for each in rounds]
    for each in rounds:
        each.number += ASIDE
    Round.objects.bulk_update(rounds, ["number", *fields])
    for each, number in zip(rounds, numbers, strict=True):
        each.number = number
    Round.objects.bulk_update(rounds, ["number"])


def renumber_rounds(championship: Championship, *, first: Round | None = None) -> None:
    """Number the rounds from 1 without gaps, in their present order. `first`: a round that was driven before the coming
    rounds; it is put in front of the first round that has not begun. The championship must be locked.
    """
    rounds = list(championship.rounds.select_related("rally").order_by("number"))
    if first is not None:
        rest = [each for each in rounds if each.pk != first.pk]
        begun = (Rally.Status.RUNNING, Rally.Status.FINISHED)
        at = next((at for at, each in enumerate(rest) if each.rally.status not in begun), len(rest))
        rounds = [*rest[:at], next(each for each in rounds if each.pk == first.pk), *rest[at:]]
    if [each.number for each in rounds] == list(range(1, len(rounds) + 1)):
        return
    for number, each in enumerate(rounds, 1):
        each.number = number
    save_numbers(rounds)

"""Everything that a step which draws can come to, with exact chances: nothing is drawn here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from engine.dust import stepping, steps
from engine.dust.step_context import Turn


class _Led:
    """Chance that comes up as a script says, and then with the first face; keeps what was asked for."""

    def __init__(self, script: Sequence[int]) -> None:
        self.script = script
        self.asked: list[Sequence[str]] = []

    def place(self, who: str, round_: int, kind: str, number: int, faces: Sequence[str]) -> int:
        self.asked.append(faces)
        return self.script[len(self.asked) - 1] if len(self.asked) <= len(self.script) else 0


def outcomes(turn: Turn, step: str, most: Sequence[int] = ()) -> Iterator[tuple[Fraction, Turn]]:
    """Return each way in which a step can end, and its chance. Equal faces are taken together.

    `most` limits how many faces of the first, second, ... draw are followed, the last number for all further draws;
    those that stand for others have their chance too. Without it the chances are exact.

    Raises:
        RuleError: the step is refused.
    """
    yield from _outcomes(turn, step, most, (), Fraction(1))


def _outcomes(
    turn: Turn, step: str, most: Sequence[int], script: tuple[int, ...], chance: Fraction
) -> Iterator[tuple[Fraction, Turn]]:
    tried = turn.fork()
    led = _Led(script)
    tried.draws, tried.drawn = led, []
    stepping.act(tried, *steps.read(step))
    if len(led.asked) == len(script):
        tried.draws = None
        yield chance, tried
        return
    faces = list(led.asked[len(script)])
    counts = sorted(Counter(faces).items())
    if most:
        counts = _fewer(counts, most[min(len(script), len(most) - 1)])
    for face, count in counts:
        yield from _outcomes(turn, step, most, (*script, faces.index(face)), chance * Fraction(count, len(faces)))


def _fewer(counts: list[tuple[str, int]], most: int) -> list[tuple[str, int]]:
    """Faces from all over the list, each standing for its neighbours too."""
    if len(counts) <= most:
        return counts
    cuts = [len(counts) * place // most for place in range(most + 1)]
    groups = [counts[begin:end] for begin, end in pairwise(cuts)]
    return [(group[len(group) // 2][0], sum(count for _, count in group)) for group in groups]

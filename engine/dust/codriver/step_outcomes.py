"""All possible outcomes of a step that draws, with their chances. Nothing is drawn here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from engine.dust.turn import stepping, steps
from engine.dust.turn.step_context import Turn


class _ScriptedDraws:
    """Draws that follow a script, and then give the first face. The faces of each draw are recorded in `asked`."""

    def __init__(self, script: Sequence[int]) -> None:
        self.script = script
        self.asked: list[Sequence[str]] = []

    def draw_index(self, who: str, round_: int, kind: str, number: int, faces: Sequence[str]) -> int:
        self.asked.append(faces)
        return self.script[len(self.asked) - 1] if len(self.asked) <= len(self.script) else 0


def outcomes(turn: Turn, step: str, most: Sequence[int] = ()) -> Iterator[tuple[Fraction, Turn]]:
    """Yield each outcome of a step with its chance. Equal faces are combined.

    `most` limits how many faces of the first, second, ... draw are followed; its last number is for all further draws.
    A face that is followed gets the chances of the faces that it represents. Without `most` the chances are exact.

    Raises: RuleError when the step is refused.
    """
    yield from _outcomes(turn, step, most, (), Fraction(1))


def _outcomes(
    turn: Turn, step: str, most: Sequence[int], script: tuple[int, ...], chance: Fraction
) -> Iterator[tuple[Fraction, Turn]]:
    tried = turn.fork()
    scripted = _ScriptedDraws(script)
    tried.draws, tried.draw_log = scripted, []
    stepping.act(tried, *steps.read(step))
    tried.draws = None
    if len(scripted.asked) == len(script):
        yield chance, tried
        return
    faces = list(scripted.asked[len(script)])
    counts = sorted(Counter(faces).items())
    if most:
        counts = _fewer(counts, most[min(len(script), len(most) - 1)])
    last = len(scripted.asked) == len(script) + 1
    for face, count in counts:
        place = faces.index(face)
        now = _times((chance.numerator, chance.denominator), count, len(faces))
        if last and not place:
            yield now, tried
            continue
        yield from _outcomes(turn, step, most, (*script, place), now)


def mean(worths: Iterable[tuple[Fraction, int]]) -> int:
    """Return the mean of values with their chances, rounded. Values of the same denominator are added as integers."""
    sums: dict[int, int] = {}
    for chance, worth in worths:
        of = chance.denominator
        sums[of] = sums.get(of, 0) + chance.numerator * worth
    return round(sum((Fraction(total, of) for of, total in sums.items()), Fraction(0)))


@lru_cache(maxsize=4096)
def _times(before: tuple[int, int], count: int, of: int) -> Fraction:
    return Fraction(*before) * Fraction(count, of)


def _fewer(counts: list[tuple[str, int]], most: int) -> list[tuple[str, int]]:
    """Return at most `most` faces, spread over the list. Each gets the counts of its neighbours too."""
    if len(counts) <= most:
        return counts
    cuts = [len(counts) * place // most for place in range(most + 1)]
    groups = [counts[begin:end] for begin, end in pairwise(cuts)]
    return [(group[len(group) // 2][0], sum(count for _, count in group)) for group in groups]

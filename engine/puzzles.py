"""Which turns are worth asking as a puzzle, for any game with the capability `Puzzles`."""

from __future__ import annotations

from engine.contract.puzzles import Question, Scale


def loss(question: Question, value: int, scale: Scale) -> int:
    """Return what a way of that value gives up against the best one, in hundredths; 0 for one that is better."""
    worse = 1 if scale.measure.better == "fewest" else -1
    return max(0, (value - question.best.value) * worse)


def margin(question: Question, scale: Scale) -> int:
    """Return what the second way gives up, in hundredths; 0 where there is none."""
    return 0 if question.second is None else loss(question, question.second.value, scale)


def is_puzzle(question: Question, scale: Scale) -> bool:
    """Return whether a turn is a puzzle: there is a choice, the best way beats every other one by a stated share of the
    expected result, and a driver who looks no further than this turn gives up enough.
    """
    if question.second is None or question.obvious is None or question.ways < scale.ways:
        return False
    least = max(scale.least, abs(question.best.value) * scale.share // 1000)
    obvious = loss(question, question.obvious.value, scale)
    return min(margin(question, scale), obvious) >= least and obvious >= scale.obvious


def is_solved(question: Question, value: int, scale: Scale) -> bool:
    """Return whether an answer of that value solves a puzzle: it gives up less than half of what the second way does,
    or as good as nothing.
    """
    given_up = loss(question, value, scale)
    return given_up <= scale.equal or given_up * 2 < margin(question, scale)

"""What a season file may not say although each value of it can be read: it would give a wrong total without a word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from championship.seasons.scoring.document_nodes import SeasonFileError, meant
from championship.seasons.scoring.values import SeasonRound, SeasonScheme


def refuse_repetitions(scheme: SeasonScheme) -> None:
    """Refuse what a stored scheme may have, and a file may not: a division or a tie-break twice, and a round in two
    parts.

    Raises: SeasonFileError with the path of the second one.
    """
    names = scheme.divisions.names if scheme.divisions else ()
    if twice := [at for at, name in enumerate(names) if name in names[:at]]:
        raise SeasonFileError(f"scheme.divisions.names[{twice[0]}]", "each division once")
    ties_said = scheme.tie_breaks
    if twice := [at for at, name in enumerate(ties_said) if name in ties_said[:at]]:
        raise SeasonFileError(f"scheme.tie_breaks[{twice[0]}]", "each tie-break once")
    parts = sorted(enumerate(scheme.drops.parts), key=lambda pair: pair[1].first)
    for (_at, before), (at, part) in pairwise(parts):
        if part.first <= before.last:
            raise SeasonFileError(f"scheme.drops.parts[{at}].rounds", f"round {part.first} is in another part already")


def refuse_contradictions(scheme: SeasonScheme, rounds: Sequence[SeasonRound]) -> None:
    """Refuse rounds that are there twice, more jokers than the scheme allows, and divisions that are misspelt.

    Raises: SeasonFileError with the path of the value that is wrong.
    """
    _refuse_copies(rounds)
    _refuse_more_jokers(scheme, rounds)
    _refuse_misspelt_divisions(scheme, rounds)


def _refuse_copies(rounds: Sequence[SeasonRound]) -> None:
    """Refuse a round that is there twice: of one name, with the same results in every detail.

    Raises: SeasonFileError with the path of the second one.
    """
    known: dict[SeasonRound, int] = {}
    for each in rounds:
        if each.name == f"{each.number}" or not each.results:
            continue
        first = each.results[0].car
        plain = replace(
            each, number=0, results=tuple(replace(result, car=result.car - first) for result in each.results)
        )
        at = known.setdefault(plain, each.number)
        if at != each.number:
            why = f"this is rounds[{at - 1}] once more: remove one, or give them two names if both were driven"
            raise SeasonFileError(f"rounds[{each.number - 1}]", why)


def _refuse_more_jokers(scheme: SeasonScheme, rounds: Sequence[SeasonRound]) -> None:
    """Refuse more nominated rounds of a driver than the scheme allows, where such a round counts more than others.

    Raises: SeasonFileError with the path of the first round that is too much.
    """
    played: Counter[str] = Counter()
    for each in rounds if scheme.joker != 1 else ():
        here = {result.driver for result in each.results if result.nominated}
        played.update(here)
        for driver in sorted(here):
            if played[driver] > scheme.nominated:
                why = f"{driver} has nominated more rounds than the scheme allows: {scheme.nominated}"
                raise SeasonFileError(f"rounds[{each.number - 1}].results", why)


def _refuse_misspelt_divisions(scheme: SeasonScheme, rounds: Sequence[SeasonRound]) -> None:
    """Refuse a division in which nobody drives, where results have a class of nearly that name that is none.

    Raises: SeasonFileError with the path of its name.
    """
    names = scheme.divisions.names if scheme.divisions else ()
    driven = {result.car_class for each in rounds for result in each.results}
    for at, name in enumerate(names):
        question = meant(name, driven - {*names, ""})
        if question and name not in driven and name not in scheme.classes:
            raise SeasonFileError(f"scheme.divisions.names[{at}]", f"no result has this class{question}")

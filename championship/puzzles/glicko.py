"""Glicko-2 for one game at a time: a person against a puzzle. From Mark Glickman's description of the system (2022),
whose worked example is a test.

Our own code, since no kept library was found: `glicko2` on PyPI had its last release in January 2024, `pyglicko2` is an
alpha of the same year, and `skelo` needs scikit-learn.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log, pi, sqrt
from typing import NamedTuple

SCALE = 173.7178
START, DEVIATION, VOLATILITY = 1500.0, 350.0, 0.06
TAU = 0.5
"""How much a volatility may change."""
PRECISION = 1e-6


class Rating(NamedTuple):
    """A rating, its deviation, and its volatility."""

    rating: float = START
    deviation: float = DEVIATION
    volatility: float = VOLATILITY


def after(own: Rating, games: Sequence[tuple[Rating, float]]) -> Rating:
    """Return a rating after games, each against a rating with a score from 0 to 1."""
    mu, phi = (own.rating - START) / SCALE, own.deviation / SCALE
    weights = []
    for other, score in games:
        g = 1 / sqrt(1 + 3 * (other.deviation / SCALE) ** 2 / pi**2)
        expected = 1 / (1 + exp(-g * (mu - (other.rating - START) / SCALE)))
        weights.append((g, expected, score))
    variance = 1 / sum(g * g * expected * (1 - expected) for g, expected, _score in weights)
    gain = sum(g * (score - expected) for g, expected, score in weights)
    volatility = _volatility(phi, own.volatility, variance, variance * gain)
    before = sqrt(phi * phi + volatility * volatility)
    now = 1 / sqrt(1 / before**2 + 1 / variance)
    return Rating(START + SCALE * (mu + now * now * gain), SCALE * now, volatility)


def _volatility(phi: float, sigma: float, variance: float, delta: float) -> float:
    """Return the new volatility: the root of the equation of step 5, by the Illinois method."""
    start = log(sigma * sigma)

    def f(x: float) -> float:
        grown = phi * phi + variance + exp(x)
        return exp(x) * (delta * delta - grown) / (2 * grown * grown) - (x - start) / TAU**2

    low = start
    if delta * delta > phi * phi + variance:
        high = log(delta * delta - phi * phi - variance)
    else:
        steps = 1
        while f(start - steps * TAU) < 0:
            steps += 1
        high = start - steps * TAU
    at_low, at_high = f(low), f(high)
    while abs(high - low) > PRECISION:
        middle = low + (low - high) * at_low / (at_high - at_low)
        here = f(middle)
        if here * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low /= 2
        high, at_high = middle, here
    return exp(low / 2)

"""How many random examples a test draws: in proportion to the profile of Hypothesis.

`pytest --hypothesis-profile long` draws twenty times as many in every test.
"""

from hypothesis import settings

NORMAL = 100
LONG = 2000
"""The examples that a test without a number of its own draws in each profile."""


def examples(number: int) -> settings:
    """Have a test draw `number` examples in the normal profile."""
    return settings(max_examples=max(1, number * settings.default.max_examples // NORMAL))

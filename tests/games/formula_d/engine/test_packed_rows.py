"""Packed rows give back what was packed, and their minimum is the minimum of the costs."""

import random
from math import inf

import pytest

from engine.formula_d.codriver.packed_rows import RowPacking, moved


@pytest.mark.parametrize("count", [1, 18, 40])
def test_the_minimum_of_packed_rows_is_that_of_their_costs(count: int) -> None:
    lot, packing = random.Random(count), RowPacking(count)
    for _ in range(300):
        one = [lot.choice([0.0, inf, -inf, 5e-324, -1e300, lot.gauss(0, 9)]) for _ in range(count)]
        two = [lot.choice([cost, lot.gauss(0, 9), inf]) for cost in one]
        packed = packing.least(packing.pack(one), packing.pack(two))
        assert packing.unpack(packed) == tuple(map(min, one, two))
        assert packing.unpack(packing.pack(one)) == tuple(one)


def test_costs_move_to_greater_and_to_smaller_indices() -> None:
    packing = RowPacking(3)
    row, rest = packing.pack([1.0, -2.0, inf]), packing.pack([7.0, 7.0, 7.0])
    up, down = packing.mask([1, 2]), packing.mask([0])
    assert packing.unpack(moved(row, 1) & up | rest & down) == (7.0, 1.0, -2.0)
    assert packing.unpack(moved(row, -2) & down | rest & up) == (inf, 7.0, 7.0)

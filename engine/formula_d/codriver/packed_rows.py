"""Rows of costs packed into whole numbers, so that two rows are compared in a few operations, not cost by cost.

A packed row has a field for each cost, the first cost in the lowest one. A field holds the 64 bits of a float, changed
so that they rise with it, and eight bits above that are 0. The lowest of those is the *guard*: it takes the carry of
the field.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from struct import Struct

Packed = int
"""A packed row. Rows of the same number of costs are packed in the same way."""

_BITS, _FIELD = 64, 72


class RowPacking:
    """How rows of so many costs are packed. Every float but NaN comes back as it was."""

    def __init__(self, count: int) -> None:
        self._form = Struct("<" + "dx" * count)
        self._ones = sum(1 << _FIELD * number for number in range(count))
        self._signs = self._ones << _BITS - 1
        self.least = _minimum(self._ones << _BITS)

    def pack(self, row: Iterable[float]) -> Packed:
        """Return a row, packed."""
        found = int.from_bytes(self._form.pack(*row), "little")
        below = found & self._signs
        return found ^ (self._signs | (below << 1) - (below >> _BITS - 1)) if below else found | self._signs

    def unpack(self, packed: Packed) -> tuple[float, ...]:
        """Return the row that was packed."""
        found = packed ^ self._signs
        below = found & self._signs
        if below:
            found ^= (below << 1) - (below >> _BITS - 1) ^ below
        return self._form.unpack(found.to_bytes(self._form.size, "little"))

    def mask(self, indices: Iterable[int]) -> Packed:
        """Return the row with all bits of these costs set, and no others."""
        return sum(((1 << _BITS) - 1) << _FIELD * index for index in indices)


def moved(packed: Packed, by: int) -> Packed:
    """Return a row with each cost at an index that is so many greater. The others have no bits set."""
    return packed << _FIELD * by if by >= 0 else packed >> -_FIELD * by


def _minimum(guards: int) -> Callable[[Packed, Packed], Packed]:
    """Return the function that gives the minimum of two packed rows, cost by cost. Of two rows one is mostly the lower
    one in all costs, and then it is returned itself.
    """

    def least(one: Packed, two: Packed) -> Packed:
        if one is two:
            return one
        not_less = (one | guards) - two & guards
        if not_less == guards:
            return two
        if not not_less:
            return one
        return one ^ (one ^ two) & not_less - (not_less >> _BITS)

    return least

"""What a process computed from rows, kept in its memory with the version of the rows."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Memory(Generic[Value]):
    """The last `most` values, by key. A key must name its row for ever, also in another database: a random key does,
    a number does not. Threads share the values, so nobody may change them.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, tuple[Hashable, Value]] = OrderedDict()

    def get(self, key: Hashable, version: Hashable) -> Value | None:
        """Return the value of that version; None where it is not known."""
        with self._lock:
            found = self._kept.get(key)
            if found is None or found[0] != version:
                return None
            self._kept.move_to_end(key)
            return found[1]

    def knows(self, key: Hashable) -> bool:
        """Return whether there is a value of any version."""
        with self._lock:
            return key in self._kept

    def put(self, key: Hashable, version: Hashable, value: Value) -> None:
        """Keep the value in place of that of another version."""
        with self._lock:
            self._kept[key] = version, value
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)

"""Followers: what an app calls in the apps that build on it, when something happens in it.

An app declares in its module `followers` a protocol, the methods that it calls, and a `Followers` of it. An app above
implements the protocol, in its module `following` or beside its writes, and registers an object of that class when
Django is ready. The app that calls knows none of them by name.

A follower is called inside the transaction of what happens: when it raises, everything is rolled back.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

F = TypeVar("F")


class Followers(Generic[F]):
    """The registered followers of one protocol, in the order of registration. There is one of each class."""

    def __init__(self) -> None:
        self._by_class: dict[type, F] = {}

    def register(self, follower: F) -> None:
        """Call this follower from now on. It replaces one of the same class, in its place."""
        self._by_class[type(follower)] = follower

    def __iter__(self) -> Iterator[F]:
        return iter(tuple(self._by_class.values()))

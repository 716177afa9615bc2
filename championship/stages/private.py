"""Private courses: they hold material that only their club may share, such as cards that an owner has typed in."""

from __future__ import annotations

from typing import Any

from engine import registry
from engine.contract import Private, offered


def is_private(game: str, course: Any) -> bool:
    """Whether only a club's members and a rally's drivers may get the whole course."""
    private = offered(registry.get(game), Private)
    return private is not None and private.is_private(course)

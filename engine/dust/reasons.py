"""Why something is refused: an English template and its values, so that a page can say it in another language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Reason:
    """A sentence without its values, and the values by name."""

    __slots__ = ("template", "values")

    def __init__(self, template: str, **values: Any) -> None:
        self.template = template
        self.values = values

    def words(self, translate: Callable[[str], str] = str) -> str:
        """Return the sentence; `translate` gives the template in another language."""
        template = translate(self.template)
        return template % self.values if self.values else template

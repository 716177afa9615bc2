"""Reasons of refusals: an English template and its values, so that a page can translate them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Reason:
    """The template of a sentence, and its values by name."""

    __slots__ = ("template", "values")

    def __init__(self, template: str, **values: Any) -> None:
        self.template = template
        self.values = values

    def words(self, translate: Callable[[str], str] = str) -> str:
        """Return the sentence. `translate` returns the template in another language."""
        template = translate(self.template)
        return template % self.values if self.values else template

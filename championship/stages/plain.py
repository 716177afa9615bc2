"""Maps for a game that draws none: no picture, no words, and TOML as the text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from championship.stages.stage_pages import Land, Spec, Table
from engine import registry
from engine.contract import CourseImport, StageError, offered
from engine.toml_text import toml_of


@dataclass(frozen=True, slots=True)
class PlainMaps:
    """The maps of the game `game`, which has none of its own."""

    game: str

    def map_svg(self, spec: Spec, *, title: str = "", ident: str = "map") -> SafeString:
        """An empty string."""
        return SafeString("")

    def land(self, road: str) -> Land:
        """Raises: StageError always, because there is no picture to fetch."""
        raise StageError(_("The game %(game)s draws no maps."), game=self.game)

    def small_svg(self, spec: Spec, *, title: str = "", ident: str = "map") -> SafeString:
        """An empty string."""
        return SafeString("")

    def summary(self, spec: Spec) -> str:
        """An empty string."""
        return ""

    def table(self, spec: Spec) -> Table | None:
        """None always."""
        return None

    def rating(self, result: Mapping[str, Any], *, short: bool = False) -> list[tuple[str, str]]:
        """The texts and whole numbers in the rating, each with its name."""
        return [
            (_(name.replace("_", " ")), str(value)) for name, value in result.items() if isinstance(value, str | int)
        ]

    def read_text(self, text: str) -> dict[str, Any]:
        """Parse a spec from TOML.

        Raises: StageError when the text is not TOML.
        """
        try:
            return toml_of(text)
        except ValueError as error:
            raise StageError(_("This is not TOML: %(why)s"), why=str(error)) from error

    def write_text(self, spec: Spec) -> str:
        """The text that the game writes; "" when it writes none."""
        course_import = offered(registry.get(self.game), CourseImport)
        return course_import.write_course(dict(spec)) if course_import else ""

"""How a game's stages are laid on a page: the registry of benches, and what each gives to the stage builder.

    bench = benches.get("dirt")
    draft = bench.act({"tiles": []}, {"do": "lay", "tile": "202a.AD.1"})
    bench.show(draft, {"go": "4"})  →  the map with the open end, and a template for what fits there

A draft is a stage document that may be half made; what fits is asked of the engine (ruleset.placements).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol, cast

from django import forms
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from championship.stages.games import Spec
from engine.ruleset import StageError


@dataclass(frozen=True, slots=True)
class Bench:
    """A draft on the bench: its map, a template for what may be laid and done, with its context; `length` in words."""

    map: SafeString
    template: str
    length: str
    context: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reading:
    """A text that was read as a draft: the draft in normal form, or all that is wrong, each with its place in words.
    What the draft lacks to be a whole stage, and what may be said against it, is in `missing` and `doubts`.
    """

    draft: dict[str, Any] | None
    wrong: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PaceNote:
    """What a codriver reads out: how far behind the note before (0 for at once), at which tile, in words; `danger` 0 to
    2 marks.
    """

    spaces: int
    tile: int
    text: str
    danger: int


class StageBench(Protocol):
    """What a game gives to the stage builder."""

    def empty(self) -> dict[str, Any]:
        """A draft before the first tile."""

    def act(self, draft: Spec, act: Mapping[str, str]) -> dict[str, Any]:
        """The draft after something was done to it, as a form of the bench's template says. Errors: StageError."""

    def show(self, draft: Spec, query: Mapping[str, str]) -> Bench:
        """The bench; `query` says what the person looks at there."""

    def read(self, text: str, settings: Mapping[str, Any], *, toml: bool = False) -> Reading:
        """A draft from what a person typed or sent, `toml` where it can be nothing else; what the text says goes before
        `settings`.
        """

    def settings_form(self, data: Any = None, *, draft: Spec | None = None) -> forms.Form:
        """What a list of tiles does not say."""

    def random_form(self, data: Any = None, *, wishes: Mapping[str, Any] | None = None) -> forms.Form:
        """What to wish of a stage laid by lot: a field `seed`, which may stay empty, and the game's wishes."""

    def pace_notes(self, spec: Spec) -> list[PaceNote]:
        """The pace notes of a stage, in the active language."""


BENCHES: Mapping[str, str] = {"dirt": "championship.stages.games.dirt.bench"}
"""Names of games, as in the engine's registry, and the module in which stages of each are laid."""


def get(name: str) -> StageBench:
    """The bench of a game; KeyError when it has none."""
    return cast(StageBench, import_module(BENCHES[name]))


def said(error: StageError) -> str:
    """What is wrong, with the tile it is about."""
    words = error.words(_)
    message = words[:1].upper() + words[1:].rstrip(".") + "."
    if error.tile is None:
        return message
    return _("Tile %(tile)d: %(message)s") % {"tile": error.tile, "message": message}

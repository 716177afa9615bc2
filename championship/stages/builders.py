"""How a game's stages are laid on a page: what a game gives to the stage builder.

    bench = benches.get(draft.game)
    spec = bench.act(draft.spec, request.POST)
    bench.show(spec, request.GET)  →  the map with what may be laid, and a template for what is done beside it

A draft is a stage document that may be half made; what fits is asked of the engine (its capability of courses).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from django import forms
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from championship import games
from championship.clubs.models import Club
from championship.games import Part, UnknownGame, offers
from championship.stages.forms import ImportForm, ListForm
from championship.stages.games import Spec
from engine.contract import StageError


@dataclass(frozen=True, slots=True)
class Bench:
    """A draft on the bench: its map, a template for what may be laid and done, with its context; `length` in words.

    `begun`: whether anything lies there. `keys`: a template, rows for the list of keys, "" for none.
    """

    map: SafeString
    template: str
    length: str
    begun: bool
    keys: str = ""
    context: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reading:
    """A text that was read as a draft: the draft in normal form, or all that is wrong, each with its place in words.
    What the draft lacks to be a whole stage, and what may be said against it, is in `missing` and `doubts`. `rule` is
    the rule by which the first of what is wrong is so.
    """

    draft: dict[str, Any] | None
    wrong: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    rule: str = ""


@dataclass(frozen=True, slots=True)
class PaceNote:
    """What a codriver reads out: how far behind the note before (0 for at once), where in words, what; `danger` 0 to 2
    marks.
    """

    far: int
    place: str
    text: str
    danger: int


@dataclass(frozen=True, slots=True)
class PaceNotes:
    """The pace notes of a stage, and what their numbers and signs mean. False where there are none."""

    notes: list[PaceNote]
    legend: str = ""

    def __bool__(self) -> bool:
        return bool(self.notes)


class StageBuilder(Protocol):
    """What a game gives to the stage builder."""

    def empty(self) -> dict[str, Any]:
        """A draft before anything is laid."""

    def act(self, draft: Spec, act: Mapping[str, str]) -> dict[str, Any]:
        """The draft after something was done to it, as a form of the bench's template says.

        Raises: StageError.
        """

    def show(self, draft: Spec, query: Mapping[str, str]) -> Bench:
        """The bench; `query` says what the person looks at there."""

    def looked_at(self, act: Mapping[str, str]) -> dict[str, str]:
        """What the person goes on to look at once this has been done, as a query for `show`."""

    def read(self, text: str, settings: Mapping[str, Any], *, toml: bool = False) -> Reading:
        """A draft from what a person typed or sent, `toml` where it can be nothing else; what the text says goes before
        `settings`.
        """

    def settings_form(self, data: Any = None, *, draft: Spec | None = None) -> forms.Form:
        """What the text of a draft does not say."""

    def list_form(self, data: Any = None, *, text: str = "") -> ListForm:
        """The draft as a text to be changed."""

    def import_form(self, data: Any = None, files: Any = None) -> ImportForm:
        """A stage as text: a file, or pasted."""

    def example(self, spec: Spec) -> str:
        """A text to learn from, of a ready-made stage; perhaps only its beginning."""

    def random_form(self, data: Any = None, *, wishes: Mapping[str, Any] | None = None) -> forms.Form | None:
        """What to wish of a stage laid at random: a field `seed`, which may stay empty, and the game's wishes. None for
        a game that lays none at random.
        """

    def pace_notes(self, spec: Spec) -> PaceNotes:
        """The pace notes of a stage, in the active language."""


STAGE_BUILDER: Part[StageBuilder] = Part("the stage builder")


def get(name: str) -> StageBuilder:
    """The bench of a game.

    Raises: UnknownGame.
    """
    found = STAGE_BUILDER.of(name)
    if found is None:
        raise UnknownGame(f"no stages of the game {name!r:.40} can be laid")
    return found


def names() -> tuple[str, ...]:
    """The games whose stages can be laid."""
    return offers(STAGE_BUILDER)


def url_of(page: str, club: Club, game: str) -> str:
    """The address of a page of the builder (its name among the addresses of stages) for a game's stages. That of the
    first game names no game.
    """
    first = names()[:1]
    return reverse(f"stages:{page}", args=[club.slug] if (game,) == first else [club.slug, game])


def said(game: str, error: StageError) -> str:
    """What is wrong with a stage of the game, with the piece it is about."""
    words = error.words(_)
    message = words[:1].upper() + words[1:].rstrip(".") + "."
    if error.piece is None:
        return message
    return str(games.get(game).words.at_piece) % {"number": error.piece, "message": message}

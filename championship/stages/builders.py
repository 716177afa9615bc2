"""The interface between the stage builder pages and a game whose stages people can build.

    builder = builders.get(draft.game)
    spec = builder.act(draft.spec, request.POST)
    builder.show(spec, request.GET)  →  the map with the pieces that may be laid, and a template for the other controls

A draft is a stage document that may be incomplete. The engine (its capability of courses) decides what fits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from django import forms
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from championship import catalogue
from championship.catalogue import Part, UnknownGame, offers
from championship.clubs.models import Club
from championship.stages.forms import ImportForm, ListForm
from championship.stages.stage_pages import Spec
from engine import registry
from engine.contract import CourseImport, StageError, offered


@dataclass(frozen=True, slots=True)
class BuilderPage:
    """A draft as the builder page shows it.

    `template` renders the pieces and the actions that are possible; `context` is its context. `length` is in words.
    `begun` is true when the draft holds anything. `keys` is a template with rows for the list of keyboard commands,
    "" for none.
    """

    map: SafeString
    template: str
    length: str
    begun: bool
    keys: str = ""
    context: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of parsing a text as a draft: the draft in normal form, or None and the errors in `wrong`.

    Each error names its place in words; `rule` is the rule that the first error breaks. `missing` lists what the draft
    still needs to be a whole stage. `doubts` lists warnings.
    """

    draft: dict[str, Any] | None
    wrong: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    rule: str = ""


@dataclass(frozen=True, slots=True)
class PaceNote:
    """One note that a codriver reads out.

    `far` is the distance from the note before (0 for at once). `place` says in words where it is. `danger` is 0 to 2
    marks.
    """

    far: int
    place: str
    text: str
    danger: int


@dataclass(frozen=True, slots=True)
class PaceNotes:
    """The pace notes of a stage, with a legend of their numbers and signs. False when there are no notes."""

    notes: list[PaceNote]
    legend: str = ""

    def __bool__(self) -> bool:
        return bool(self.notes)


class StageBuilder(Protocol):
    """The interface that a game implements for the stage builder."""

    def empty(self) -> dict[str, Any]:
        """A draft before anything is laid."""

    def act(self, draft: Spec, act: Mapping[str, str]) -> dict[str, Any]:
        """Apply one form of the builder's template to the draft and return the new draft.

        Raises: StageError when the change does not fit.
        """

    def show(self, draft: Spec, query: Mapping[str, str]) -> BuilderPage:
        """The builder; `query` says which part of it the person has selected."""

    def looked_at(self, act: Mapping[str, str]) -> dict[str, str]:
        """The query for `show` that selects what the person sees after this act."""

    def read(self, text: str, settings: Mapping[str, Any], *, toml: bool = False) -> Reading:
        """Parse a draft from text that a person typed or sent. `toml`: the text can only be TOML. Values in the text
        take precedence over `settings`.
        """

    def settings_form(self, data: Any = None, *, draft: Spec | None = None) -> forms.Form:
        """A form for the settings that the text of a draft does not contain."""

    def list_form(self, data: Any = None, *, text: str = "") -> ListForm:
        """A form to edit the draft as text."""

    def import_form(self, data: Any = None, files: Any = None) -> ImportForm:
        """A form to send a stage as text: a file, or pasted."""

    def example(self, spec: Spec) -> str:
        """The text of a ready-made stage as an example; it may be only the beginning."""

    def random_form(self, data: Any = None, *, wishes: Mapping[str, Any] | None = None) -> forms.Form | None:
        """A form with the options of a random stage: a field `seed`, which may stay empty, and the game's own options.
        None for a game that generates no random stages.
        """

    def pace_notes(self, spec: Spec) -> PaceNotes:
        """The pace notes of a stage, in the active language."""


STAGE_BUILDER: Part[StageBuilder] = Part("the stage builder")


def get(name: str) -> StageBuilder:
    """The stage builder of a game.

    Raises: UnknownGame when the game has none.
    """
    found = STAGE_BUILDER.of(name)
    if found is None:
        raise UnknownGame(f"no stages of the game {name!r:.40} can be laid")
    return found


def names() -> tuple[str, ...]:
    """The names of the games that have a stage builder."""
    return offers(STAGE_BUILDER)


def plain_imports() -> tuple[str, ...]:
    """The names of the games whose courses people supply as text, and that have no stage builder for it."""
    return tuple(
        name
        for name in catalogue.names()
        if offered(registry.get(name), CourseImport) is not None and STAGE_BUILDER.of(name) is None
    )


def url_of(page: str, club: Club, game: str) -> str:
    """The URL of a builder page for a game's stages. `page` is its URL name in the namespace `stages`. The URL of the
    first game contains no game name.
    """
    first = names()[:1]
    return reverse(f"stages:{page}", args=[club.slug] if (game,) == first else [club.slug, game])


def error_text(game: str, error: StageError) -> str:
    """The text of an error in a stage of the game, with the number of the piece that it is about."""
    words = error.words(_)
    message = words[:1].upper() + words[1:].rstrip(".") + "."
    if error.piece is None:
        return message
    return str(catalogue.get(game).words.at_piece) % {"number": error.piece, "message": message}

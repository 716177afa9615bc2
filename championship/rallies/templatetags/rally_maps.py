"""Template tags that depend on a rally's game: maps, manners of codrivers, the game's name."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from championship.catalogue import Game, get, names
from championship.rallies.entries import codrivers
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.stages import stage_pages
from championship.stages.course_names import described

register = template.Library()


@register.simple_tag
def stage_map(rally: Rally, stage: SpecialStage) -> SafeString:
    """The stage's whole map."""
    return stage_pages.get(rally.game).map_svg(stage.spec, title=stage.title)


@register.simple_tag
def small_map(rally: Rally, stage: SpecialStage) -> SafeString:
    """A small picture of the stage, for lists."""
    return stage_pages.get(rally.game).small_svg(stage.spec, title=stage.title, ident=f"map-{stage.number}")


@register.simple_tag
def stage_character(rally: Rally, stage: SpecialStage) -> str:
    """The length and the character of a stage in a few words, behind the name of a ready-made course; "" where there
    is nothing to say.
    """
    if stage.name:  # it is in the title
        return stage_pages.character_of(rally.game, stage.spec)
    return described(rally.game, stage.spec)


@register.simple_tag
def stage_called(rally: Rally, number: int) -> str:
    """The game's name for the stage of that number."""
    return rally.stage_called(number)


@register.inclusion_tag("rallies/parts/manner.html")
def manner_field(rally: Rally, entry: Entry, typed: str = "", *, labelled: bool = False) -> dict[str, Any]:
    """A field to choose the codriver's manner; empty when the game offers no choice. `typed`: what a form that was
    refused had chosen. `labelled`: with a visible label, as a field of a form for one car.
    """
    return {
        "manners": codrivers.manners(rally),
        "entry": entry,
        "chosen": typed or codrivers.manner_of(entry, rally.game),
        "labelled": labelled,
    }


@register.simple_tag
def stand_in(rally: Rally, entry: Entry) -> str:
    """The name of the codriver that stands in for an entry's driver; "" where the game offers no choice."""
    manner = codrivers.manner_of(entry, rally.game)
    return codrivers.called(rally.game, manner) if manner else ""


@register.simple_tag
def has_maps(rally: Rally) -> bool:
    """Whether the rally's game draws its stages."""
    return rally.game in stage_pages.names()


@register.simple_tag
def game_of(rally: Rally) -> Game | None:
    """The rally's game; None for an imported rally whose game is not installed."""
    return get(rally.game) if rally.game in names() else None


@register.simple_tag
def game_badge(rally: Rally) -> SafeString:
    """The name of the rally's game when several games are installed, else ""."""
    game = game_of(rally) if len(names()) > 1 else None
    return format_html('<span class="badge">{}</span>', game) if game else SafeString("")


@register.filter
def note_of(notes: Mapping[int, str], pk: int) -> str:
    """Return the note about the object of that id; "" for none."""
    return notes.get(pk, "")

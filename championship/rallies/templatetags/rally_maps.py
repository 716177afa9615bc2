"""Maps of a rally's stages, drawn by the game they belong to."""

from django import template
from django.utils.safestring import SafeString

from championship.rallies.models import Rally, SpecialStage
from championship.stages import games

register = template.Library()


@register.simple_tag
def stage_map(rally: Rally, stage: SpecialStage) -> SafeString:
    """The stage's whole map."""
    return games.get(rally.game).map_svg(stage.spec, title=stage.title)


@register.simple_tag
def small_map(rally: Rally, stage: SpecialStage) -> SafeString:
    """A small picture of the stage, for lists."""
    return games.get(rally.game).small_svg(stage.spec, title=stage.title, ident=f"map-{stage.number}")

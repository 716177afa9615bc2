"""Promises about random draws in letters."""

from django import template

from championship.catalogue.words import Words

register = template.Library()


@register.filter
def stage_called(words: Words, number: int) -> str:
    """The game's term for a stage with that number, such as "Stage 2" or "Race 2"."""
    return str(words.stage) % {"number": number}

"""Template filters for records of the audit log."""

from collections.abc import Mapping
from typing import Any

from django import template

from championship.audit import actions

register = template.Library()


@register.filter
def in_words(action: str) -> str:
    """The text of the act in the reader's language."""
    return actions.label_of(action)


@register.filter
def details_in_words(details: Mapping[str, Any]) -> str:
    """The details of an act, on one line in the reader's language."""
    return actions.details_in_words(details)

"""How a record of the audit log reads."""

from django import template

from championship.audit.actions import label_of

register = template.Library()


@register.filter
def in_words(action: str) -> str:
    """The act in the reader's language."""
    return label_of(action)


@register.filter
def as_text(detail: object) -> str:
    """A detail of a record on one line; lists by commas."""
    if isinstance(detail, list):
        return ", ".join(str(part) for part in detail)
    return str(detail)

"""Marks the row of the reader's own car in parts of pages that are rendered once for all readers.

A part writes `{{ entry.pk|row }}` as the last class of each row, and `{{ part|with_own:page.mine }}` turns that of the
reader's car into "me".
"""

from __future__ import annotations

from django import template
from django.utils.safestring import SafeString

from championship.rallies.models import Entry

register = template.Library()


@register.filter
def row(entry_id: int) -> str:
    """The class of the row of an entry."""
    return f"row-{entry_id}"


@register.filter
def with_own(part: SafeString, entry: Entry | None) -> SafeString:
    """A part of a page with the reader's row marked."""
    return part if entry is None else SafeString(part.replace(f'{row(entry.pk)}"', 'me"'))

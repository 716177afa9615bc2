"""Renders texts of operators and clubs as HTML: paragraphs, headings, lists, bold, italic, links.

Links lead to http, mail and local paths. Everything is escaped first, so no text can inject markup.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

_INLINE = (
    (
        re.compile(r"\[([^\[\]\n]+)\]\(((?:https?://|mailto:|/)[^\s()\[\]]+)\)"),
        r'<a href="\2" rel="nofollow noopener">\1</a>',
    ),
    (re.compile(r"\*\*([^*\n]+)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"\*([^*\n]+)\*"), r"<em>\1</em>"),
)
_HEADING = re.compile(r"#{1,4}\s+(.+)")
_ITEM = re.compile(r"[-*]\s+(.+)")


def as_html(text: str) -> SafeString:
    """The text as HTML. An empty line separates blocks. `#` begins a heading of level 2, `-` a list item."""
    blocks = re.split(r"\n\s*\n", text.replace("\r\n", "\n").strip())
    return mark_safe("\n".join(_block(block) for block in blocks if block.strip()))  # noqa: S308


def _block(block: str) -> str:
    lines = [line.strip() for line in block.splitlines()]
    headings = [heading[1] for heading in takewhile(bool, map(_HEADING.fullmatch, lines)) if heading]
    return "".join(f"<h2>{_inline(heading)}</h2>" for heading in headings) + _lines(lines[len(headings) :])


def _lines(lines: Sequence[str]) -> str:
    """A list where each line is an item, else a paragraph."""
    items = [_ITEM.fullmatch(line) for line in lines]
    if not items:
        return ""
    if all(items):
        return "<ul>" + "".join(f"<li>{_inline(item[1])}</li>" for item in items if item) + "</ul>"
    return "<p>" + "<br>".join(_inline(line) for line in lines) + "</p>"


def _inline(line: str) -> str:
    html = str(escape(line))
    for pattern, becomes in _INLINE:
        html = pattern.sub(becomes, html)
    return html

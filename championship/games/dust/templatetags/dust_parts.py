"""Parts of the cockpit that a page keeps while they stay as they are: `{% part "strip" %}...{% endpart %}`.

A page in a browser names the parts that it has, with a fingerprint of each, in the header Keeps-Parts (cockpit.js). A
part that is the same is sent as an empty element, and htmx leaves the one on the page in its place.
"""

from __future__ import annotations

import hashlib

from django import template
from django.template.base import FilterExpression, NodeList, Parser, Token
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from championship.runs.pages.stage_page import in_place

register = template.Library()

FINGERPRINT = 5
"""Bytes of the fingerprint of a part."""


class PartNode(template.Node):
    """A part of the page, or an empty element where the reader's page has it already."""

    def __init__(self, names: list[FilterExpression], inside: NodeList) -> None:
        self.names, self.inside = names, inside

    def render(self, context: template.Context) -> SafeString:
        ident = "-".join(str(name.resolve(context)) for name in self.names)
        inside = self.inside.render(context)
        shown = hashlib.blake2s(inside.encode(), digest_size=FINGERPRINT).hexdigest()
        request = context.get("request")
        kept = request.headers.get("Keeps-Parts", "").split() if request is not None and in_place(request) else ()
        if f"{ident}={shown}" in kept:
            return format_html('<div id="{}" hx-preserve="true"></div>', ident)
        whole = format_html('<div id="{}" data-part="{}">', ident, shown)
        return mark_safe(f"{whole}{inside}</div>")  # noqa: S308 - rendered by templates


@register.tag
def part(parser: Parser, token: Token) -> PartNode:
    """Read `{% part NAME ... %}`. The names, joined by hyphens, are the id of the element."""
    _tag, *names = token.split_contents()
    inside = parser.parse(("endpart",))
    parser.delete_first_token()
    return PartNode([parser.compile_filter(name) for name in names], inside)

"""Renders texts of operators and clubs as HTML: paragraphs, headings, lists, bold, italic, links.

HTML in a text is shown as text. Links lead to http, mail and local paths.
"""

from __future__ import annotations

import re

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

_LINK = re.compile(r"https?://|mailto:|/")
_ADDRESS = re.compile(r"(?<![\w(<\[\"'/])https?://[^\s<>()\[\]\"']*[^\s<>()\[\]\"'.,;:!?*_]")
"""An address in the text that no sign makes a link already, without the punctuation behind it."""


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:
        return _LINK.match(url) is not None


_PARSER = _Parser("zero", {"breaks": True, "html": False}).enable(
    ["heading", "list", "newline", "emphasis", "link", "autolink"]
)


def as_html(text: str) -> SafeString:
    """The text as HTML. An empty line separates blocks. `#` begins a heading of level 2, `-` a list item. An address of
    the web is a link.

    Search engines do not follow its links.
    """
    blocks = _PARSER.parse(_ADDRESS.sub(r"<\g<0>>", text))
    for token in blocks:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = "h2"
        for part in token.children or ():
            if part.type == "link_open":
                part.attrSet("rel", "nofollow noopener")
    html: str = _PARSER.renderer.render(blocks, _PARSER.options, {})
    return mark_safe(html)  # noqa: S308 - the parser escapes all HTML

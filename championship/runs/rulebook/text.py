"""Reads the inline text of rule documents as HTML: emphasis, code, rule numbers, pictures."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

PARSER = MarkdownIt("zero").enable(["heading", "table", "emphasis", "backticks", "link", "list", "image"])
NUMBER = re.compile(r"\b[A-Z]\d{1,2}\b")
_TAGS = {"strong": "strong", "em": "em", "code_inline": "code"}

TextHandler = Callable[[str], str]
"""A function that returns a piece of plain text as escaped HTML."""
PictureHandler = Callable[[str, str], str]
"""A function that returns the picture of an address, such as "sign:water", and its caption as HTML."""


def blocks_of(text: str) -> list[SyntaxTreeNode]:
    """Return the blocks of a Markdown document in order."""
    return SyntaxTreeNode(PARSER.parse(text)).children


def inline(block: SyntaxTreeNode) -> SyntaxTreeNode:
    """Return the content of a heading, a paragraph or a cell."""
    return block.children[0]


def as_html(node: SyntaxTreeNode, *, text: TextHandler = escape, picture: PictureHandler | None = None) -> SafeString:
    """Return a part of a document as HTML. `text` may add links to plain text, but not to code. Links of the document
    itself lead to files, so only their text is kept; so is the caption of a picture without `picture`.
    """
    content: str
    if node.type == "code_inline":
        content = escape(node.content)
    elif node.type == "text":
        content = text(node.content)
    elif node.type == "softbreak":
        content = "\n"
    elif node.type == "image":
        content = picture(str(node.attrs["src"]), node.content) if picture else escape(node.content)
    else:
        content = "".join(as_html(child, text=text, picture=picture) for child in node.children)
    tag = _TAGS.get(node.type)
    return mark_safe(f"<{tag}>{content}</{tag}>" if tag else content)  # noqa: S308 - each text in it is escaped


def as_plain(node: SyntaxTreeNode) -> str:
    """Return a part of a document as plain text, with the captions of its pictures."""
    if node.type in ("code_inline", "text", "image"):
        return node.content
    return " " if node.type == "softbreak" else "".join(map(as_plain, node.children))

"""The elements around a drawn map: the SVG element of a page, and a stand-alone picture with its own address."""

from __future__ import annotations

import base64
import hashlib
import re

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from championship.catalogue.svg_paths import number

Box = tuple[str, str, str, str]
"""x, y, width, height of a viewBox."""


def box_of(bounds: tuple[float, float, float, float], scale: float) -> Box:
    """Return the viewBox of bounds (left, top, right, bottom), multiplied by `scale`."""
    left, top, right, bottom = (value * scale for value in bounds)
    return number(left), number(top), number(right - left), number(bottom - top)


def wrapped(box: Box, body: str, *, ident: str, kind: str, title: str, about: str, static: bool) -> SafeString:
    """Return the SVG element of a map, with its name and description, which are escaped. `kind` are its classes, of
    the game's own: `map` is the class of the frame that pages put around it. `body` is markup. A static map has the
    role of an image, any other that of a group.

    The name is an attribute and not a title element, because browsers show a title as a tooltip wherever the pointer
    rests.
    """
    x, y, width, height = box
    ident = escape(ident)
    named = f'role="{"img" if static else "group"}" aria-label="{escape(title)}" aria-describedby="{ident}-about"'
    head = f'<desc id="{ident}-about">{escape(about)}</desc>'
    return mark_safe(  # noqa: S308 - built from numbers and escaped text
        f'<svg xmlns="http://www.w3.org/2000/svg" id="{ident}" class="{kind}" viewBox="{x} {y} {width} {height}" '
        f'width="{width}" height="{height}" {named}>{head}{body}</svg>'
    )


def document(box: Box, body: str, *, kind: str, title: str, css: str) -> str:
    """Return a map as a stand-alone picture that contains its own style sheet."""
    x, y, width, height = box
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{kind}" viewBox="{x} {y} {width} {height}" '
        f'width="{width}" height="{height}"><title>{escape(title)}</title><style>{css}</style>{body}</svg>'
    )


def minified(css: str) -> str:
    """Return a style sheet without comments and unneeded blanks."""
    text = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    text = re.sub(r":\s+", ":", text)  # a blank before a colon may separate two selectors
    return re.sub(r"\s*([{};,])\s*", r"\1", text).replace("\n", "").strip()


def source_of(css: str) -> str:
    """Return the CSP source expression (hash) that allows this style sheet."""
    return f"sha256-{base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()}"

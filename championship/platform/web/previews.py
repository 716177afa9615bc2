"""What a site shows that previews a link to one of our pages."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shared:
    """A preview: plain text, and absolute URLs."""

    title: str
    text: str
    address: str
    picture: str

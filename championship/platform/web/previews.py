"""What a site shows that previews a link to one of our pages."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shared:
    """A preview: plain text, and absolute URLs. `picture`: "" for none; its width and height in pixels."""

    title: str
    text: str
    address: str
    picture: str
    width: int = 1200
    height: int = 630

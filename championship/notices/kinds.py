"""Kinds of notice: their words, whether people may switch them off, and whether one is still wanted.

An app registers its kinds when it is ready (apps.py).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.functional import Promise

if TYPE_CHECKING:
    from championship.notices.models import Notice

    StillWanted = Callable[[Notice], bool]


@dataclass(frozen=True, slots=True)
class Kind:
    """name: as in Notice.kind. subject: lazy text, filled with the context by name, "%(rally)s".

    body_template: a text template that gets the context, `recipient`, `link` (whole address) and `site_url`.
    still_wanted: asked inside the row's lock right before sending. switch: what the switch on the profile
    page says; None for a kind nobody can switch off.
    """

    name: str
    subject: "str | Promise"
    body_template: str
    still_wanted: "StillWanted | None" = None
    switch: "str | Promise | None" = None


_kinds: dict[str, Kind] = {}


def register(
    kind: str,
    *,
    subject: "str | Promise",
    body_template: str,
    still_wanted: "StillWanted | None" = None,
    switch: "str | Promise | None" = None,
) -> Kind:
    """Make a kind of notice known, by its name; registering a name again replaces it."""
    _kinds[kind] = Kind(kind, subject, body_template, still_wanted, switch)
    return _kinds[kind]


def get(kind: str) -> Kind:
    """The kind of that name; LookupError for one no app has registered."""
    if kind not in _kinds:
        raise LookupError(f"No kind of notice is called {kind!r}.")
    return _kinds[kind]


def switchable() -> tuple[Kind, ...]:
    """The kinds people may switch off, by name."""
    return tuple(kind for name, kind in sorted(_kinds.items()) if kind.switch is not None)

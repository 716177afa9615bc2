"""Kinds of notice: their texts, whether people may switch them off, and whether a notice is still wanted.

An app registers its kinds when it is ready (apps.py).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.functional import Promise

from championship.notices.channels import Channel

if TYPE_CHECKING:
    from championship.notices.details import Details
    from championship.notices.models import Notice

    StillWanted = Callable[[Notice], bool]
    ReadDetails = Callable[[Notice], Details]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of notice. name: as in Notice.kind. subject: lazy text, filled with the context by name, "%(rally)s".

    body_template: a text template that extends notices/mail/base.txt and gets the context, `recipient` and `site_url`.
    A last line that ends with a colon is the label of the link. still_wanted: called right before sending, while the
    row is locked. details: called when the notice is put into words, in the reader's language. switch: its label on the
    settings page; None for a kind that nobody can switch off. urgent: a matter of hours, which waits for no digest and
    is pushed to browsers by default. public: sent to clubs (services.announce), never to one person.
    """

    name: str
    subject: "str | Promise"
    body_template: str
    still_wanted: "StillWanted | None" = None
    switch: "str | Promise | None" = None
    urgent: bool = False
    public: bool = False
    details: "ReadDetails | None" = None

    def on_by_default(self, channel: str) -> bool:
        """Whether people who have not chosen get it over `channel`."""
        return channel != Channel.PUSH or self.urgent

    def wanted(self, channel: str, *, chosen: bool | None) -> bool:
        """Whether a person gets it over `channel`. `chosen`: their choice, None if they have not chosen."""
        return self.switch is None or (self.on_by_default(channel) if chosen is None else chosen)


_kinds: dict[str, Kind] = {}


def register(
    kind: str,
    *,
    subject: "str | Promise",
    body_template: str,
    still_wanted: "StillWanted | None" = None,
    switch: "str | Promise | None" = None,
    urgent: bool = False,
    public: bool = False,
    details: "ReadDetails | None" = None,
) -> Kind:
    """Register a kind of notice by its name. Registering a name again replaces the kind."""
    _kinds[kind] = Kind(kind, subject, body_template, still_wanted, switch, urgent, public, details)
    return _kinds[kind]


def get(kind: str) -> Kind:
    """The kind of that name.

    Raises: LookupError when no app has registered it.
    """
    if kind not in _kinds:
        raise LookupError(f"No kind of notice is called {kind!r}.")
    return _kinds[kind]


def switchable() -> tuple[Kind, ...]:
    """The kinds that people may switch off: the urgent ones first, then by name."""
    kinds = (kind for kind in _kinds.values() if kind.switch is not None and not kind.public)
    return tuple(sorted(kinds, key=lambda kind: (not kind.urgent, kind.name)))


def public() -> tuple[Kind, ...]:
    """The kinds that are sent to clubs, by name."""
    return tuple(sorted((kind for kind in _kinds.values() if kind.public), key=lambda kind: kind.name))


def urgent_names() -> list[str]:
    """The names of the kinds that wait for no digest."""
    return [kind.name for kind in _kinds.values() if kind.urgent]

"""The scopes of a token. A scope never allows more than its person may do; it only restricts."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class Scope(models.TextChoices):
    """`read` is part of every other scope. `bot` makes turns and nothing else."""

    READ = "read", _("read what you may see")
    PLAY = "play", _("drive: enter rallies, make turns, hand in cards")
    ORGANISE = "organise", _("run rallies of your clubs")
    STEWARD = "steward", _("give penalties")
    BOT = "bot", _("make turns, and nothing else")


FOR_BOTS = frozenset({Scope.READ, Scope.BOT})
"""The scopes that a bot's account may give to a token."""


def allows(held: list[str], *wanted: str) -> bool:
    """Return whether a token with these scopes may do what any of `wanted` allows."""
    return Scope.READ in wanted or not set(held).isdisjoint(wanted)

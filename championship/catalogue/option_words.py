"""The texts for the values of a game's options."""

from __future__ import annotations

from typing import cast

from django.utils.functional import lazystr
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from championship import catalogue


class _Value:
    """A value that is translated only when it is rendered: in the reader's language, and when all games are
    registered.
    """

    def __init__(self, game: str, value: str) -> None:
        self.game, self.value = game, value

    def __str__(self) -> str:
        called = catalogue.get(self.game).words.options
        if self.value in called:
            return str(called[self.value])
        return pgettext("option", self.value) if self.value else _("none")


def value_words(game: str, value: str) -> str:
    """Return the text for a value of the game's options: the game's own if it has one, else a translation of the value,
    and "none" for "". The text is lazy.
    """
    return cast(str, lazystr(_Value(game, value)))

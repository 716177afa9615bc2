"""What values of a game's options are called on pages."""

from __future__ import annotations

from typing import cast

from django.utils.functional import lazystr
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from championship import games


class _Value:
    """A value that is put into words when it is read: in the reader's language, and once all games are registered."""

    def __init__(self, game: str, value: str) -> None:
        self.game, self.value = game, value

    def __str__(self) -> str:
        called = games.get(self.game).words.options
        if self.value in called:
            return str(called[self.value])
        return pgettext("option", self.value) if self.value else _("none")


def value_words(game: str, value: str) -> str:
    """Return what a value of the game's options is called: by the game itself, else by the value, "" being none. The
    text is lazy.
    """
    return cast(str, lazystr(_Value(game, value)))

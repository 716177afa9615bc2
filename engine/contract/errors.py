"""The errors that games raise, and their messages."""

from __future__ import annotations

from collections.abc import Callable

from engine.contract.values import Json


class GameError(ValueError):
    """The base of all errors of a game. `message` says what to do about it, in English.

    The message is a template filled with named values ("%(limit)d"), so that a page can translate it.
    """

    def __init__(self, message: str, **values: Json) -> None:
        self.template = message
        self.values = values
        self.message = self.words(str)
        super().__init__(self.message)

    def words(self, translate: Callable[[str], str]) -> str:
        """Return the message in another language. `translate` translates the template."""
        template = translate(self.template)
        return template % self.values if self.values else template


class RuleError(GameError):
    """An illegal order: the rule, the reason, and the number of the illegal move (from 1) if one move is illegal."""

    def __init__(self, rule: str, message: str, *, move: int | None = None, **values: Json) -> None:
        super().__init__(message, **values)
        self.rule = rule
        self.move = move

    def __str__(self) -> str:
        return f"{self.rule}: {self.message}"


class StageError(GameError):
    """A course that cannot be driven: the rule, and the number of the wrong piece (from 1) if one piece is wrong.

    `called` is the game's word for a piece of a course.
    """

    called = "piece"

    def __init__(self, message: str, *, rule: str = "T1", piece: int | None = None, **values: Json) -> None:
        super().__init__(message, **values)
        self.rule = rule
        self.piece = piece

    @property
    def placed(self) -> str:
        """The message in English, with the piece that it is about in front."""
        return self.message if self.piece is None else f"{self.called} {self.piece}: {self.message}"


class OptionError(GameError):
    """A value that an option does not take, or an option that the game does not have."""

    def __init__(self, option: str, message: str, **values: Json) -> None:
        super().__init__(message, **values)
        self.option = option


class UnknownGame(GameError):
    """No game has that name."""


class NotOffered(GameError):
    """The game does not offer this capability."""


class DocumentError(GameError):
    """A document that cannot be read. The message says what is wrong and where."""

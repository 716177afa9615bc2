"""The values of a document with their paths, each read with a check: what a season file is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import ROUND_DOWN, Decimal, InvalidOperation
from difflib import get_close_matches
from typing import Any, NoReturn
from unicodedata import category, normalize

from championship.accounts.text import without_hidden
from championship.seasons.scoring.values import POINT, Points

Json = Any
MOST_POINTS = 1_000_000
MOST_LETTERS = 120
MOST_PLACES = 1000
NOT_IN_A_NAME = ("Cc", "Cs")
"""Control characters, and halves of letters that no file can hold."""


class SeasonFileError(ValueError):
    """A document is no season. `path` names the value that is wrong, "" for the whole document."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path}: {why}" if path else why)
        self.path = path


def meant(name: str, known: Iterable[str]) -> str:
    """Return a question about the known name that is most like this one; "" where none is."""
    close = get_close_matches(name[:MOST_LETTERS], list(known), 1)
    return f" (is “{close[0]}” meant?)" if close else ""


class Node:
    """A value of the document with its path."""

    def __init__(self, value: Json, path: str) -> None:
        self.value, self.path = value, path

    def refuse(self, why: str) -> NoReturn:
        raise SeasonFileError(self.path, why)

    def fields(self, *known: str, needed: Sequence[str] = ()) -> Fields:
        """Return an object's fields. Refuses other types, unknown names and missing fields."""
        for name in self.names():
            if name not in known:
                self.of(name).refuse(f"there is no such field{meant(name, known)}; known: {', '.join(known)}")
        for name in needed:
            if name not in self.value:
                self.of(name).refuse("this is missing")
        return Fields(self)

    def names(self) -> list[str]:
        """Return the names of an object's fields."""
        if not isinstance(self.value, dict):
            self.refuse("an object, { }, is needed here")
        return list(map(str, self.value))

    def of(self, name: str) -> Node:
        """Return a field of an object; None where it is missing."""
        shown = " ".join(name[:MOST_LETTERS].split()).encode(errors="replace").decode()
        return Node(self.value.get(name), f"{self.path}.{shown}" if self.path else shown)

    def items(self, most: int) -> list[Node]:
        """Return a list's values."""
        if not isinstance(self.value, list):
            self.refuse("a list, [ ], is needed here")
        if len(self.value) > most:
            self.refuse(f"at most {most} values")
        return [Node(each, f"{self.path}[{number}]") for number, each in enumerate(self.value)]

    def text(self) -> str:
        """Return a text that is not empty."""
        if not isinstance(self.value, str) or not self.value.strip() or len(self.value) > MOST_LETTERS:
            self.refuse(f"a text of 1 to {MOST_LETTERS} letters is needed here")
        return self.value.strip()

    def name(self) -> str:
        """Return a text as `plain_text` writes it."""
        name = plain_text(self.text())
        if not name:
            self.refuse("a text that can be seen is needed here")
        if any(category(letter) in NOT_IN_A_NAME for letter in name):
            self.refuse("a text without control characters is needed here")
        return name

    def choice(self, *known: str) -> str:
        """Return one of these texts."""
        if not isinstance(self.value, str) or self.value not in known:
            self.refuse(f"one of these is needed here: {', '.join(known)}")
        return self.value

    def flag(self) -> bool:
        """Return true or false."""
        if not isinstance(self.value, bool):
            self.refuse("true or false is needed here")
        return self.value

    def whole(self, least: int, most: int) -> int:
        """Return a whole number within these bounds."""
        if isinstance(self.value, bool) or not isinstance(self.value, int) or not least <= self.value <= most:
            self.refuse(f"a whole number from {least} to {most} is needed here")
        return self.value

    def numbers(self, most: int) -> frozenset[int]:
        """Return a list of whole numbers from 1."""
        return frozenset(each.whole(1, most) for each in self.items(most))

    def decimal(self, places: int, *, least: int = 0, most: int = MOST_POINTS, what: str = "a number") -> Decimal:
        """Return a number, or a number as text, with at most so many decimal places. `what`: how a refusal calls it."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float | str):
            self.refuse(f"{what} is needed here")
        try:
            number = Decimal(str(self.value).strip().replace("_", " "))
        except (InvalidOperation, ValueError):
            self.refuse(f"{what} is needed here, with a point before its decimals")
        if not number.is_finite() or not least <= number <= most:
            self.refuse(f"{what} from {least} to {most} is needed here")
        if number != number.quantize(Decimal(1).scaleb(-places), ROUND_DOWN):
            self.refuse(f"at most {places} decimal places")
        return number

    def points(self, *, least: int = 0) -> Points:
        """Return points in hundredths."""
        return int(self.decimal(2, least=least) * POINT)

    def list_of_points(self) -> tuple[Points, ...]:
        """Return the points of places."""
        return tuple(each.points() for each in self.items(MOST_PLACES))


def plain_text(text: str) -> str:
    """Return a text with single blanks, without invisible characters, and each letter in its one composed form, so that
    names that look equal are equal.
    """
    return " ".join(normalize("NFC", without_hidden(text)).split())


class Fields:
    """The fields of an object."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._values: Mapping[str, Json] = node.value

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def node(self, name: str) -> Node:
        """Return the node of a field."""
        return self._node.of(name)

    def get(self, name: str, read: Callable[[Node], Any], default: Any) -> Any:
        """Return the field as `read` returns it; `default` where it is missing."""
        return read(self.node(name)) if name in self._values else default

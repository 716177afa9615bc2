"""Replaces a name everywhere in rows of the database, in a way that can be undone.

Append-only tables allow changes of their texts for this one purpose: the transaction must name the column first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from django.apps import apps
from django.db import connection
from django.db.models import CharField, DateTimeField, Field, JSONField, Model, Q, QuerySet, TextField, Value
from django.db.models.functions import Cast

from championship.accounts.name_history import UsedName

Change = list[Any]
"""[model, key, column, before, after], as plain JSON values."""
NUMBERED = re.compile(r"(?P<number>(?:#\d+ )?)(?P<name>.*)", re.DOTALL)
PEOPLE_KEYS = {
    *("driver", "drivers", "before", "people", "person", "member", "sender", "crew", "entry", "entries"),
    *("order", "lots", "against", "without a card", "refused because not confirmed", "not_sealed"),
}
"""Keys of JSON values that hold a person or a car, or a list of them."""
ROLES_TOO = {"before"}
"""Those of PEOPLE_KEYS under which a list holds roles, not people."""
VALUES_KEYS = {"before", "after"}
"""Keys of JSON values that hold the old or the new values of a row, by column."""
WORD_KEYS = {"reason", "message", "text", "words", "answer", "about"}
"""Keys of JSON values under which people write sentences."""
CLUB_KEYS = {"rally", "club", "championship", "stage", "kind"}
"""Keys of letters that hold a name chosen by a club, or a word of the program."""


class Renaming:
    """Replaces names with `pseudonym`. Every name is replaced where it is the whole value. Within sentences only those
    names are replaced that are telling and that the person had at the time of the text: as whole words, written as they
    are or in capitals. `others`: names of other people, which stay. `own`: the person's current name, which is replaced
    even if another person has the same name.
    """

    def __init__(
        self, names: Iterable[UsedName], pseudonym: str, *, others: Iterable[str] = (), own: str | None = None
    ) -> None:
        self.pseudonym = pseudonym
        self.others = {other.strip().casefold() for other in others} - {(own or "").casefold(), ""}
        self.used_names = [
            each for each in names if each.name.strip() and each.name.strip().casefold() not in self.others
        ]
        self.names = sorted({each.name.strip() for each in self.used_names})
        self._whole = {name.casefold() for name in self.names}
        self._patterns: dict[tuple[str, ...], re.Pattern[str]] = {}

    def text(self, said: str, at: datetime | None = None) -> str:
        """The text with the pseudonym in it. `at`: when it was written; None if that is unknown."""
        meant = tuple(
            sorted({each.name.strip() for each in self.used_names if each.is_clearly_a_name and each.was_used_at(at)})
        )
        return self._pattern(meant).sub(self._instead, said) if meant else said

    def whole(self, said: str) -> str:
        """The pseudonym if the text is nothing but a name, perhaps after a start number; else the text itself."""
        found = NUMBERED.fullmatch(said)
        if found is None or found["name"].strip().casefold() not in self._whole:
            return said
        return f"{found['number']}{self.pseudonym}"

    def value(self, said: Any, at: datetime | None = None, *, letters: bool = False) -> Any:
        """A JSON value with the pseudonym under PEOPLE_KEYS, and in the sentences under WORD_KEYS. Everything else
        stays. With `letters`, every other value is replaced too, except under CLUB_KEYS.
        """
        if isinstance(said, dict):
            return {key: self._under(key, each, at, letters) for key, each in said.items()}
        return said

    def _under(self, key: str, said: Any, at: datetime | None, letters: bool) -> Any:
        if key in PEOPLE_KEYS:
            said = self._people(key, said)
        if key in VALUES_KEYS and isinstance(said, dict):
            return self.value(said, at, letters=letters)
        if key in WORD_KEYS and isinstance(said, str):
            return self.text(said, at)
        return self._in_letter(said, at) if letters and key not in CLUB_KEYS else said

    def _people(self, key: str, said: Any) -> Any:
        if isinstance(said, str):
            return self.whole(said)
        if isinstance(said, list) and key not in ROLES_TOO:
            return [self.whole(each) if isinstance(each, str) else each for each in said]
        if isinstance(said, dict) and key == "entries":
            return {self.whole(name): number for name, number in said.items()}
        return said

    def _in_letter(self, said: Any, at: datetime | None) -> Any:
        if isinstance(said, str):
            named = self.whole(said)
            return named if named != said else self.text(said, at)
        if isinstance(said, list):
            return [self._in_letter(each, at) for each in said]
        return self.value(said, at, letters=True)

    def _pattern(self, meant: tuple[str, ...]) -> re.Pattern[str]:
        if meant not in self._patterns:
            folded = [name.casefold() for name in meant]
            longer = {other for other in self.others if any(name in other for name in folded)}
            words = sorted({*meant, *longer}, key=len, reverse=True)
            alternatives = "|".join(self._forms(word) for word in words)
            self._patterns[meant] = re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)")
        return self._patterns[meant]

    def _forms(self, word: str) -> str:
        if "@" in word:  # not within another's address, such as jo.ana@example.org
            return rf"(?<![\w.+-])(?i:{re.escape(word)})(?![\w-]|\.\w)"
        if word in self.others:
            return f"(?i:{re.escape(word)})"
        return f"{re.escape(word)}|{re.escape(word.upper())}"

    def _instead(self, found: re.Match[str]) -> str:
        return found[0] if found[0].casefold() in self.others else self.pseudonym

    def rows(
        self,
        rows: QuerySet[Any],
        columns: Iterable[str],
        *,
        written: str | None = None,
        whole: bool = False,
        letters: bool = False,
    ) -> Iterator[Change]:
        """Replace the names in these columns of the rows. Yields the changes. One query for each column, and further
        ones for each changed row.

        `written`: the column with the time of the text; `whole`: change only values that are nothing but a name;
        `letters`: the JSON is that of a letter.
        """
        if not self.names:
            return
        for name in columns:
            field: Any = rows.model._meta.get_field(name)
            said = rows.annotate(_said=Cast(name, TextField())).filter(self._contains_a_name())
            for key, before, at in list(
                said.order_by("pk").values_list("pk", name, written or Value(None, DateTimeField()))
            ):
                after = self._cut_to_length(field, self._replaced(before, at, whole=whole, letters=letters))
                if after != before:
                    yield write(rows.model, key, name, before, after)

    def _replaced(self, said: Any, at: datetime | None, *, whole: bool, letters: bool) -> Any:
        if not isinstance(said, str):
            return self.value(said, at, letters=letters)
        return self.whole(said) if whole else self.text(said, at)

    def _contains_a_name(self) -> Q:
        found = Q()
        for name in self.names:
            found |= Q(_said__icontains=name) | Q(_said__icontains=json.dumps(name, ensure_ascii=False)[1:-1])
        return found

    def _cut_to_length(self, field: Any, after: Any) -> Any:
        longest = getattr(field, "max_length", None)
        return after[:longest] if isinstance(after, str) and longest else after


def write(model: type[Model], key: Any, column: str, before: Any, after: Any) -> Change:
    """Set one column of one row, also in an append-only table. Returns the change. Runs in a transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('championship.renamed', %s, true)", [column])
        model._base_manager.filter(pk=key).update(**{column: after})
        cursor.execute("SELECT set_config('championship.renamed', '', true)")
    return [model._meta.label_lower, key, column, before, after]


def undo(changes: Iterable[Change]) -> None:
    """Undo changes, the last one first. A value that somebody has changed since stays. Runs in a transaction."""
    for label, key, column, before, after in reversed(list(changes)):
        model = apps.get_model(label)
        now = model._base_manager.filter(pk=key).values_list(column, flat=True).first()
        if now == after:
            write(model, key, column, after, before)


def texts_of(model: type[Model]) -> list[str]:
    """The columns of a table that hold text of people: texts and JSON, without keys and choices."""
    return [field.attname for field in model._meta.local_fields if _is_text(field)]


def _is_text(field: Field[Any, Any]) -> bool:
    if field.choices or field.unique or field.primary_key:
        return False
    return isinstance(field, CharField | TextField | JSONField)

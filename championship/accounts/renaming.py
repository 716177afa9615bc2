"""A name replaced wherever it stands in rows of the database, so that it can be taken back.

Tables that only grow let their texts be changed for this one purpose: the transaction names the columns first.
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

from championship.accounts.borne_names import Borne

Change = list[Any]
"""[model, key, column, before, after], JSON-plain."""
NUMBERED = re.compile(r"(?P<number>(?:#\d+ )?)(?P<name>.*)", re.DOTALL)
PEOPLE_KEYS = {
    *("driver", "drivers", "before", "people", "person", "member", "sender", "crew", "entry", "entries"),
    *("order", "lots", "against", "without a card", "refused, not being confirmed", "not_sealed"),
}
"""Keys of JSON values under which a person or a car stands, alone or in a list."""
ROLES_TOO = {"before"}
"""Those of them under which a list is one of roles."""
WORD_KEYS = {"reason", "message", "text", "words", "answer", "about"}
"""Keys of JSON values under which people write sentences."""
CLUB_KEYS = {"rally", "club", "championship", "stage", "kind"}
"""Keys of letters under which a name stands that a club has given, or a word of programs."""


class Renaming:
    """Puts `pseudonym` in the place of names: of every one where it is the whole value, and of those that are telling
    and were borne then within sentences, as whole words, written as they are or in capitals. `others`: names of other
    people, which stay; `own`: what the person is called now, though another were called so.
    """

    def __init__(
        self, names: Iterable[Borne], pseudonym: str, *, others: Iterable[str] = (), own: str | None = None
    ) -> None:
        self.pseudonym = pseudonym
        self.others = {other.strip().casefold() for other in others} - {(own or "").casefold(), ""}
        self.borne = [each for each in names if each.name.strip() and each.name.strip().casefold() not in self.others]
        self.names = sorted({each.name.strip() for each in self.borne})
        self._whole = {name.casefold() for name in self.names}
        self._patterns: dict[tuple[str, ...], re.Pattern[str]] = {}

    def text(self, said: str, at: datetime | None = None) -> str:
        """A text of that moment with the pseudonym in it; None: a moment that nobody has kept."""
        meant = tuple(sorted({each.name.strip() for each in self.borne if each.is_telling and each.was_borne(at)}))
        return self._pattern(meant).sub(self._instead, said) if meant else said

    def whole(self, said: str) -> str:
        """The pseudonym where the text is nothing but a name, or one behind a start number."""
        found = NUMBERED.fullmatch(said)
        if found is None or found["name"].strip().casefold() not in self._whole:
            return said
        return f"{found['number']}{self.pseudonym}"

    def value(self, said: Any, at: datetime | None = None, *, letters: bool = False) -> Any:
        """A JSON value with the pseudonym under keys of people, and in sentences; all else stays, but in `letters` only
        what clubs give names to.
        """
        if isinstance(said, dict):
            return {key: self._under(key, each, at, letters) for key, each in said.items()}
        return said

    def _under(self, key: str, said: Any, at: datetime | None, letters: bool) -> Any:
        if key in PEOPLE_KEYS:
            said = self._people(key, said)
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
        """Replace the names in these columns of the rows; what was changed. One query, and one for each changed row.

        `written`: the column that says when; `whole`: only values that are nothing but a name; `letters`: JSON is that
        of a letter.
        """
        if not self.names:
            return
        for name in columns:
            field: Any = rows.model._meta.get_field(name)
            said = rows.annotate(_said=Cast(name, TextField())).filter(self._mentions())
            for key, before, at in list(
                said.order_by("pk").values_list("pk", name, written or Value(None, DateTimeField()))
            ):
                after = self._fitting(field, self._told(before, at, whole=whole, letters=letters))
                if after != before:
                    yield write(rows.model, key, name, before, after)

    def _told(self, said: Any, at: datetime | None, *, whole: bool, letters: bool) -> Any:
        if not isinstance(said, str):
            return self.value(said, at, letters=letters)
        return self.whole(said) if whole else self.text(said, at)

    def _mentions(self) -> Q:
        found = Q()
        for name in self.names:
            found |= Q(_said__icontains=name) | Q(_said__icontains=json.dumps(name, ensure_ascii=False)[1:-1])
        return found

    def _fitting(self, field: Any, after: Any) -> Any:
        longest = getattr(field, "max_length", None)
        return after[:longest] if isinstance(after, str) and longest else after


def write(model: type[Model], key: Any, column: str, before: Any, after: Any) -> Change:
    """Set one column of one row, also in a table that only grows; the change, to be kept. In a transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('championship.renamed', %s, true)", [column])
        model._base_manager.filter(pk=key).update(**{column: after})
        cursor.execute("SELECT set_config('championship.renamed', '', true)")
    return [model._meta.label_lower, key, column, before, after]


def take_back(changes: Iterable[Change]) -> None:
    """Undo changes, the last one first; what somebody has changed since stays. In a transaction."""
    for label, key, column, before, after in reversed(list(changes)):
        model = apps.get_model(label)
        now = model._base_manager.filter(pk=key).values_list(column, flat=True).first()
        if now == after:
            write(model, key, column, after, before)


def texts_of(model: type[Model]) -> list[str]:
    """The columns of a table in which people write: texts and JSON, without keys and choices."""
    return [field.attname for field in model._meta.local_fields if _is_text(field)]


def _is_text(field: Field[Any, Any]) -> bool:
    if field.choices or field.unique or field.primary_key:
        return False
    return isinstance(field, CharField | TextField | JSONField)

"""A name replaced wherever it stands in rows of the database, so that it can be taken back.

Tables that only grow let their texts be changed for this one purpose: the transaction names the columns first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from django.apps import apps
from django.db import connection
from django.db.models import CharField, Field, JSONField, Model, Q, QuerySet, TextField
from django.db.models.functions import Cast

Change = list[Any]
"""[model, key, column, before, after], JSON-plain."""
AT_ONCE = 200
NOT_WRITTEN = {
    *("roles", "scopes", "shape", "game", "promise", "made_at", "last_post", "driven_by", "manner", "done", "measure"),
    *("visibility", "mode", "pace", "after_miss", "options", "ruleset_version", "status", "kind", "unit", "better"),
}
"""Keys of JSON values under which programs tell words apart that no person wrote."""
BEFORE_AND_AFTER = {"before", "after"}


class Renaming:
    """Puts `pseudonym` in the place of each of `names`, as whole words and whatever their case. `others`: names that
    stay, though one of `names` is a part of them.
    """

    def __init__(self, names: Iterable[str], pseudonym: str, *, others: Iterable[str] = ()) -> None:
        self.names = sorted({name.strip() for name in names if name.strip()}, key=len, reverse=True)
        self.pseudonym = pseudonym
        folded = [name.casefold() for name in self.names]
        self.others = {
            other.casefold()
            for other in others
            if other.casefold() not in folded and any(name in other.casefold() for name in folded)
        }
        words = sorted({*self.names, *self.others}, key=len, reverse=True)
        alternatives = "|".join(re.escape(word) for word in words)
        self.pattern = re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)", re.IGNORECASE)

    def text(self, said: str) -> str:
        """The text with the pseudonym in it."""
        return self.pattern.sub(self._instead, said)

    def value(self, said: Any, *, by_name: bool = False) -> Any:
        """The same of every text that people wrote within a JSON value; `by_name`: keys of a dict are names as well."""
        if isinstance(said, str):
            return self.text(said)
        if isinstance(said, list):
            return [self.value(each) for each in said]
        if isinstance(said, dict):
            return {self.text(key) if by_name else key: self._under(key, each) for key, each in said.items()}
        return said

    def _under(self, key: str, said: Any) -> Any:
        """A value under that key of a dict: what programs tell apart stays, also the roles before and after."""
        if key in NOT_WRITTEN or (key in BEFORE_AND_AFTER and isinstance(said, list)):
            return said
        return self.value(said, by_name=key == "entries")

    def _instead(self, found: re.Match[str]) -> str:
        return found[0] if found[0].casefold() in self.others else self.pseudonym

    def rows(self, rows: QuerySet[Any], columns: Iterable[str]) -> Iterator[Change]:
        """Replace the names in these columns of the rows; what was changed. One query, and one for each changed row."""
        if not self.names:
            return
        for name in columns:
            field: Any = rows.model._meta.get_field(name)
            said = rows.annotate(_said=Cast(name, TextField())).filter(self._mentions())
            for key, before in list(said.order_by("pk").values_list("pk", name)):
                after = self._fitting(field, self.value(before))
                if after != before:
                    yield write(rows.model, key, name, before, after)

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

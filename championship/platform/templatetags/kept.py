"""Caches rendered parts of pages. The cache key contains every value that the part shows.

    {% load kept %}{% kept turn.number turn.lines %} ... {% endkept %}

The values in the tag are everything that the part depends on, besides the reader's language, the time zone and the
addresses of this site. `{% kept version as leads %}` puts the part into the variable, without white space around it, in
place of showing it. Do not use it for a part with a form's token or anything else that belongs to one reader. Each
process has its own cache, up to MOST characters. It drops the least recently used parts first.
"""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from operator import attrgetter
from typing import Any

from django import template
from django.template import Context, Node, NodeList
from django.template.base import FilterExpression, Parser, Token
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.safestring import SafeString

from championship.platform.templatetags.fast_tags import language_of
from championship.platform.web import kept_pages

register = template.Library()
register.filter("reader_tag", kept_pages.reader_tag)

MOST = 6_000_000
"""Characters in the cache of one process."""
LONGEST = 100_000
"""Characters of the longest part that is cached."""

_numbers = itertools.count()


class FragmentCache:
    """The cache of rendered parts, by key."""

    def __init__(self, most: int = MOST) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, SafeString] = OrderedDict()
        self._most = most
        self.size = 0

    def get(self, key: Hashable) -> SafeString | None:
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def put(self, key: Hashable, drawn: SafeString) -> None:
        if len(drawn) > LONGEST:
            return
        with self._lock:
            if key not in self._kept:
                self._kept[key] = drawn
                self.size += len(drawn)
            while self.size > self._most:
                self.size -= len(self._kept.popitem(last=False)[1])


FRAGMENTS = FragmentCache()


_readers: dict[type, Callable[[Any], Sequence[Any]] | None] = {}


def _reader_of(kind: type) -> Callable[[Any], Sequence[Any]] | None:
    """Returns a function that reads the values of a dataclass's fields; None for any other class."""
    if kind not in _readers:
        names = [each.name for each in fields(kind)] if is_dataclass(kind) else []
        _readers[kind] = _as_tuple(attrgetter(*names)) if len(names) == 1 else attrgetter(*names) if names else None
    return _readers[kind]


def _as_tuple(read: Callable[[Any], Any]) -> Callable[[Any], Sequence[Any]]:
    return lambda value: (read(value),)


def hashed(value: Any) -> Hashable:
    """A value as part of a cache key: equal for values that a template shows alike, different for all others.

    Raises: TypeError when the value does not contain all that a template may read from it, such as a database row.
    """
    kind = type(value)
    if kind is str or value is None or kind is float:
        return value  # type: ignore[no-any-return]
    if kind is list or kind is tuple:
        return tuple([hashed(each) for each in value])
    if read := _reader_of(kind):
        return kind, *[hashed(each) for each in read(value)]
    if isinstance(value, str | float | bool | int | datetime | date):
        return kind, value
    if isinstance(value, Promise):
        return str(value)
    if isinstance(value, list | tuple):
        return tuple([hashed(each) for each in value])
    if isinstance(value, Mapping):
        return tuple([(hashed(name), hashed(each)) for name, each in value.items()])
    raise TypeError(f"{type(value).__name__} does not tell all that it shows")


class KeptNode(Node):
    """Renders its part, or returns the cached one."""

    def __init__(self, nodelist: NodeList, values: list[FilterExpression], name: str = "") -> None:
        self.nodelist, self.values, self.name, self.number = nodelist, values, name, next(_numbers)

    def render(self, context: Context) -> SafeString:
        values = tuple([hashed(value.resolve(context)) for value in self.values])
        key = (self.number, language_of(context), timezone.get_current_timezone_name(), values)
        found = FRAGMENTS.get(key)
        if found is None:
            found = self.nodelist.render(context)
            FRAGMENTS.put(key, found)
        if not self.name:
            return found
        context[self.name] = SafeString(found.strip())
        return SafeString("")


@register.tag("kept")
def kept(parser: Parser, token: Token) -> KeptNode:
    """Renders the part once for each combination of the values in the tag."""
    _tag, *given = token.split_contents()
    name = given[-1] if given[-2:-1] == ["as"] else ""
    values = [parser.compile_filter(each) for each in (given[:-2] if name else given)]
    nodelist = parser.parse(("endkept",))
    parser.delete_first_token()
    return KeptNode(nodelist, values, name)

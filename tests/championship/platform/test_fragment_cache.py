"""The fragment cache: the output is the same as without it, and never that of another page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from django.template import Context, Template
from django.utils import timezone, translation
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy

from championship.accounts.models import User
from championship.platform.templatetags import kept
from championship.platform.templatetags.kept import FragmentCache, hashed


@dataclass(frozen=True, slots=True)
class Die:
    kind: str
    faces: list[str]


class Counting:
    """Counts how often a template has evaluated it."""

    def __init__(self) -> None:
        self.asked = 0

    def __str__(self) -> str:
        self.asked += 1
        return "drawn"


@pytest.fixture(autouse=True)
def empty_shelf(monkeypatch):
    monkeypatch.setattr(kept, "FRAGMENTS", FragmentCache())


def draw(template: Template, **values: object) -> str:
    return template.render(Context(values))


def test_a_part_is_drawn_once_for_the_same_values():
    part, counting = Template("{% load kept %}{% kept value %}{{ value }} {{ counting }}{% endkept %}"), Counting()
    assert [draw(part, value=value, counting=counting) for value in ("a", "a", "b", "a")] == [
        *("a drawn", "a drawn", "b drawn", "a drawn")
    ]
    assert counting.asked == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (0, False),
        (1, "1"),
        (None, ""),
        ("<b>", mark_safe("<b>")),
        (Die("gear", ["1", "2"]), Die("gear", ["12"])),
        ([1, [2]], [[1], 2]),
        ({"stop_at": 1}, {"stop_at": True}),
        (datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)),
    ],
)
def test_another_rendering_has_another_cache_key(one, other):
    assert hashed(one) != hashed(other)
    part = Template("{% load kept %}{% kept value %}{{ value }}{% endkept %}")
    plain = Template("{{ value }}")
    for value in (one, other, one):
        assert draw(part, value=value) == draw(plain, value=value)


def test_each_language_and_time_zone_has_its_own():
    part = Template('{% load kept %}{% kept at %}{% translate "Gear" %} {{ at|date:"H:i" }}{% endkept %}')
    noon, said = datetime(2026, 1, 1, 12, tzinfo=UTC), set()
    for language in ("en", "pl", "de"):
        for zone in ("UTC", "Europe/Warsaw"):
            with translation.override(language), timezone.override(ZoneInfo(zone)):
                said.add(draw(part, at=noon))
    assert len(said) >= 4


def test_two_parts_with_the_same_values_are_two():
    both = Template("{% load kept %}{% kept 1 %}one{% endkept %}{% kept 1 %}two{% endkept %}")
    assert draw(both) == draw(both) == "onetwo"


def test_words_in_the_readers_language_are_a_value_as_they_read():
    assert hashed(gettext_lazy("Gear")) == "Gear"


@pytest.mark.parametrize("value", [User(name="Ana"), object(), {1, 2}])
def test_a_value_that_cannot_be_hashed_completely_is_refused(value):
    with pytest.raises(TypeError):
        hashed(value)


def test_the_cache_has_a_limit_and_evicts_the_least_recently_used():
    cache = FragmentCache(most=25)
    for name in ("a", "b"):
        cache.put(name, mark_safe(name * 10))
    assert cache.get("a")
    cache.put("c", mark_safe("c" * 10))
    assert (cache.get("a"), cache.get("b"), cache.size) == ("a" * 10, None, 20)
    cache.put("c", mark_safe("c" * 10))
    assert cache.size == 20
    cache.put("long", mark_safe("x" * (kept.LONGEST + 1)))
    assert cache.get("long") is None


def test_a_list_that_looks_like_a_key_is_no_die():
    assert hashed(["Die", "gear", ["clear"]]) != hashed(Die("gear", ["clear"]))
    assert hashed(["int", 5]) != hashed(5)
    assert hashed(mark_safe("<b>")) != hashed("<b>")

"""The slowest tests come first, and none is left out."""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.ordering import dealt, key_of, timed

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Item:
    """A test with the one attribute that `ordering` reads."""

    nodeid: str


def test_a_test_is_known_by_its_file_and_name_wherever_the_file_lies() -> None:
    assert key_of("tests/games/dust/engine/test_game.py::test_it[a/b::c]") == "test_game.py::test_it[a/b::c]"


def test_nothing_is_written_down_about_the_folders_of_this_machine(tmp_path: Path) -> None:
    for folder in (ROOT, Path(sys.prefix), tmp_path):
        assert str(folder) not in key_of(f"tests/test_a.py::test_it[['{folder}/bin/python', '-m']-{folder}/b]")
    assert key_of(f"tests/test_a.py::test_it[{ROOT}/tests/a.json]") == "test_a.py::test_it[tests/a.json]"
    assert [key for key in timed() if re.search(r"/(home|root|usr|opt|srv|var|tmp|bin)/", key)] == []


@pytest.mark.parametrize("hands", [1, 2, 3, 4])
@pytest.mark.parametrize("count", [1, 2, 7, 20])
def test_each_process_begins_with_its_share_of_the_slowest_and_no_test_is_lost(count: int, hands: int) -> None:
    items = [Item(f"tests/test_a.py::test_{number}") for number in range(count)]
    seconds = {f"test_a.py::test_{number}": float(number) for number in range(0, count, 3)}
    order = dealt(items, seconds, hands)
    assert sorted(order, key=items.index) == items
    begins = 0
    slowest = sorted(seconds, key=seconds.__getitem__, reverse=True)
    for hand in range(hands):
        size = (count - begins) // (hands - hand)
        if size and hand < len(slowest):
            assert key_of(order[begins].nodeid) == slowest[hand]
        begins += size

"""Cards of time control are sealed for all but their driver until it closes, and only a few modules query them."""

import ast
from pathlib import Path

import pytest
from django.conf import settings

from championship.platform import sealed
from championship.rallies.models import TimeControlCard
from tests.championship.rallies.factories import drive, hand_in, started
from tests.factories import make_user, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nobody_listens")]

WRITERS = {"rallies/services/time_control.py"}
DOORS = {"rallies/control_cards.py"}
COUNTS = {"rallies/page_versions.py": "how many are in is told to all"}


def at_control():
    rally, entries = started("Ana", "Bo", "Cem")
    drive(rally, 1, {entry: 200 + place for place, entry in enumerate(entries)})
    return rally, entries


def test_only_its_driver_reads_a_card_before_all_are_in():
    rally, (ana, bo, cem) = at_control()
    hand_in(rally, 1, ana, penalties=2)
    cards = TimeControlCard.objects.filter(entry__rally=rally)
    assert [cards.readable_by(one).count() for one in (ana.driver, bo.driver, make_user(), None)] == [1, 0, 0, 0]
    hand_in(rally, 1, bo, cem)
    assert [cards.readable_by(one).count() for one in (ana.driver, bo.driver, make_user(), None)] == [3, 3, 3, 3]


def test_the_card_of_another_does_not_make_a_drivers_page_stale():
    """Only an act of its own driver makes a post stale."""
    rally, (ana, bo, _cem) = at_control()
    address = f"/rallies/{rally.key}/stages/1/control/"
    page = signed_in(bo.driver)
    assert page.get(address).status_code == 200
    hand_in(rally, 1, ana)
    assert page.post(address, {"penalties": "1"}).status_code == 302
    assert page.post(address, {"penalties": "1"}).status_code == 302, "the same card again is the same card"
    assert page.post(address, {"penalties": "2"}).status_code == 409, "another one comes too late"


def reads_cards(tree: ast.AST) -> bool:
    """Whether code queries the table of cards without `opened` and `readable_by`."""
    asked = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Call | ast.Attribute)}
    raw = any(one.startswith("TimeControlCard.objects") or ".cards." in one for one in asked)
    return raw and not any(".opened()" in one or ".readable_by(" in one for one in asked)


def test_only_allowed_modules_query_the_table_of_cards_directly():
    root = Path(settings.BASE_DIR) / "championship"
    found = {
        path.relative_to(root).as_posix()
        for app in ("rallies", "runs", "seasons", "stewards", "api")
        for path in (root / app).rglob("*.py")
        if "migrations" not in path.parts and reads_cards(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found - WRITERS - DOORS == set(COUNTS)


@pytest.mark.parametrize(
    ("reader", "readers", "until", "closed", "over", "may"),
    [
        (None, None, "", False, False, True),
        ("1", ["1"], "phase", False, False, True),
        ("2", ["1"], "phase", False, False, False),
        ("2", ["1"], "phase", True, False, True),
        ("2", ["1"], "over", True, False, False),
        ("2", ["1"], "over", True, True, True),
        (None, ["1"], "phase", False, False, False),
    ],
)
def test_one_rule_says_who_may_read(reader, readers, until, closed, over, may):
    assert sealed.may_read(reader, readers, until, closed=closed, over=over) is may

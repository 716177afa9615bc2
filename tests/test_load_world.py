"""`make load` and the installation drill can create the club that they need."""

import pytest

from tests.load import world


@pytest.mark.django_db
def test_drivers_are_seated_and_signed_in(monkeypatch):
    monkeypatch.setattr(world, "DRIVERS", 2 * world.CONVOY + 1)
    monkeypatch.setattr(world, "CONVOYS", 2)

    seats = world.seed(at_work=3)

    assert len(seats) == 3
    for seat in seats:
        assert seat.run.startswith("/runs/") and seat.rally.startswith("/rallies/")
        assert any("sessionid" in name for name in seat.cookies)

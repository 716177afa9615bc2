"""The organiser's desk of a rally at the table offers what makes sense with the printed game, and nothing else."""

from __future__ import annotations

import pytest

from championship.platform.refusals import Refused
from championship.rallies import services as rallies
from championship.rallies.models import Entry
from championship.rallies.services import set_driven_by
from tests.championship.rallies.factories import enter, make_rally, organiser_of
from tests.championship.tabletop.factories import an_evening, guests, rally_now, under_way
from tests.factories import signed_in

pytestmark = pytest.mark.django_db
OF_RUNS = ("To the codriver", "Back to the driver", "the codriver drives", "Decisions and chance", "All runs")


def desk_of(rally: object) -> str:
    """The organiser's desk."""
    return signed_in(organiser_of(rally)).get(f"/rallies/{rally.key}/desk/").content.decode()  # type: ignore[attr-defined]


def test_the_desk_offers_no_codriver_and_no_run_before_and_after_the_start() -> None:
    before = an_evening()
    guests(before, "Ana", "Bo")
    under, _cars = under_way("Ana", "Bo")

    for page in (desk_of(before.rally), desk_of(rally_now(under))):
        assert [words for words in OF_RUNS if words in page] == []
        assert "at the table" in page.lower() and "Message to the entrants" in page
    assert "Another driver" in desk_of(rally_now(under))


def test_the_desk_of_a_rally_on_line_still_offers_the_codriver() -> None:
    rally = make_rally()
    enter(rally, "Ana")

    page = desk_of(rally)

    assert "To the codriver" in page and "Back to the driver" in page


def test_the_codriver_takes_no_car_that_drives_at_the_table() -> None:
    evening, (ana, bo) = under_way("Ana", "Bo")
    by = organiser_of(evening.rally)

    with pytest.raises(Refused, match="a person drives") as refused:
        set_driven_by(by=by, entry=ana, driven_by="codriver")
    answer = signed_in(by).post(
        f"/rallies/{evening.rally.key}/desk/entries/", {"do": "codriver", "entry": [ana.pk, bo.pk]}
    )

    assert refused.value.field == "driven_by"
    assert answer.content.decode().count("a person drives") == 2
    assert not Entry.objects.filter(driven_by="codriver").exists()


def test_on_the_open_road_only_the_cars_on_line_may_get_a_codriver() -> None:
    evening = an_evening(mode="open road", stages=("1/1",))
    [ana] = guests(evening, "Ana")
    [bo] = enter(evening.rally, "Bo")
    by = organiser_of(evening.rally)
    ana.refresh_from_db()

    with pytest.raises(Refused, match="a person drives"):
        set_driven_by(by=by, entry=ana, driven_by="codriver")
    assert set_driven_by(by=by, entry=bo, driven_by="codriver").driven_by == "codriver"
    rallies.start_rally(by=by, rally=rally_now(evening))


def test_a_pause_says_nothing_of_a_codriver() -> None:
    evening, _cars = under_way("Ana", "Bo")
    by = organiser_of(evening.rally)
    answer = signed_in(by).post(f"/rallies/{evening.rally.key}/desk/pause/", {"reason": "Pizza"})
    assert answer.status_code == 302

    page = desk_of(rally_now(evening))

    assert "Phones still take results" in page and "codriver" not in page

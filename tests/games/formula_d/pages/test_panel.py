"""A driver's panel over HTTP: the gear with its odds, the path with its price, refusals that keep the form."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from championship.games.formula_d import laid
from engine.formula_d.game import game
from tests.factories import signed_in
from tests.games.formula_d.pages.tables import best_of, on_the_grid, page_of, playing, send

pytestmark = pytest.mark.django_db


def into_the_move(run):
    """Roll the first gear of the entry that has the turn. Return the entry."""
    entry = playing(run)
    assert send(entry, run, do="gear", gear="1").status_code == 302
    run.refresh_from_db()
    return entry


def test_the_gear_is_chosen_with_its_odds_before_the_roll() -> None:
    run, _entries = on_the_grid("Ana", "Bo")
    page = page_of(playing(run), run)

    assert 'class="fd-gears"' in page
    assert "Roll gear 1" in page
    assert "First the start roll: 5 % to stall, 5 % for a great start." in page
    assert "turns to go" in page


def test_the_newest_dice_of_the_others_lie_beside_the_log() -> None:
    run, entries = on_the_grid("Ana", "Bo", start_roll=False)
    mover = into_the_move(run)
    shows = run.state["turn"]["count"]
    waiting = next(entry for entry in entries if entry != mover)

    page = page_of(waiting, run)
    assert f"<strong>{mover.crew}</strong> Gear 1 shows {shows}." in page
    assert "fd-thrown" not in page_of(mover, run), "one's own die lies on the desk"


def test_another_gear_is_looked_at_by_a_link_and_rolled_by_its_button() -> None:
    run, _entries = on_the_grid("Ana", start_roll=False)
    for _step in range(6):
        assert send(playing(run), run, **best_of(run)).status_code == 302
        run.refresh_from_db()
    entry = playing(run)
    gears = re.findall(r'href="\?at=(\d)"', page_of(entry, run))
    assert len(gears) > 1
    for gear in gears:
        assert f"Roll gear {gear}" in page_of(entry, run, at=gear)


def test_after_the_roll_every_end_has_its_price_and_the_best_path_is_laid() -> None:
    run, _entries = on_the_grid("Ana", "Bo", start_roll=False)
    entry = into_the_move(run)
    page = page_of(entry, run)
    told = game().odds(run.state, str(entry.start_number), {})

    assert all(space in page for space in {f"?at={end['to']}" for end in told["ends"]})
    assert f'name="plan" value="{laid.to_text(told["ends"][0]["orders"])}"' in page
    assert "no wear" in page


def test_a_path_is_changed_by_another_end_and_by_hand() -> None:
    run, _entries = on_the_grid("Ana", start_roll=False)
    entry = into_the_move(run)
    ends = game().odds(run.state, str(entry.start_number), {})["ends"]
    other = ends[-1]
    page = page_of(entry, run, at=laid.key_of(other["to"], other["orders"]))
    assert f'name="plan" value="{laid.to_text(other["orders"])}"' in page

    step = game().choices(run.state, str(entry.start_number)).facts["next"][-1]
    page = page_of(entry, run, plan=step)
    assert f'name="plan" value="{step}' in page
    assert 'aria-current="step"' in page


def test_an_illegal_path_is_refused_with_its_rule_and_the_best_one_is_offered() -> None:
    run, _entries = on_the_grid("Ana", start_roll=False)
    entry = into_the_move(run)
    answer = signed_in(entry.driver).get(run.get_absolute_url(), {"plan": "C1.1.0"})

    assert answer.status_code == 422
    assert "<strong>M1</strong>" in answer.content.decode()
    assert "Drive there" in answer.content.decode()


def test_the_turn_is_driven_and_the_next_car_plays() -> None:
    run, _entries = on_the_grid("Ana", "Bo", start_roll=False)
    entry = into_the_move(run)
    assert send(entry, run, **best_of(run)).status_code == 302
    assert playing(run) != entry


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"do": "gear", "gear": "4"}, "G2"),
        ({"do": "gear", "gear": "9"}, "G1"),
        ({"do": "gear", "gear": ""}, "G1"),
        ({"do": "move", "plan": "S1.1.1"}, "A1"),
        ({"do": "gear", "gear": "four"}, ""),
        ({"do": "fly"}, ""),
        ({"do": "move", "plan": "S1.1.1 tires:x"}, ""),
        ({"do": "resign"}, ""),
        ({"do": ["gear", "gear"], "gear": "-1"}, ""),
    ],
)
def test_bad_orders_are_refused_with_their_rule_and_change_nothing(fields, rule) -> None:
    run, _entries = on_the_grid("Ana", start_roll=False)
    entry, before = playing(run), run.version
    answer = send(entry, run, **{"do": "gear", **fields})
    run.refresh_from_db()

    assert answer.status_code == 422
    assert run.version == before
    text = answer.content.decode()
    assert 'role="alert"' in text
    assert rule == "" or f"<strong>{rule}</strong>" in text


def test_a_refused_path_is_kept_as_far_as_it_goes() -> None:
    run, _entries = on_the_grid("Ana", start_roll=False)
    entry = into_the_move(run)
    step = game().choices(run.state, str(entry.start_number)).facts["next"][-1]
    answer = send(entry, run, do="move", plan=f"{step} tires:9")

    assert answer.status_code == 422
    assert f'name="plan" value="{step}' in answer.content.decode()


def test_a_spectator_sees_the_race_and_no_form() -> None:
    run, _entries = on_the_grid("Ana", "Bo")
    page = page_of(None, run)

    assert "is to play" in page
    assert 'id="drive"' not in page
    assert 'class="fd-order' in page or "fd-order" in page


def test_queries_of_the_page_do_not_grow_with_the_cars() -> None:
    counts = []
    for crews in (("Ana", "Bo"), ("Ana", "Bo", "Cem", "Dag", "Eve", "Fay")):
        run, _entries = on_the_grid(*crews)
        client = signed_in(playing(run).driver)
        client.get(run.get_absolute_url())
        with CaptureQueriesContext(
            connection,
        ) as queries:
            client.get(run.get_absolute_url())
        counts.append(len(queries))

    assert counts[0] == counts[1]


def test_a_space_is_looked_at() -> None:
    run, _entries = on_the_grid("Ana")
    page = Client().get(f"/runs/{run.key}/at/C1.1.0/")
    assert page.status_code == 200
    assert "A corner that asks for" in page.content.decode()
    assert Client().get(f"/runs/{run.key}/at/C99.1.0/").status_code == 404


def test_nobody_gives_up_by_one_press() -> None:
    run, _entries = on_the_grid("Ana", "Bo")
    entry = playing(run)
    assert send(entry, run, do="resign").status_code == 422
    assert send(entry, run, do="resign", sure="yes").status_code == 302
    run.refresh_from_db()
    assert run.state["cars"][str(entry.start_number)]["why"] == "resigned"

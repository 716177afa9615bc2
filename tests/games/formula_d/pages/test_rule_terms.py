"""What a tap explains on the desk of a race: every link to a term of the rulebook leads to its paragraph."""

from __future__ import annotations

import re

import pytest

from championship.games.formula_d.cars import TERMS
from championship.games.formula_d.rule_pictures import GEARS, STOPS, TYRES, sign
from championship.runs.rulebook.figures import figures_of
from engine.formula_d.facts import AREAS
from tests.factories import signed_in
from tests.games.formula_d.pages.tables import on_the_grid, page_of

TERM = re.compile(r'<a class="term" href="(/rules/formula_d/about/([\w-]+)/)"')


@pytest.mark.django_db
def test_each_term_on_the_desk_and_beside_the_map_has_a_paragraph() -> None:
    run, (ana, _bo) = on_the_grid("Ana", "Bo", nitro=True, weather=True)
    client = signed_in(ana.driver)
    beside = client.get(f"/runs/{run.key}/at/C1.1.0/", headers={"HX-Request": "true"}).content.decode()
    terms = {term: address for address, term in TERM.findall(page_of(ana, run) + beside)}
    assert {"gears", "nitro", "weather", "collision", "corner-badge", "overshoot"} <= set(terms)
    for address in terms.values():
        answer = client.get(address, headers={"HX-Request": "true"})
        assert answer.status_code == 200, address
        assert 'id="place"' in answer.content.decode()


def test_each_area_of_wear_is_explained() -> None:
    assert set(TERMS) == set(AREAS)
    assert set(TERMS.values()) <= set(figures_of("formula_d").about)


def test_there_are_signs_for_gears_corners_and_tyres_and_no_others() -> None:
    assert all(sign(name) for name in (*GEARS, *STOPS, *TYRES))
    with pytest.raises(KeyError):
        sign("gear-7")

"""What a tap explains in the cockpit: every link to a term of the rulebook leads to its paragraph."""

from __future__ import annotations

import re

import pytest

from championship.games.dust.rule_pictures import ICONS, sign
from championship.runs.rulebook.figures import figures_of
from tests.factories import signed_in
from tests.games.dust.pages.scenes import on_the_road, page_of, post, seat_of

TERM = re.compile(r'<a class="term[^"]*" href="(/rules/dust/about/([\w-]+)/)"')


@pytest.mark.django_db
def test_each_term_in_the_cockpit_has_a_paragraph() -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    post(ana, run, "prepare")
    terms = {term: address for address, term in TERM.findall(page_of(ana, run))}
    assert {"speed-points", "popularity", "keys", "traction", "hits", "risk-die", "team-board"} <= set(terms)
    assert "player-die" in terms, "on the dice of the board nothing but their use can be tapped"
    client = signed_in(ana.driver)
    for address in terms.values():
        answer = client.get(address, headers={"HX-Request": "true"})
        assert answer.status_code == 200, address
        assert 'id="place"' in answer.content.decode()


@pytest.mark.django_db
def test_a_tap_on_a_card_shows_its_words() -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    post(ana, run, "prepare")
    page = page_of(ana, run)
    cards = dict(re.findall(r'<a class="term" href="([^"]*/at/((?:stage|card)-[^"]+)/)"', page))
    assert len([name for name in cards.values() if name.startswith("stage-")]) == 6
    assert len([name for name in cards.values() if name.startswith("card-")]) == 9
    held = re.findall(r'class="held-card" data-at="([^"]*/at/card-[^"]+/)" data-pick', page)
    assert len(held) == len(set(seat_of(run, ana)["hand"])), "its name above the thumb leads there"
    plain = re.findall(r'class="told"><a href="([^"]*/at/card-[^"]+/)" hx-boost="false">What its signs mean', page)
    assert sorted(plain) == sorted(held), "without script its link stands below the card"
    client = signed_in(ana.driver)
    for address in [*cards, *held]:
        answer = client.get(address, headers={"HX-Request": "true"})
        assert answer.status_code == 200 and 'class="playcard-words"' in answer.content.decode()
    for nothing in ("stage-0", "stage-11", "stage-x", "card-", "card-no-such", "A3"):
        assert client.get(f"/runs/{run.key}/at/{nothing}/").status_code == 404, nothing


def test_every_sign_of_a_term_is_drawn_and_others_are_unknown() -> None:
    assert all(sign(term.sign) for term in figures_of("dust").about.values() if term.sign)
    assert all(f"#{name}" in sign(name) for name in ICONS)
    with pytest.raises(KeyError):
        sign("no-such-sign")

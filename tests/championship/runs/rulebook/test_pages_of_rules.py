"""The pages of the rules: all games, a rulebook with its anchors and its search, a term in a few lines."""

import re
from dataclasses import replace

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.utils.translation import override

from championship import catalogue
from championship.platform.refusals import RefusalMiddleware, Refused
from championship.runs.pages import rules_views
from championship.runs.rulebook import figures
from championship.runs.rulebook.book import RulebookError, book_of, read, rule_address
from championship.runs.rulebook.reference import all_numbers
from championship.runs.rulebook.searching import search
from tests.championship.rallies.factories import make_rally
from tests.championship.runs.factories import driven
from tests.factories import make_user

pytestmark = pytest.mark.django_db

WRITTEN = (
    "# A game\n\nWho is first wins.\n\n## A turn {#turn}\n\nŁódź *rolls* first. {E3 D1}\n\n- one {E3}\n- two\n\n"
    "<!-- more -->\n\n### Signs {#signs}\n\n| sign | says |\n|---|---|\n| a | <b> |\n"
)


def page(address: str, language: str = "en") -> str:
    answer = Client(headers={"accept-language": language}).get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def test_every_number_of_the_numbered_rules_is_an_anchor_of_the_rulebook() -> None:
    shown = page("/rules/dirt/")
    anchors = re.findall(r' id="([A-Z]\d+)"', shown)
    assert len(anchors) == len(set(anchors))
    assert set(anchors) == set(all_numbers("dirt"))


def test_the_list_of_games_leads_to_each_rulebook() -> None:
    shown = page("/rules/")
    for game in ("dirt", "formula_d", "dust"):
        assert f'href="/rules/{game}/"' in shown
        assert page(f"/rules/{game}/")


def test_a_rulebook_is_read() -> None:
    book = read(WRITTEN, game="dirt", language="en")
    assert (book.title, [topic.ident for topic in book.topics]) == ("A game", ["turn", "signs"])
    text, points = book.first[0].blocks
    assert (text.rules, text.aliases) == (("E3", "D1"), ("E3", "D1"))
    assert text.html.startswith("Łódź <em>rolls</em> first. <small")
    assert 'href="/rules/dirt/reference/#E3"' in text.html
    assert (points.rules, points.aliases) == (("E3",), ())
    assert book.more[0].blocks[0].rows[1] == ("a", "&lt;b&gt;")


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("No title", "begins with its title"),
        ("# T\n\n## No id\n", "{#id}"),
        ("# T\n\n## A {#a}\n\n## B {#a}\n", "two headings"),
        ("# T\n\n## A {#a}\n\n![x](photo.png)\n", "figure:name or sign:name"),
        ("# T\n\n## A {#a}\n\ntext ![x](figure:x)\n", "only a sign"),
    ],
)
def test_a_book_that_does_not_keep_to_the_format_is_an_error(wrong: str, why: str) -> None:
    with pytest.raises(RulebookError, match=re.escape(why)):
        read(wrong, game="dirt", language="en")


def test_a_search_finds_words_without_their_accents_and_marks_them() -> None:
    book = read(WRITTEN, game="dirt", language="en")
    found = search(book, "  LODZ roll ")
    assert found is not None
    assert [hit.topic.ident for hit in found.hits] == ["turn"]
    assert found.hits[0].excerpt == "<mark>Łódź</mark> <mark>rolls</mark> first."
    assert found.blocks == [book.first[0].blocks[0]]
    assert search(book, " .,- ") is None
    nothing = search(book, "<b>&nothing" * 20)
    assert nothing is not None
    assert nothing.hits == []


@pytest.mark.parametrize(
    ("game", "language", "typed", "topic"),
    [
        ("formula_d", "en", "overtake", "slipstream"),
        ("formula_d", "de", "Unfall", "collision"),
        ("formula_d", "de", "gewinnen", "win"),
        ("dust", "en", "accelerated", "conditions"),
        ("dust", "de", "Schlüssel", "resources"),
    ],
)
def test_a_search_finds_compounds_other_endings_and_words_that_players_use(
    game: str, language: str, typed: str, topic: str
) -> None:
    with override(language):
        book = book_of(game)
        assert book is not None
        found = search(book, typed, also=figures.figures_of(game).also.get(language, {}))
    assert found is not None
    assert topic in [hit.topic.ident for hit in found.hits]
    assert not [hit for hit in found.hits if hit.excerpt.endswith(":")], "with the list that it announces"


@pytest.mark.parametrize(
    ("game", "language", "typed", "topic"),
    [
        ("dirt", "en", "may I overtake", "passing"),
        ("dirt", "en", "what happens with 3 warnings", "warnings"),
        ("dirt", "en", "can two cars share a space", "room"),
        ("dirt", "de", "was passiert bei 3 Warnungen", "warnings"),
        ("dirt", "de", "zwei Autos auf einem Feld", "room"),
        ("dirt", "pl", "przerzut", "securing"),
        ("dirt", "pl", "ile kosztuje utrata kontroli", "loss"),
        ("dust", "en", "how do I get points", "win"),
        ("dust", "de", "wer ist dran", "phases"),
        ("dust", "pl", "kiedy koniec gry", "last-round"),
        ("formula_d", "en", "brake", "brake"),
        ("formula_d", "de", "wann darf ich in die Box", "pit-in"),
        ("formula_d", "pl", "deszcz", "wet"),
    ],
)
def test_a_question_of_a_player_finds_its_topic_among_the_first_three(
    game: str, language: str, typed: str, topic: str
) -> None:
    with override(language):
        book = book_of(game)
        assert book is not None
        found = search(book, typed, also=figures.figures_of(game).also.get(language, {}))
    assert found is not None
    assert topic in [hit.topic.ident for hit in found.hits[:3]]


def test_where_no_paragraph_has_all_words_the_topics_with_most_are_found() -> None:
    book = read(WRITTEN, game="dirt", language="en")
    found = search(book, "where rolls nothing")
    assert found is not None
    assert found.partly and [hit.topic.ident for hit in found.hits] == ["turn"]
    assert "<mark>rolls</mark>" in found.hits[0].excerpt
    small = search(book, "where is the")
    assert small is not None, "there is nothing else to look for"


def test_the_search_of_a_page_shows_what_was_typed_and_highlights_paragraphs() -> None:
    shown = page("/rules/dirt/?q=Gear%20<x")
    assert 'value="Gear &lt;x"' in shown
    assert "No paragraph has all these words. These have most of them:" in shown
    assert "No paragraph has all these words. Try one word" in page("/rules/dirt/?q=zzz")
    assert 'class="found"' in page("/rules/dirt/?q=dice")


@pytest.mark.parametrize("game", ["dirt", "dust", "formula_d"])
def test_the_rules_in_five_minutes_come_first_and_lead_to_the_rest(game: str) -> None:
    first = f'href="/rules/{game}/first/"'
    book, brief = page(f"/rules/{game}/"), page(f"/rules/{game}/first/")
    assert first in book.split('<header class="pagehead">')[1].split("</header>")[0], "below the title"
    targets = re.findall(rf'href="/rules/{game}/#([a-z-]+)"', brief)
    assert len(targets) >= 5
    assert not [target for target in targets if f' id="{target}"' not in book]
    assert first in page("/rules/")
    assert page("/practice/").count(first) == 2, "at the school and at the lessons"


def test_a_stage_leads_to_its_rules_in_brief_and_a_game_without_them_to_its_rules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run, _entries = driven("Ana", stages=("4/1",))
    addresses = (run.get_absolute_url(), run.special_stage.get_absolute_url())
    for address in addresses:
        assert 'href="/rules/dirt/first/"' in page(address)
    monkeypatch.setitem(catalogue._GAMES, "dirt", replace(catalogue.get("dirt"), rulebook=None))
    for address in addresses:
        assert "/rules/dirt/first/" not in page(address)
    assert Client().get("/rules/dirt/first/").status_code == 404


def test_a_term_is_a_page_and_a_part_of_one() -> None:
    assert "<!doctype html>" in page("/rules/dirt/about/warning/")
    part = Client(headers={"hx-request": "true"}).get("/rules/dirt/about/warning/").content.decode()
    assert "<html" not in part
    assert 'href="/rules/dirt/#' in part
    slipstream = page("/rules/formula_d/about/slipstream/")
    assert "both cars are in gear 4 or higher" in slipstream, "what a colon announces comes along"
    assert "You may do it again" not in slipstream
    for unknown in ("nothing", "Z9", "e4"):
        assert Client().get(f"/rules/dirt/about/{unknown}/").status_code == 404


def test_a_refusal_leads_to_the_paragraph_of_its_rule_with_the_example() -> None:
    run, _entries = driven("Ana", stages=("4/1",))
    stranger = Client()
    stranger.force_login(make_user("Bo"))
    address = f"{run.get_absolute_url()}turn/"
    answer = stranger.post(address, {"version": "1", "key": "k" * 12, "do": "lay", "plan": "1", "roll": "first"})
    assert answer.status_code == 403
    assert 'data-about="/rules/dirt/about/O1/"' in answer.content.decode(), "on the page of the stage"
    assert 'id="place"' in page("/rules/dirt/about/O1/")
    assert 'id="figure-marker"' in page("/rules/dust/about/N1/"), "the first topic that names it has no example"
    written = page("/rules/dust/")
    assert written.count('id="N1"') == 1
    assert written.index('id="marker"') < written.index('id="N1"') < written.index('id="figure-marker"'), "as the link"
    request = RequestFactory().post(address)
    request.user = AnonymousUser()
    refusal = Refused("Not so.", rule="M7", game="dirt")
    refused = RefusalMiddleware(lambda _request: HttpResponse()).process_exception(request, refusal)
    assert refused is not None
    assert 'href="/rules/dirt/about/M7/"' in refused.content.decode(), "on a page of its own"
    unknown = RefusalMiddleware(lambda _request: HttpResponse()).process_exception(request, Refused("No.", rule="Z9"))
    assert unknown is not None
    assert "/about/" not in unknown.content.decode()


@pytest.mark.parametrize("game", ["dirt", "dust", "formula_d"])
def test_the_rulebook_says_how_chances_are_counted(game: str) -> None:
    assert "exact" in page(f"/rules/{game}/about/chances/")


def test_an_address_is_given_only_for_a_rule_that_can_be_read() -> None:
    assert rule_address("dirt", "M7") == "/rules/dirt/about/M7/"
    assert rule_address("dust", "C1") == "/rules/dust/#C1", "no paragraph names it"
    assert rule_address("dirt", "Z9") == ""


def test_the_number_of_a_rule_brings_its_paragraph_and_its_example_beside_the_map() -> None:
    part = Client(headers={"hx-request": "true"}).get("/rules/dirt/about/M8/").content.decode()
    assert '<article id="place"' in part
    assert "A car in a bend or a slide decides the way." in part
    assert 'id="figure-following"' in part
    assert 'id="figure-passing"' not in part


def test_every_page_leads_to_the_rules_and_a_rally_and_its_stage_to_those_of_their_game() -> None:
    assert 'href="/rules/"' in page("/")
    run, _entries = driven("Ana", stages=("4/1",))
    rally = run.special_stage.rally
    for address in (rally.get_absolute_url(), run.special_stage.get_absolute_url(), run.get_absolute_url()):
        assert page(address).count('href="/rules/dirt/"') >= 1, address


def test_a_rally_says_its_rules_in_words_with_their_paragraphs() -> None:
    rally = make_rally(options={"sisu": "service", "spare_repairs": "gear"})
    shown = re.sub(r"\s+", " ", page(rally.get_absolute_url()))
    assert "SISU token: <strong>one, and it comes back with service</strong>" in shown
    assert "Damage that the spare wheel repairs: <strong>a damaged gear die</strong>" in shown
    assert '<a href="/rules/dirt/#spare-wheel">Rules: The spare wheel</a>' in shown
    assert "(E4)" not in shown


def test_lessons_lead_to_their_paragraphs() -> None:
    shown = page("/practice/")
    assert 'href="/rules/dirt/#D3"' in shown
    assert 'href="/rules/dirt/"' in shown


def test_a_game_without_a_rulebook_shows_its_numbered_rules_or_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(catalogue._GAMES, "dirt", replace(catalogue.get("dirt"), rulebook=None))
    assert '<p id="E3"' in page("/rules/dirt/")
    assert Client().get("/rules/dirt/about/warning/").status_code == 404
    monkeypatch.setitem(catalogue._GAMES, "dirt", replace(catalogue.get("dirt"), rules=None))
    assert Client().get("/rules/dirt/").status_code == 404
    assert 'href="/rules/dirt/' not in page("/rules/")
    assert "D3, D4" in page("/practice/")
    assert 'href="/rules/dirt/' not in page("/practice/")


def test_a_number_that_no_paragraph_names_leads_to_the_numbered_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    book = read(WRITTEN, game="dirt", language="en")
    monkeypatch.setattr(rules_views, "book_of", lambda _game: book)
    shown = page("/rules/dirt/")
    assert '<a id="E4" href="/rules/dirt/reference/#E4">E4</a>' in shown
    assert shown.count('id="E3"') == 1

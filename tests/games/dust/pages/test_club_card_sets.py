"""A club's own card sets over HTTP: imported, checked, viewed as cards, saved as versions, driven, archived."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from championship.archive.services.restoring import restore_club
from championship.audit.models import Record
from championship.clubs.models import Club, Role
from championship.games.dust.models import LONGEST_TEXT, CardSet, SetVersion
from championship.games.dust.services import sets
from championship.platform.refusals import Refused
from championship.rallies import services as rallies
from championship.runs.models import Run
from championship.stages.models import StageDesign
from engine import registry
from engine.dust.cards import card_set_reading
from tests.championship.archive.scenes import archived, emptied
from tests.championship.rallies.factories import enter
from tests.factories import make_club, make_member, signed_in
from tests.games.dust.engine.test_thirty_errors import FAULTS

pytestmark = pytest.mark.django_db

TEXT = card_set_reading.own_text()
OTHER = TEXT.replace("cost = 5\npoints = 3", "cost = 6\npoints = 4")


class Box:
    """An organiser of a club that owns the box."""

    def __init__(self) -> None:
        self.club = make_club()
        self.olga = make_member(self.club, name="Olga", roles=[Role.ORGANISER])
        self.page = signed_in(self.olga)

    def at(self, rest: str = "") -> str:
        return f"/dust/clubs/{self.club.slug}/sets/{rest}"

    def bring(self, text: str = TEXT, name: str = "The box", **more: Any) -> Any:
        return self.page.post(self.at("new/"), {"name": name, "text": text, **more})

    def brought(self, text: str = TEXT, name: str = "The box") -> CardSet:
        return sets.import_set(by=self.olga, club=self.club, name=name, text=text).card_set


def faulty() -> str:
    text = TEXT
    for old, new, *_rest in FAULTS:
        text = text.replace(old, new, 1)
    return text


def rows(page: str) -> list[tuple[str, ...]]:
    """Return the table of errors: line, card, rule, reason."""
    return [
        tuple(re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row))
        for row in re.findall(r"<tr>(.*?)</tr>", page.split('class="faults"')[1].split("<tbody>")[1])
    ]


def started(box: Box, card_set: CardSet, *crews: str) -> Run:
    design = sets.designs_of(card_set).order_by("pk")[0]
    rally = rallies.create_rally(
        by=box.olga,
        club=box.club,
        name="Rally of cards",
        game="dust",
        designs=[design],
        options={},
        mode="convoy",
        turn_hours=24,
        reminder_hours=4,
        auto_start=True,
    )
    enter(rally, *crews)
    rallies.start_rally(by=box.olga, rally=rally)
    return Run.objects.get(special_stage__rally=rally)


@pytest.mark.slow
def test_a_set_is_pasted_looked_at_and_saved() -> None:
    box = Box()
    looked = box.bring(check="1")
    page = looked.text
    assert looked.status_code == 200 and "It has no faults" in page
    assert page.count('class="playcard"') == len(card_set_reading.own().cards) + 55
    assert not CardSet.objects.exists(), "looking saves nothing"
    saved = box.bring()
    made = CardSet.objects.get(club=box.club)
    assert saved["Location"] == made.get_absolute_url()
    shown = box.page.get(made.get_absolute_url()).text
    assert "Turbocharger" in shown and "Version 1" in shown
    in_the_library = StageDesign.objects.filter(club=box.club, game="dust")
    assert in_the_library.order_by("pk")[0].name == "Saltwind Coast · The box 1"
    assert in_the_library.count() == len(card_set_reading.own().stages)
    assert all(design.spec["digest"] == made.versions.get().digest for design in in_the_library)
    acts = list(Record.objects.filter(club_id=box.club.pk).order_by("pk").values_list("action", flat=True))
    assert acts[-7:] == ["card set saved", *["stage designed"] * 6]
    club_page = box.page.get(f"/clubs/{box.club.slug}/stages/").text
    assert box.at() in club_page and "Saltwind Coast · The box 1" in club_page
    assert "saved a card set" in box.page.get(f"/clubs/{box.club.slug}/log/").text


def test_stages_are_listed_in_the_order_of_the_text() -> None:
    """E10: a set loaded from the database has the same digest, but its tables are in another order."""
    document = card_set_reading.document(TEXT)
    turned = {name: dict(reversed(table.items())) for name, table in document.items() if name in ("stages", "pools")}
    card_set_reading._compiled.cache_clear()
    read_before = card_set_reading.of_document({**document, **turned})
    assert next(iter(read_before.stages)) == list(document["stages"])[-1]
    box = Box()
    shelved = sets.designs_of(box.brought()).order_by("pk")
    assert list(dict.fromkeys(design.spec["stage"] for design in shelved)) == list(document["stages"])
    card_set_reading._compiled.cache_clear()


def test_a_set_is_sent_as_a_file_and_its_text_stays_where_it_can_be_mended() -> None:
    box = Box()
    file = SimpleUploadedFile("cards.toml", TEXT.replace("format = 1", "format = 2").encode())
    answer = box.page.post(box.at("new/"), {"name": "The box", "text": "", "file": file})
    assert answer.status_code == 422
    assert "format is not 1" in answer.text and "Parc Ferme card set" in answer.text
    file = SimpleUploadedFile("cards.toml", TEXT.encode())
    assert box.page.post(box.at("new/"), {"name": "The box", "text": "", "file": file}).status_code == 302


@pytest.mark.parametrize("check", [{}, {"check": "1"}])
def test_e10_thirty_different_faults_are_named_each_with_line_card_rule_and_reason(check: dict[str, str]) -> None:
    box = Box()
    answer = box.bring(faulty(), **check)
    assert answer.status_code == 422 and not CardSet.objects.exists()
    found = rows(answer.text.replace("&#x27;", "'").replace("&gt;", ">"))
    for _old, _new, card, rule, reason in FAULTS:
        named = [row for row in found if row[1:3] == (card, rule) and reason in row[3]]
        assert named, (card, rule, reason)
        assert all(row[0].isdigit() for row in named)
    assert len(found) >= len(FAULTS) == 30
    assert "ayrton" in answer.text.split("<textarea")[1], "what was typed stays"


def test_c4_u2_a_set_that_lacks_cards_of_the_box_is_refused() -> None:
    box = Box()
    answer = box.bring(
        TEXT.replace('title = "Crew Ready"\nset = "start"\ncopies = 2', 'title = "R"\nset = "start"\ncopies = 1')
    )
    assert answer.status_code == 422 and "4 starting cards, the box has 5" in answer.text


def test_a_run_keeps_the_version_it_was_begun_with() -> None:
    box = Box()
    card_set = box.brought()
    run = started(box, card_set, "Ana", "Bo")
    digest = run.state["digest"]
    changed = box.page.post(box.at(f"{card_set.key}/change/"), {"text": OTHER, "seen": "1"})
    assert changed.status_code == 302, changed.text
    assert [one.number for one in card_set.versions.all()] == [2, 1]
    run.refresh_from_db()
    assert run.state["digest"] == digest == card_set.versions.get(number=1).digest
    assert card_set_reading.of_document(run.state["set"]).cards["title-sponsor"].cost == 5
    names = set(StageDesign.objects.filter(club=box.club).values_list("name", flat=True))
    assert "Saltwind Coast · The box 1" in names, "a rally drives it"
    assert "Harrow Pass · The box 1" not in names and "Harrow Pass · The box 2" in names
    assert started(box, CardSet.objects.get(), "Cy").state["digest"] in {digest, card_set.versions.get(number=2).digest}
    first, second = (box.page.get(box.at(f"{card_set.key}/{number}/cards.toml")).text for number in (1, 2))
    assert (first, second) == (TEXT, OTHER)


def test_a_change_is_refused_when_another_came_first_and_when_there_is_none() -> None:
    box = Box()
    card_set = box.brought()
    same = box.page.post(box.at(f"{card_set.key}/change/"), {"text": TEXT, "seen": "1"})
    assert same.status_code == 422 and "Nothing has changed" in same.text
    sets.save_next_version(by=box.olga, card_set=card_set, text=OTHER, seen=1)
    late = box.page.post(box.at(f"{card_set.key}/change/"), {"text": TEXT + "\n# late", "seen": "1"})
    assert late.status_code == 409 and "# late" in late.text
    assert card_set.versions.count() == 2


def test_a_set_goes_out_of_the_library_unless_a_rally_drives_it() -> None:
    box = Box()
    driven, idle = box.brought(), box.brought(OTHER, "Idle")
    started(box, driven, "Ana")
    assert box.page.post(box.at(f"{idle.key}/remove/")).status_code == 302
    assert not StageDesign.objects.filter(name__contains="Idle").exists()
    refused = box.page.post(box.at(f"{driven.key}/remove/"))
    assert refused.status_code == 422 and "A rally uses a stage of this set" in refused.text
    assert list(CardSet.objects.all()) == [driven]
    assert StageDesign.objects.filter(club=box.club).count() == 6, "nothing of it is gone"


def test_members_look_organisers_change_and_to_all_others_there_is_nothing() -> None:
    box, other = Box(), Box()
    card_set = box.brought()
    pages = ("", "ours/", "ours/cards.toml", f"{card_set.key}/", f"{card_set.key}/1/", f"{card_set.key}/1/cards.toml")
    writes = ("new/", f"{card_set.key}/change/", f"{card_set.key}/remove/")
    driver = signed_in(make_member(box.club))
    for rest in pages:
        assert driver.get(box.at(rest)).status_code == 200, rest
        assert other.page.get(box.at(rest)).status_code == 404, rest
        assert Client().get(box.at(rest)).status_code == 302, rest
    for rest in writes:
        sent = {"name": "Mine", "text": OTHER, "seen": "1"}
        assert driver.post(box.at(rest), sent).status_code == 403, rest
        assert other.page.post(box.at(rest), sent).status_code == 404, rest
    assert other.page.get(other.at(f"{card_set.key}/")).status_code == 404, "another club's set at one's own address"
    assert box.page.get(box.at(f"{card_set.key}/7/")).status_code == 404
    assert box.page.get(box.at(f"{card_set.key}/{'9' * 30}/")).status_code == 404
    assert SetVersion.objects.count() == 1


HOSTILE = (
    "x" * (LONGEST_TEXT + 1),
    "[" * 5000,
    "a = " + "[" * 3000 + "]" * 3000,
    ".".join(["a"] * 20_000) + " = 1",
    TEXT + "\nx = nan",
    TEXT + "\nx = " + "9" * 5000,
    TEXT + "\nx = 0x" + "f" * 5000,
    TEXT.replace("Turbocharger", "\\u0000"),
    TEXT.replace("Turbocharger", "Turbo\\u202echarger"),
    TEXT.replace("Turbocharger", "T" * 5000),
    TEXT.replace("copies = 2", "copies = 999999999", 1),
    TEXT.replace("boost_supply = 10", "boost_supply = 99999999999"),
    TEXT.replace("hand = 5", "hand = 1979-05-27"),
    '"""' * 9000,
    "characters = 5\n" + TEXT,
    'characters = [["harry"]]\n' + TEXT,
    'characters = ["nobody"]\n' + TEXT,
    "card = 3\nstages = 1\npools = []\ndrivers = 2",
    "\ufeff" + TEXT[:400],
    "   ",
    "",
)


def test_hostile_texts_are_refused_with_words() -> None:
    """All texts go through the service that the page calls. Those that could break a form go over HTTP too."""
    box = Box()
    for text in HOSTILE:
        with pytest.raises(Refused) as refused:
            sets.import_set(by=box.olga, club=box.club, name="The box", text=text)
        assert refused.value.message and refused.value.field == "text"
    for text in (HOSTILE[0], "a\0b", HOSTILE[-1]):
        for more in ({}, {"check": "1"}):
            assert box.bring(text, **more).status_code == 422
    assert not CardSet.objects.exists() and not StageDesign.objects.filter(club=box.club).exists()


@pytest.mark.parametrize("name", ["", "N" * 41, "Two\nlines", "turned \u202e round"])
def test_names_that_are_none_are_refused(name: str) -> None:
    box = Box()
    assert box.bring(name=name).status_code == 422
    assert not CardSet.objects.exists()


def test_o1_a_mix_of_both_pools_is_driven_as_a_stage_of_its_own() -> None:
    box = Box()
    mixed = "mixed = " + str(["quick-swap", *card_set_reading.own().pools["basic"][1:]]).replace("'", '"')
    card_set = box.brought(TEXT.replace("[pools]\n", f"[pools]\n{mixed}\n"))
    names = list(sets.designs_of(card_set).order_by("pk").values_list("name", flat=True))
    assert len(names) == 6 + 5 and "Harrow Pass · The box 1 · mixed" in names
    design = sets.designs_of(card_set).get(name="Harrow Pass · The box 1 · mixed")
    state = registry.get("dust").setup(design.spec, [{"id": "1"}], {})
    assert "quick-swap" in state["pool"] and "tyre-change" not in state["pool"]


@pytest.mark.parametrize(
    ("what", "most"), [("stages", sets.MOST_STAGES), ("cards", sets.MOST_CARDS), ("pools", sets.MOST_POOLS)]
)
def test_a_set_that_is_more_than_a_club_may_bring_is_refused(what: str, most: int) -> None:
    box = Box()
    stage = TEXT.split("[stages.harrow]")[1].split("[stages.")[0]
    basic = TEXT.split("[pools]\nbasic = ")[1].split("\n")[0]
    card = '\n[[card]]\nname = "more%d"\nset = "basic"\nnumber = 1\ncost = 1'
    pools = "".join(f"more{number} = {basic}\n" for number in range(most + 1))
    more = {
        "stages": TEXT + "".join(f"\n[stages.more{number}]{stage}" for number in range(most)),
        "cards": TEXT + "".join(card % number for number in range(most)),
        "pools": TEXT.replace("[pools]\n", f"[pools]\n{pools}"),
    }
    answer = box.bring(more[what])
    assert answer.status_code == 422 and f"a card set has at most {most} {what}" in answer.text
    assert box.bring(more[what], check="1").status_code == 422
    assert not CardSet.objects.exists() and not StageDesign.objects.filter(club=box.club).exists()


def test_two_sets_of_the_same_cards_have_stages_of_their_own() -> None:
    box = Box()
    first, second = box.brought(), box.brought(name="The same again")
    sets.remove_set(by=box.olga, card_set=second)
    assert sets.designs_of(first).count() == 6 == StageDesign.objects.filter(club=box.club).count()


def test_two_sets_of_one_name_and_what_is_no_text() -> None:
    box = Box()
    box.brought()
    assert "card set of that name" in box.bring(OTHER).text
    file = SimpleUploadedFile("cards.toml", b"\xff\xfe\x00")
    assert "neither text in UTF-8" in box.page.post(box.at("new/"), {"name": "B", "file": file}).text
    large = SimpleUploadedFile("cards.toml", b"#" * (LONGEST_TEXT + 1))
    assert "too large" in box.page.post(box.at("new/"), {"name": "B", "file": large}).text


def test_pages_ask_for_the_same_few_rows_however_many_versions_there_are(django_assert_max_num_queries: Any) -> None:
    box = Box()
    card_set = box.brought()
    for number in range(1, 4):
        sets.save_next_version(by=box.olga, card_set=card_set, text=f"{TEXT}\n# {number}", seen=number)
    for rest in ("", f"{card_set.key}/", f"{card_set.key}/2/"):
        with django_assert_max_num_queries(14):
            assert box.page.get(box.at(rest)).status_code == 200


def test_the_archive_takes_sets_along_and_a_run_begun_with_one_is_as_it_was() -> None:
    box = Box()
    card_set = box.brought()
    sets.save_next_version(by=box.olga, card_set=card_set, text=OTHER, seen=1)
    key, texts = card_set.key, {one.number: one.text for one in card_set.versions.all()}
    names = set(StageDesign.objects.filter(club=box.club).values_list("name", flat=True))
    file = archived(Club.objects.get(pk=box.club.pk))
    emptied()
    assert not CardSet.objects.exists()
    club = restore_club(by=None, owner=None, file=file)
    back = CardSet.objects.get(club=club)
    assert (back.key, {one.number: one.text for one in back.versions.all()}) == (key, texts)
    assert set(StageDesign.objects.filter(club=club).values_list("name", flat=True)) == names
    assert sets.designs_of(back).count() == 6

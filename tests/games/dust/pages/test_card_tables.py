"""The cards of a set as a table: taken away, brought again unchanged, changed in a spreadsheet, column by column."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from championship.games.dust.models import CardSet, SetVersion
from engine.dust.cards import card_set_reading, card_tables
from tests.games.dust.pages.test_club_card_sets import Box

pytestmark = pytest.mark.django_db


def own() -> str:
    return card_set_reading.own_text(card_set_reading.NEWEST)


def table(box: Box, kind: str = "csv", rest: str = "ours/", language: str = "en") -> bytes:
    answer = box.page.get(box.at(f"{rest}cards.{kind}"), headers={"Accept-Language": language})
    assert answer.status_code == 200
    return bytes(answer.content)


def sent(content: bytes, name: str = "cards.csv", **more: str) -> dict[str, object]:
    return {"name": "The box", "file": SimpleUploadedFile(name, content), **more}


@pytest.mark.parametrize(("kind", "language"), [("csv", "en"), ("csv", "de"), ("csv", "pl"), ("xlsx", "en")])
def test_the_table_of_a_set_comes_in_again_unchanged(kind: str, language: str) -> None:
    box = Box()
    made = box.brought(own())
    written = table(box, kind, f"{made.key}/1/", language)
    looked = box.page.post(box.at(f"{made.key}/change/"), sent(written, f"cards.{kind}", seen="1"))
    assert looked.status_code == 200 and "It has no faults" in looked.text
    text = looked.context["form"].data["text"]
    assert card_set_reading.digest(card_set_reading.document(text)) == made.versions.get().digest
    same = box.page.post(box.at(f"{made.key}/change/"), {"text": text, "seen": 1})
    assert same.status_code == 422 and "Nothing has changed since version 1" in same.text


def test_a_card_that_was_changed_in_a_spreadsheet_is_looked_at_and_saved() -> None:
    box = Box()
    lines = table(box).decode("utf-8-sig").replace("Crew Ready", "Crew Steady")
    looked = box.page.post(box.at("new/"), sent(lines.encode("utf-16")))
    assert looked.status_code == 200 and "Crew Steady" in looked.text
    assert not CardSet.objects.exists(), "looking saves nothing"
    saved = box.page.post(box.at("new/"), {"name": "The box", "text": looked.context["form"].data["text"]})
    assert saved.status_code == 302
    cards = card_set_reading.read(SetVersion.objects.get().text)
    assert cards.cards["ready"].title == "Crew Steady"
    assert cards.cards["ready"].effects == card_set_reading.own(card_set_reading.NEWEST).cards["ready"].effects


def test_a_faulty_table_names_each_fault_with_its_card() -> None:
    box = Box()
    lines = table(box).decode("utf-8-sig").replace("brake: traction 1", "brake: fly 1", 1)
    refused = box.page.post(box.at("new/"), sent(lines.encode()))
    assert refused.status_code == 422 and "ready" in refused.text and "fly" in refused.text
    assert not CardSet.objects.exists()


def test_what_a_column_is_can_be_said() -> None:
    box = Box()
    lines = table(box).decode("utf-8-sig").replace("name,title,", "name,headline,", 1)
    looked = box.page.post(box.at("new/"), sent(lines.encode()))
    headline = next(each for each in looked.context["table"].columns if each.heading == "headline")
    assert headline.role == "" and "Crew Ready" not in looked.context["form"].data["text"]
    told = {f"column-{each.index}": each.role for each in looked.context["table"].columns} | {"column-1": "title"}
    kept = looked.context["form"].data["table"]
    again = box.page.post(box.at("new/"), {"name": "The box", "text": "x", "table": kept, "again": "1", **told})
    assert 'title = "Crew Ready"' in again.context["form"].data["text"]
    assert again.status_code == 200
    next_time = box.page.post(box.at("new/"), sent(lines.encode()))
    assert 'title = "Crew Ready"' in next_time.context["form"].data["text"], "the club has said it before"
    back = {name: "" if name == "column-1" else role for name, role in told.items()}
    box.page.post(box.at("new/"), {"name": "The box", "text": "x", "table": kept, "again": "1", **back})
    assert "Crew Ready" not in box.page.post(box.at("new/"), sent(lines.encode())).context["form"].data["text"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"PK\x03\x04zip", "damaged"),
        (b"%PDF-1.7\xff\xfe", "a picture, a PDF"),
        (b"\xff\xfe\x00\xd8", "The file is neither text in UTF-8 nor a table"),
        (b"name,title\nx,y\n", "is no card of the team piles"),
        (b"a;b\n1;2\n", "not a TOML file"),
    ],
)
def test_what_is_no_table_and_no_set_is_refused(content: bytes, says: str) -> None:
    box = Box()
    refused = box.page.post(box.at("new/"), sent(content))
    assert refused.status_code == 422 and says in refused.text


def test_e1_an_effect_reads_as_it_is_written() -> None:
    for edition in range(len(card_set_reading.EDITIONS)):
        document = card_set_reading.own_document(edition)
        heads, lines = card_tables.table_of(document)
        names = [head if head in card_tables.NAMES else "effects" for head in heads]
        rows = []
        for line in lines:
            row: dict[str, list[str]] = {}
            for name, cell in zip(names, line, strict=True):
                row.setdefault(name, []).append(cell)
            rows.append(row)
        assert card_tables.document_of(rows, document) == document
        assert card_set_reading.document(card_tables.toml_of_document(document)) == document


def test_a_table_of_cards_is_for_members() -> None:
    box, other = Box(), Box()
    made = box.brought(own())
    assert other.page.get(box.at(f"{made.key}/1/cards.csv")).status_code == 404
    assert other.page.get(other.at(f"{made.key}/1/cards.csv")).status_code == 404
    assert other.page.get(other.at("ours/cards.xlsx")).status_code == 200

"""Damaged and hostile lists: each is read or refused with a sentence, in little time."""

import io
import json
import time
import zipfile

import pytest

from championship.lists.found_json import as_json
from championship.lists.reading import Unreadable, choices_json, choices_of, read, sheets_of, workbooks
from championship.lists.reading.bounds import MOST_BYTES, MOST_LINES
from tests.championship.lists.mutants import mutants, outcome
from tests.championship.lists.test_files import FILES


@pytest.mark.parametrize("seed", range(3))
def test_damaged_lists_are_read_or_refused(seed):
    read_ones = 0
    for name, content in mutants(100, seed=seed):
        for results in (True, False):
            found = outcome(name, content, results=results)
            if found is not None:
                read_ones += 1
                json.dumps(as_json(found.found), ensure_ascii=False).encode("utf-8")
    assert read_ones > 100


def test_damaged_workbooks_are_read_or_refused():
    outcomes = [outcome(name, content, results=True) for name, content in mutants(12, seed=7, workbooks=True)]
    assert None in outcomes


HOSTILE = {
    "open quotes": b'name,place\n"' + b"a,1\n" * 200_000,
    "one long line": b"a;" * 900_000,
    "blank lines": b"\n" * 1_900_000,
    "marks without end": b"<td" * 200_000,
    "comments without end": b"<td><!--" * 200_000,
    "forum marks": b"[td][b][url=" * 50_000,
    "brackets": b"[" * 1_000_000,
    "nested JSON": b'{"a":' * 300_000,
    "figures": b"name,time\n" + b"A," + b"1" * 1_500_000,
    "blanks": b"1. A" + b" " * 1_500_000 + b"x",
    "accents": ("name\n" + "e" + "\u0301" * 900_000).encode(),
    "pipes": b"|" * 500_000,
    "many columns": b"name" + b",x" * 5000 + b"\n" + b"1,2\n" * 50,
    "mails": b"<a@b.c>;" * 200_000,
    "half mails": b"<a@" * 500_000,
    "rules": (b"-" * 3000 + b"x\n") * 200,
    "letters": (b"a " * 1500 + b"-\n") * 500,
    "scores": (b"a-" * 1500 + b"\n") * 500,
    "forum values": b"[b]" + b"[b=" * 500_000,
    "blanks between mails": b"a@b,c@d <," + b" " * 390_000 + b"x",
    "titles": b"<td><h1>" * 60_000,
    "colons": b"name;time\nA;" + b"1:" * 700_000,
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_text_takes_little_time(content):
    begun = time.process_time()
    for results in (True, False):
        outcome("x.csv", content, results=results)
    assert time.process_time() - begun < 8


def packed(**files: bytes) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/"), content)
    return written.getvalue()


def with_sheet(sheet: bytes, texts: bytes | None = None) -> bytes:
    """Return a workbook of these files whose first sheet is replaced, and its shared texts where they are given."""
    written = io.BytesIO()
    with (
        zipfile.ZipFile(FILES / "workbook-tenths.xlsx") as source,
        zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for each in source.infolist():
            shared = texts if each.filename.endswith("sharedStrings.xml") else None
            target.writestr(each, sheet if each.filename.endswith("sheet1.xml") else shared or source.read(each))
    return written.getvalue()


HEAD = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
FOOT = b"</sheetData></worksheet>"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (packed(content__xml=b"x"), "no workbook"),
        (packed(Index__x=b"x"), "Numbers"),
        (b"PK\x03\x04" + b"0" * 100, "damaged"),
        (with_sheet(HEAD + b" " * 60_000_000 + FOOT), "too large"),
        (
            with_sheet(
                HEAD
                + b'<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
                + FOOT
            ),
            "cannot be read",
        ),
        (
            with_sheet(
                HEAD + (b"<row>" + b'<c t="s"><v>0</v></c>' * 100 + b"</row>") * 600 + FOOT,
                HEAD.replace(b"worksheet", b"sst").replace(b"<sheetData>", b"<si><t>")
                + b"x" * 500
                + b"</t></si></sst>",
            ),
            "too large",
        ),
        (with_sheet(HEAD + b'<row r="1"><c r="A1" t="n"><v>1</v></c></row>' * 3), "cannot be read"),
    ],
    ids=["zip", "numbers", "broken", "bomb", "far corner", "one text in all cells", "cut off"],
)
def test_a_hostile_workbook_is_refused_with_a_sentence(content, says):
    begun = time.monotonic()
    with pytest.raises(Unreadable, match=says):
        read(content, results=True)
    assert time.monotonic() - begun < 15


def as_xml(inside: str, head: str = "") -> bytes:
    """Return a workbook of one sheet as Excel 2003 writes it."""
    space = "urn:schemas-microsoft-com:office:spreadsheet"
    sheet = f'<Worksheet ss:Name="A"><Table>{inside}</Table></Worksheet>'
    return f'<?xml version="1.0"?>{head}<Workbook xmlns="{space}" xmlns:ss="{space}">{sheet}</Workbook>'.encode()


XML_ROW = "<Row><Cell><Data>name</Data></Cell><Cell><Data>place</Data></Cell></Row>"
XML_WORKBOOKS = {
    "entities": (
        as_xml("<Row><Cell><Data>&b;</Data></Cell></Row>", '<!DOCTYPE a [<!ENTITY a "xx"><!ENTITY b "&a;&a;">]>'),
        "cannot be read",
    ),
    "another file": (
        as_xml(XML_ROW, '<!DOCTYPE a SYSTEM "file:///etc/passwd">'),
        "cannot be read",
    ),
    "cut off": (as_xml(XML_ROW)[:-40], "cannot be read"),
    "nested": (as_xml("<a>" * 20_000 + "</a>" * 20_000), "cannot be read"),
    "nothing": (as_xml(""), "empty"),
    "many cells": (as_xml("<Row>" + "<Cell/>" * 200_000 + "</Row>"), "empty"),
    "many rows": (as_xml("<Row/>" * 200_000), "too large"),
    "far rows": (as_xml(XML_ROW.replace("<Row>", '<Row ss:Index="9999999">') * 9_000 + "<Row/>" * 60_000), "too large"),
    "another encoding": (b'<?xml version="1.0" encoding="zz-9"?>' + as_xml(XML_ROW)[21:], "cannot be read"),
}


@pytest.mark.parametrize(("content", "says"), XML_WORKBOOKS.values(), ids=XML_WORKBOOKS.keys())
def test_a_hostile_workbook_of_xml_is_refused_with_a_sentence(content, says):
    begun = time.process_time()
    with pytest.raises(Unreadable, match=says):
        read(content, results=True)
    assert time.process_time() - begun < 5


def test_wide_and_far_cells_of_a_workbook_of_xml_keep_their_columns():
    second = '<Row ss:Index="5"><Cell ss:Index="2"><Data ss:Type="Number">1</Data></Cell></Row>'
    third = '<Row><Cell ss:MergeAcross="1"><Data>Ana</Data></Cell><Cell ss:Index="99999"><Data>x</Data></Cell></Row>'
    [sheet] = sheets_of(as_xml(XML_ROW + second + third)).sheets
    assert [(row.line, row.cells) for row in sheet.rows] == [(1, ("name", "place")), (5, ("", "1")), (6, ("Ana", ""))]


def test_one_workbook_is_read_at_a_time(monkeypatch):
    monkeypatch.setattr(workbooks, "SECONDS_BEFORE", 0.01)
    with workbooks.ONE_AT_A_TIME, pytest.raises(Unreadable, match="Too many requests"):
        read((FILES / "workbook-tenths.xlsx").read_bytes(), results=True)


def test_ten_thousand_lines_are_read_in_seconds_and_more_are_refused():
    lines = "rally;date;name;place;points;time\n" + "".join(
        f"Rally {n % 40};{n % 40 // 2 + 1}.2.2026;Driver {n % 300};{n % 60 + 1};{n % 25},5;12:34,{n % 10}\n"
        for n in range(MOST_LINES)
    )
    begun = time.process_time()
    found = read(lines.encode(), results=True)
    assert time.process_time() - begun < 8
    assert sum(len(each.results) for each in found.found.rounds) == MOST_LINES
    with pytest.raises(Unreadable, match="10000"):
        read((lines + "Rally 1;;Driver 1;1;1;\n").encode(), results=True)
    with pytest.raises(Unreadable, match="2 MB"):
        read(b"x" * (MOST_BYTES + 1), results=True)


def test_odd_choices_are_left_out():
    odd = {"sheet": True, "columns": {"0": "name", "x": "name", "99999": "name", "1": ["a"]}, "answers": {"dates": 1}}
    choices = choices_of(odd)
    assert choices_json(choices) == {"sheet": None, "columns": {"0": "name", "1": "['a']"}, "answers": {"dates": "1"}}
    found = read(b"Wer;Platz\nAna;1\n", results=True, choices=choices)
    assert [column.role for column in found.columns] == ["name", "place"]

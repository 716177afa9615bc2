"""Lists as spreadsheets write them, with and without errors: how they are parsed, and the message for every bad
line.
"""

import pytest
from django.utils import translation

from championship.archive.csv_reading import LARGEST, MOST_LINES, REGISTRATIONS, BadList, read, text_of
from championship.archive.driver_matching import WHO
from championship.platform.csv_text import plain


def cells_of(text: str) -> list[dict[str, str]]:
    return [dict(line.cells) for line in read(text, REGISTRATIONS, needed=WHO).lines]


def errors_of(text: str) -> list[str]:
    with pytest.raises(BadList) as refusal:
        read(text, REGISTRATIONS, needed=WHO)
    assert refusal.value.field == "text"
    return [str(problem) for problem in refusal.value.problems]


@pytest.mark.parametrize(
    "headings",
    [
        "e-mail address,crew,car class,team,start number",
        "Adres e-mail;Załoga;Klasa auta;Zespół;Numer startowy",
        "E-Mail-Adresse\tTeam\tFahrzeugklasse\tMannschaft\tStartnummer",
        '"E-MAIL"; "Crew"; Klasse ;Drużyna;Nr.',
    ],
)
def test_three_languages_and_three_delimiters(headings):
    delimiter = next(sign for sign in "\t;," if sign in headings)
    line = delimiter.join(["ana@example.org", '"Ana, Ann; and\tAl"', "R5", "North", "7"])
    (cells,) = cells_of(f"{headings}\r\n{line}\r\n")
    assert cells == {
        "email": "ana@example.org", "crew": "Ana, Ann; and Al", "class": "R5", "team": "North", "number": "7",
    }  # fmt: skip


def test_blank_lines_short_lines_and_columns_that_nobody_asks_for():
    found = read("\ufeff\n\nname;phone;crew\n\nAna;123\n;;\n  Bo ;;Bo / Bea\n", REGISTRATIONS, needed=WHO)
    told = [(line.number, line["name"], line["crew"]) for line in found.lines]
    assert told == [(5, "Ana", ""), (7, "Bo", "Bo / Bea")]
    assert found.unused == ("phone",)


def test_empty_lines_at_the_end_count_for_nothing_as_spreadsheets_write_them():
    assert [cells["name"] for cells in cells_of("name,crew\nAna,\n" + ",\n" * 100_000)] == ["Ana"]


def test_nothing_is_read_after_too_many_lines():
    """What comes after them would be refused for other reasons."""
    with pytest.raises(BadList) as refused:
        cells_of("name\n" + "Ana\n" * (MOST_LINES + 1) + '"Bo\n')
    assert "At most 1000 lines" in str(refused.value.problems[0])


def test_a_cell_over_two_lines_is_one_line_of_text_and_the_next_keeps_its_number():
    found = read('name,crew\n"Ana\nAnn",A\nBo,B\n', REGISTRATIONS, needed=WHO)
    assert [(line.number, line["name"]) for line in found.lines] == [(2, "Ana Ann"), (4, "Bo")]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "The list is empty"),
        (" \n\n", "The list is empty"),
        (",,,\n,", "The list is empty"),
        ('""', "The list is empty"),
        ("name,crew\n", "Line 1: There are headings and nothing below"),
        ("crew;class\nAna;R5\n", "Line 1: There is no column for this: e-mail address or name"),
        ("Ana;R5\nBo;R2\n", "Line 1: There is no column for this"),
        ("name,driver\nAna,Bo\n", "Line 1, name (driver): There are two columns for this"),
        ('name,crew\nAna,"A\nBo,B\n', "Line 2: The quotes here do not match"),
        ('name,crew\nAna,"A"x\nBo,B\n', "Line 2: The quotes here do not match"),
        ("name,crew\nAna,A\nBo,B\x00\n", "Line 3: This contains a NUL character"),
        ("name,crew\nAna,A,7\n", "Line 2: There are more cells than headings"),
        ("name,crew\nAna,=1+1\n", "Line 2, crew: This begins like a formula (=)"),
        ("name,crew\n@SUM(A1),A\n", "Line 2, name: This begins like a formula (@)"),
        ("name,crew\nAna," + "x" * 81 + "\n", "Line 2, crew: At most 80 characters"),
        ("name,crew\nAna,A\u2028B\x07\n", "Line 2, crew: Use one line of ordinary characters"),
        ("name\n" + "Ana\n" * (MOST_LINES + 1), "At most 1000 lines"),
        ("name\n" + "x" * LARGEST, "The list is too long: at most 256 kB."),
        ("name\n" + "\n" * 250_000 + "Ana", "The list has more than 10000 lines: delete the empty ones"),
        ("name\r" + "\r" * 250_000 + "Ana", "The list has more than 10000 lines: delete the empty ones"),
        ("name\n" + "\n" * 250_000, "Line 1: There are headings and nothing below them."),
    ],
)
def test_what_is_wrong_is_said_with_line_and_column(text, says):
    (said,) = errors_of(text)
    assert said.startswith(says), said


@pytest.mark.parametrize(
    "name", ["=cmd|' /C calc'!A0", "@ana", "-Bo-", "+1 Cem", "'=Dag", "''@Eva", "'Fay", "O'Neil", "= =", "Gus"]
)
def test_a_name_from_our_own_export_is_read_as_it_was(name):
    (cells,) = cells_of(f'name,crew\n"{plain(name)}","{plain(name)}"\n')
    assert (cells["name"], cells["crew"]) == (name, name)


@pytest.mark.parametrize("handle", ["@ana.kow", "-Bo-", "+cem_2", "@żółw"])
def test_a_name_from_a_chat_is_no_formula(handle):
    (cells,) = cells_of(f"name\n{handle}\n")
    assert cells["name"] == handle


@pytest.mark.parametrize("formula", ["=A1", "@SUM(A1)", "+1+1", "-A1+A2", "+cmd|x", "@a!A1"])
def test_a_formula_is_refused(formula):
    assert errors_of(f"name\n{formula}\n")[0].startswith("Line 2, name: This begins like a formula")


def test_every_bad_line_is_named_at_once():
    said = errors_of("name,crew\n=A,B\nAna,B\nBo," + "x" * 99 + "\nCem,C,D\n")
    assert [each.split(":")[0] for each in said] == ["Line 2, name", "Line 4, crew", "Line 5"]


def test_problems_are_in_the_readers_language():
    with translation.override("de"):
        assert errors_of("name,crew\n=A,B\n")[0].split(",")[0] in ("Zeile 2", "Line 2")


def test_files_are_utf_8_with_or_without_a_mark():
    assert text_of("\ufeffname\nZażółć\n".encode()) == "name\nZażółć\n"
    assert text_of("name\nMüller\n".encode()) == "name\nMüller\n"
    for content, says in (
        ("name\nAna\nMüller\n".encode("cp1252"), "Line 3: This is not UTF-8"),
        ("name\nAna\n".encode("utf-16"), "This is UTF-16"),
        (b"PK\x03\x04\xff\xfe\xfd", "Line 1: This is not UTF-8"),
        (b"x" * (10 * 1024 * 1024), "The list is too long"),
    ):
        with pytest.raises(BadList) as refusal:
            text_of(content)
        assert str(refusal.value.problems[0]).startswith(says)

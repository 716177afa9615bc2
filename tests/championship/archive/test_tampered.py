"""Archives with correct checksums and wrong rows: columns with impossible values, and zip bombs."""

from __future__ import annotations

import io
import json
import time
import zipfile
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.postgres.fields import ArrayField
from django.db import models, transaction

from championship.archive import bounds, rows
from championship.archive.reading import VerifiedArchive
from championship.archive.row_checks import check_rows
from championship.archive.services.restoring import restore_club
from championship.archive.tables import BY_NAME, TABLES
from championship.clubs.models import Club
from championship.platform import clock
from championship.platform.refusals import Refused
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.runs.models import Turn
from championship.stages.models import Rating
from championship.stewards.models import Protest
from tests.championship.archive import extremes
from tests.championship.archive.scenes import a_club_with_a_past, archived, emptied
from tests.championship.archive.test_damaged import changed, packed

pytestmark = pytest.mark.django_db

HUGE = 10**30
DEEP: Any = json.loads("[" * 90 + "]" * 90)


@pytest.fixture(scope="module")
def whole(django_db_setup, django_db_blocker) -> dict[str, bytes]:
    """The files of an archive with a row in nearly every table. The creation of the club is rolled back."""
    with django_db_blocker.unblock(), transaction.atomic():
        with zipfile.ZipFile(archived(a_club_with_a_past().club)) as found:
            inside = {name: found.read(name) for name in found.namelist()}
        transaction.set_rollback(True)
    return inside


def refusal_of(files: dict[str, bytes]) -> str:
    """Return the message about these rows, which are refused before anything is written."""
    with pytest.raises(Refused) as refusal:
        check_rows(VerifiedArchive(packed(files)))
    assert refusal.value.field == "file"
    return str(refusal.value)


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("rallies.entry", "start_number", "7"),
        ("rallies.entry", "start_number", True),
        ("rallies.entry", "start_number", 7.5),
        ("rallies.entry", "start_number", HUGE),
        ("rallies.entry", "start_number", -1),
        ("rallies.entry", "start_number", [7]),
        ("rallies.rally", "practice", True),
        ("rallies.rally", "for_everybody", True),
        ("rallies.entry", "crew", ["Ana"]),
        ("rallies.entry", "crew", 7),
        ("rallies.entry", "crew", None),
        ("rallies.entry", "status", "champion"),
        ("rallies.entry", "status", None),
        ("rallies.entry", "driver_id", "1"),
        ("rallies.entry", "driver_id", True),
        ("rallies.entry", "car", [1]),
        ("rallies.entry", "car", DEEP),
        ("rallies.entry", "asked_at", 7),
        ("rallies.entry", "asked_at", "yesterday"),
        ("rallies.entry", "asked_at", "2026-02-30T10:00:00+00:00"),
        ("rallies.entry", "asked_at", "2026-11-20T10:00:00"),
        ("rallies.entry", "asked_at", "0001-01-01T00:00:00+14:00"),
        ("rallies.entry", "asked_at", "9999-12-31T23:59:59+00:00"),
        ("rallies.rally", "turn_hours", 0),
        ("rallies.rally", "turn_hours", 721),
        ("rallies.rally", "auto_start", "yes"),
        ("rallies.rally", "auto_start", 1),
        ("rallies.rally", "auto_start", None),
        ("rallies.rally", "game", "chess"),
        ("rallies.rally", "options", []),
        ("rallies.rally", "options", {"dice": 5}),
        ("rallies.rally", "options", {"dice": "loaded"}),
        ("rallies.rally", "options", {"dice": {"a": 1}}),
        ("rallies.rally", "classes", {"name": "R5"}),
        ("rallies.rally", "classes", ["R5"]),
        ("rallies.rally", "quiet_from", "25:00"),
        ("rallies.rally", "quiet_from", 25),
        ("rallies.stagetime", "measure", "200"),
        ("rallies.stagetime", "car", None),
        ("rallies.stagetime", "car", "x"),
        ("rallies.stagetime", "car", {"text": "\x00"}),
        ("runs.run", "secret", "not base 64!"),
        ("runs.run", "secret", 7),
        ("runs.run", "state", []),
        ("runs.run", "phrases", "all"),
        ("runs.run", "version", 2**31),
        ("runs.turn", "reasons", [1]),
        ("seasons.championship", "points", ["25"]),
        ("seasons.championship", "points", [True]),
        ("seasons.championship", "classes", [None]),
        ("clubs.club", "slug", "../x"),
        ("clubs.holiday", "first_day", "2027-13-01"),
        ("clubs.membership", "roles", "organiser"),
        ("clubs.membership", "roles", [1]),
        ("audit.record", "details", "x"),
        ("audit.record", "details", {"a": [{"b": 2**53 + 1}]}),
        ("audit.record", "details", {"a": -1e300}),
        ("audit.record", "details", {"a": ["\ud800"]}),
        ("audit.record", "details", {"\ud800": 1}),
        ("rallies.entry", "crew", "\udfff"),
        ("rallies.rally", "quiet_from", "10:00+02:00"),
        ("people", "name", "\ud800"),
        ("people", "name", 7),
        ("people", "name", None),
        ("people", "email", 7),
        ("people", "email", "no address"),
        ("people", "language", "xx"),
        ("people", "time_zone", []),
        ("ready made stages", "game", ["dirt"]),
    ],
)
def test_a_value_of_the_wrong_kind_is_named_by_file_row_and_column(whole, table, column, value):
    name = f"tables/{table}.jsonl"
    said = refusal_of({**whole, name: changed(whole[name], **{column: value})})
    assert f"{name}, row 1, column {column.removesuffix('_id')}" in said


WRONG = {
    models.IntegerField: ["1", True, 1.5, [1], {}, HUGE, -HUGE],
    models.CharField: [1, True, ["a"], {}, "a\x00", "x" * 5000],
    models.TextField: [1, True, ["a"], {}, "a\x00"],
    models.BooleanField: ["true", 1, 0, [], {}],
    models.DateField: ["", "x", 1, [], "2026-13-01", "0001-01-01"],
    models.TimeField: ["", "x", 1, [], "24:01"],
    models.BinaryField: ["?", 1, [], {}],
    models.ForeignKey: ["1", True, [1], {}, 1.5],
    models.JSONField: ["x", 1, True, DEEP],
    ArrayField: ["x", 1, {}, [1]],
}


@pytest.mark.parametrize("table", [table.name for table in TABLES])
def test_no_column_of_any_table_takes_what_it_cannot_hold(table):
    """All columns of all tables, so that a new one is checked too."""
    for field in BY_NAME[table].model._meta.concrete_fields:
        if field.primary_key:
            continue
        check = rows.from_json if rows.references(field) is None else rows.check_reference
        kinds = [values for kind, values in WRONG.items() if isinstance(field, kind)]
        assert kinds, f"{field} is of a kind that nobody looks at"
        opaque = isinstance(field, models.JSONField) and rows.JSON_KINDS[str(field)][0] == rows.ANY
        wrong = [DEEP, {"text": "\x00"}, "a\x00"] if opaque else kinds[-1]
        if isinstance(field, models.JSONField) and not opaque:
            held = rows.JSON_KINDS[str(field)][0]
            wrong = [value for value in wrong if value is DEEP or not isinstance(value, held)]
        for value in [*wrong, *([] if field.null else [None])]:
            with pytest.raises(rows.InvalidValue):
                check(field, value)


@pytest.mark.parametrize("table", [table.name for table in TABLES])
def test_no_column_takes_a_moment_or_a_day_that_no_page_can_show(table):
    for field in BY_NAME[table].model._meta.concrete_fields:
        if isinstance(field, models.DateField):
            day = not isinstance(field, models.DateTimeField)
            for moment in extremes.TOO_FAR:
                with pytest.raises(rows.InvalidValue):
                    rows.from_json(field, moment[:10] if day else moment)
            for which, moment in extremes.MOMENTS.items():
                if which != extremes.ODD and not day:
                    assert rows.from_json(field, moment).utcoffset() == timedelta()


@pytest.mark.parametrize("moment", [*extremes.TOO_FAR, "yesterday", "2026-01-01T00:00:00", 7, None, "2026-02-30"])
def test_a_moment_of_the_manifest_that_no_page_can_show(whole, moment):
    assert "manifest.json" in refused_manifest(whole, moment)


def test_an_archive_that_is_made_in_the_future(whole):
    for later in (timedelta(seconds=30), timedelta(days=40_000)):
        assert "in the future" in refused_manifest(whole, (clock.now() + later).isoformat())
    refused_manifest(whole, "2199-12-31T23:59:59+00:00")


def refused_manifest(files: dict[str, bytes], made_at: object) -> str:
    """Return the refusal of an archive that says it was made at that moment."""
    manifest = json.loads(files["manifest.json"]) | {"made_at": made_at}
    with pytest.raises(Refused) as refusal:
        VerifiedArchive(packed({**files, "manifest.json": json.dumps(manifest).encode()}))
    return str(refusal.value)


def test_rows_in_another_order_and_ids_that_no_table_has(whole):
    name = "tables/rallies.entry.jsonl"
    backwards = b"\n".join(reversed(whole[name].splitlines())) + b"\n"
    assert f"{name}, 2, id" in refusal_of({**whole, name: backwards})
    for wrong in (0, -1, 2**63, HUGE):
        assert f"{name}, 1, id" in refusal_of({**whole, name: changed(whole[name], id=wrong)})


def test_infinity_in_json(whole):
    name = "tables/audit.record.jsonl"
    text = changed(whole[name], details={"a": 12345}).replace(b"12345", b"1e999", 1)
    assert f"{name}, row 1, column details" in refusal_of({**whole, name: text})


def test_a_course_of_the_library_that_its_game_cannot_read(whole):
    name = "tables/stages.stagedesign.jsonl"
    with pytest.raises(Refused, match=r"stages\.stagedesign, [\w-]+, spec"):
        restore_club(by=None, owner=None, file=packed({**whole, name: changed(whole[name], spec={})}))


@pytest.mark.parametrize("seat", ["", "99", "W" * 8])
def test_a_seat_that_is_not_in_its_run(whole, seat):
    name = "tables/runs.seat.jsonl"
    with pytest.raises(Refused, match=r"runs\.seat"):
        restore_club(by=None, owner=None, file=packed({**whole, name: changed(whole[name], name=seat)}))


def lines_with(text: bytes, **columns: object) -> list[int]:
    """Return the numbers of the rows that have these values."""
    rows_ = [json.loads(line) for line in text.splitlines()]
    return [number for number, row in enumerate(rows_) if row.items() >= columns.items()]


def test_nothing_is_under_way_in_a_restored_club(whole):
    stages, rallies, turns = (f"tables/{name}.jsonl" for name in ("rallies.specialstage", "rallies.rally", "runs.turn"))
    planned, entries = lines_with(whole[stages], status="planned"), lines_with(whole[rallies], status="entries")
    moment = "2020-01-01T00:00:00+00:00"
    files = {
        **whole,
        stages: changed(whole[stages], planned[-1], status="running", opened_at=moment, closes_at=moment),
        rallies: changed(
            whole[rallies], entries[-1], starts_at=moment, paused_at="2199-01-01T00:00:00+00:00", pause_reason="Snow"
        ),
        turns: changed(whole[turns], ended_at=None),
    }
    club = restore_club(by=None, owner=None, file=packed(files))
    assert not SpecialStage.objects.filter(rally__club=club, status="running").exists()
    assert not Rally.objects.filter(club=club).exclude(starts_at=None).exists()
    assert not Rally.objects.filter(club=club, paused_at__gt=clock.now()).exists()
    assert not Turn.objects.filter(run__special_stage__rally__club=club, ended_at=None).exists()


def test_a_run_that_is_under_way_is_in_no_archive(whole):
    name = "tables/runs.run.jsonl"
    with pytest.raises(Refused, match=r"runs\.seal|runs\.run"):
        restore_club(
            by=None, owner=None, file=packed({**whole, name: changed(whole[name], status="running", finished_at=None)})
        )


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("rallies.rally", "classes", [{}]),
        ("rallies.rally", "classes", [{"name": "R5"}]),
        ("rallies.rally", "classes", [{"name": "R5", "limit": "many"}]),
        ("rallies.rally", "classes", [{"name": 5, "limit": None}]),
        ("seasons.championship", "tie_breaks", ["coin"]),
        ("seasons.championship", "rally_settings", {"timekeeping": 7}),
        ("rallies.stagetime", "car", {"damage": {}, "spare": True, "sisu": True}),
        (
            "rallies.stagetime",
            "car",
            {"damage": dict.fromkeys(("gear", "coast", "brake"), 2**40), "spare": 1, "sisu": 1},
        ),
    ],
)
def test_a_value_that_its_pages_cannot_read(whole, table, column, value):
    name = f"tables/{table}.jsonl"
    assert f"column {column}" in refusal_of({**whole, name: changed(whole[name], **{column: value})})


def test_a_rating_that_no_page_can_show_is_left_out_and_any_other_is_kept(whole):
    name = "tables/stages.rating.jsonl"
    club = restore_club(by=None, owner=None, file=packed(dict(whole)))
    assert Rating.objects.filter(design__club=club).count() == 1
    emptied()
    club = restore_club(by=None, owner=None, file=packed({**whole, name: changed(whole[name], result={"par": 7})}))
    assert not Rating.objects.filter(design__club=club).exists()


def test_control_characters_are_taken_out_of_texts(whole):
    name = "tables/stewards.protest.jsonl"
    text = changed(whole[name], text="He\x0bblocked\x1b me\nthere\x7f.")
    club = restore_club(by=None, owner=None, file=packed({**whole, name: text}))
    assert Protest.objects.filter(rally__club=club).order_by("pk")[0].text == "Heblocked me\nthere."


def test_every_column_of_an_archive_is_restored(whole):
    check_rows(VerifiedArchive(packed(whole)))


def test_nothing_is_written_when_the_last_row_of_the_last_table_is_wrong(whole, django_assert_num_queries):
    name = "tables/audit.record.jsonl"
    last = len(whole[name].splitlines()) - 1
    file = packed({**whole, name: changed(whole[name], last, action=7)})
    with django_assert_num_queries(0), pytest.raises(Refused, match=f"row {last + 1}, column action"):
        restore_club(by=None, owner=None, file=file)


def test_rows_that_together_break_a_constraint_are_refused_with_its_name(whole):
    name = "tables/rallies.entry.jsonl"
    first = json.loads(whole[name].splitlines()[0])
    second = changed(whole[name], 1, driver_id=first["driver_id"], rally_id=first["rally_id"])
    with pytest.raises(Refused, match="rallies_entry"):
        restore_club(by=None, owner=None, file=packed({**whole, name: second}))
    assert not Club.objects.exists()


def test_a_stage_that_its_game_cannot_read(whole):
    name = "tables/rallies.specialstage.jsonl"
    with pytest.raises(Refused, match="spec"):
        restore_club(by=None, owner=None, file=packed({**whole, name: changed(whole[name], spec={"tiles": 7})}))


def test_a_name_from_before_loses_what_nobody_sees(whole):
    emptied()
    name = "tables/rallies.entry.jsonl"
    restore_club(by=None, owner=None, file=packed({**whole, name: changed(whole[name], crew="\u202eAna\u200b")}))
    assert Entry.objects.filter(crew="Ana").exists()


# Bombs --------------------------------------------------------------------------------------------------


def bomb(files: dict[str, bytes], unpacked: int) -> io.BytesIO:
    """Return an archive with one table of blanks, compressed 1,000 to 1, and a matching manifest."""
    blank = b" " * (1024 * 1024)
    file = io.BytesIO()
    manifest = json.loads(files["manifest.json"])
    name = "tables/rallies.rally.jsonl"
    manifest["files"][name] = {"rows": 1, "bytes": unpacked, "sha256": "0" * 64}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as written:
        for each, content in files.items():
            if each not in (name, "manifest.json"):
                written.writestr(each, content)
        written.writestr("manifest.json", json.dumps(manifest))
        with written.open(name, "w", force_zip64=True) as inside:
            for _piece in range(unpacked // len(blank)):
                inside.write(blank)
    file.seek(0)
    return file


@pytest.mark.slow
def test_a_bomb_costs_next_to_nothing(whole):
    file = bomb(whole, 1536 * 1024**2)
    assert len(file.getvalue()) < 4 * 1024**2
    before = time.process_time()
    with pytest.raises(Refused, match="too large when it is unpacked"):
        restore_club(by=None, owner=None, file=file)
    assert time.process_time() - before < 0.5, "seconds of processor; reading it through takes eight"


def test_a_zip_that_understates_what_is_in_it_is_not_read_on(whole):
    file = bomb(whole, 64 * 1024**2)
    content = bytearray(file.getvalue())
    real, said = (64 * 1024**2).to_bytes(4, "little"), (1024).to_bytes(4, "little")
    assert real in content
    lied = io.BytesIO(bytes(content).replace(real, said))
    before = time.process_time()
    with pytest.raises(Refused):
        restore_club(by=None, owner=None, file=lied)
    assert time.process_time() - before < 0.5


def test_too_many_files(whole):
    few = replace(bounds.FROM_ANYBODY, files=len(whole) - 1)
    with pytest.raises(Refused, match="too large when it is unpacked"):
        VerifiedArchive(packed(whole), few)


def test_too_many_rows(whole):
    rows_in_all = sum(content.count(b"\n") for name, content in whole.items() if name.startswith("tables/"))
    VerifiedArchive(packed(whole), replace(bounds.FROM_ANYBODY, all_rows=rows_in_all))
    with pytest.raises(Refused, match="too large to be read here"):
        VerifiedArchive(packed(whole), replace(bounds.FROM_ANYBODY, all_rows=rows_in_all - 1))
    with pytest.raises(Refused, match=r"people\.jsonl holds too many rows"):
        VerifiedArchive(packed(whole), replace(bounds.FROM_ANYBODY, rows={"people": 1}))


def test_an_honest_archive_is_far_from_the_bound(whole):
    file = packed(whole)
    unpacked = sum(info.file_size for info in zipfile.ZipFile(file).infolist())
    assert unpacked < bounds.MOST_RATIO / 2 * len(file.getvalue())

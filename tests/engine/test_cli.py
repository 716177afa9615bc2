"""The command line as a program: its output, its errors on stderr, its exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.commands import main
from tests.engine.test_record import driven_record, scenario, turn

ROOT = Path(__file__).resolve().parents[2]


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    """Return a function that returns exit code, output, and stderr."""
    try:
        code = main([str(word) for word in words])
    except SystemExit as end:
        code = int(str(end.code))
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@pytest.fixture
def written(tmp_path: Path) -> Any:
    """Return a function that writes a file: text unchanged, anything else as JSON."""

    def write(name: str, content: Any) -> Path:
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
        return path

    return write


def test_it_runs_as_a_program_without_anything_installed() -> None:
    """With a bare interpreter: the standard library is enough."""
    words = [
        sys.executable,
        "-I",
        "-S",
        "-c",
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); from engine.commands import main; sys.exit(main())",
    ]
    done = subprocess.run([*words, "perft", "1/1", "3"], capture_output=True, text=True, timeout=240, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "88\n", "")


def test_moves_prints_one_legal_move_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "moves", "6/2", "--at", "2.3.l", "--gear", "4")
    assert (code, err) == (0, "")
    assert {"4:3.1.l^3.3.r", "3:3.1.r^3.2.l", "2b:3.1.l", "c:3.1.l^3.3.l"} <= set(out.splitlines())
    assert run(capsys, "moves", "1/1")[1].split() == ["1:1.2.l", "1:1.2.r", "2:1.2.l", "2:1.2.r"]


def test_perft_prints_a_number(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "perft", "6/2", "4") == (0, "560\n", "")
    assert run(capsys, "perft", "6/2", "0") == (0, "1\n", "")


def test_a_stage_may_be_a_file(capsys: pytest.CaptureFixture[str], written: Any) -> None:
    plain = written("plain.toml", 'tiles = ["202a", "210b", "203a"]')
    assert run(capsys, "perft", plain, "2") == (0, "20\n", "")
    start = '{tile = "202a", via = "AD", at = [0, 0], turn = 4}'
    bend = '{tile = "210b", via = "CD", at = [1, -1], turn = 2}'
    full = written("full.toml", f'service = true\ntiles = [{start}, {bend}, {{tile = "203b"}}]')
    assert run(capsys, "perft", full, "1") == (0, "4\n", "")


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ('tiles = ["202a", "210a", "216a", "213a", "203a"]', "tile 4"),
        ('tiles = [{tile = "202a"}, {tile = "203a", at = [4, 4]}]', "tile 2"),
        ('tiles = ["202a", "204a", "204b", "203a"]', "tile 3"),
        ('tiles = ["202a", "nonsense", "203a"]', "nonsense"),
        ('tiles = [202, 203]', "tile 1"), ("tiles = 5", "list of tiles"), ("tiles = [[]]", "tile 1"),
        ("tiles = []", "list of tiles"), ("", "list of tiles"),
        ('tiles = ["202a", "203a"]\nservice = 3', "service"), ('tiles = ["202a", "203a"]\nboxes = true', "boxes"),
        ('tiles = ["202a", "203a"]\nboxes = 1e9', "boxes"),
        ("tiles = [", "end of document"), ("\x00", "line 1"), ("tiles = " + "[" * 5000, "deeply"),
        ("tiles = [1979-05-27]", "tile 1"),
        ('tiles = ["202a", "203a"]\ncolour = "red"', "'colour'"),
        ('tiles = ["202a", {tile = "203a", speed = 3}]', "tile 2: 'speed'"),
        ('tiles = [{tile = "202a", turn = 9}, "203a"]', "tile 1"),
        ('tiles = [{tile = "202a", at = [nan, inf]}, "203a"]', "tile 1"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_stage(capsys: pytest.CaptureFixture[str], written: Any, toml: str, said: str) -> None:
    code, out, err = run(capsys, "perft", written("stage.toml", toml), "2")
    assert (code, out) == (2, "")
    assert "stage.toml" in err
    assert said in err


@pytest.mark.parametrize(
    "words",
    [
        ("perft", "9/9", "2"), ("perft", "1/1", "-1"), ("perft", "1/1", "many"), ("perft", "1/1", "2.5"), ("perft",
        "1/1"), ("perft", ".", "2"), ("perft", "x" * 5000, "2"),
        ("perft", "", "2"), ("perft", "\0", "2"), ("moves", "1/1", "--at", "1.9.l"), ("moves", "1/1", "--gear",
        "7"), ("moves", "1/1", "--gear", "-1"),
        ("moves", "1/1", "--gear", "x"), ("moves", "1/1", "--gear", "9" * 5000), ("moves",), ("replay",),
        ("replay", "nowhere.json"), ("replay", "."),
        ("replay", "x" * 5000), ("replay", "\0"), ("verify", "nowhere.json"), ("verify", "."), ("dance",), (),
    ],
)  # fmt: skip
def test_words_it_does_not_understand(capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    assert err
    assert "Traceback" not in err


def test_replay_prints_one_object_a_file(capsys: pytest.CaptureFixture[str], written: Any) -> None:
    legal = written("legal.json", scenario())
    illegal = written("illegal.json", scenario(turns=[turn(plan="5:1.2.l")]))
    code, out, err = run(capsys, "replay", legal, illegal, legal)
    assert (code, err) == (1, "")
    first, second, third = map(json.loads, out.splitlines())
    assert first == third
    assert first["drivers"]["ana"]["space"] == "1.3.l"
    assert (second["error"]["turn"], second["error"]["rule"]) == (1, "D4")
    assert run(capsys, "replay", legal)[0] == 0


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "null",
        "5",
        '"text"',
        "[" * 20000,
        '{"stage": ' * 3000,
        '{"stage": "1/1"}',
        "NaN",
        "{'stage': 1}",
        '{"record": 1}',
        '{"record": "x"}',
    ],
)
def test_a_damaged_file_is_named_and_the_others_are_played(
    capsys: pytest.CaptureFixture[str], written: Any, content: str
) -> None:
    legal, damaged = written("legal.json", scenario()), written("damaged.json", content)
    code, out, err = run(capsys, "replay", damaged, legal)
    assert code == 2
    assert len(out.splitlines()) == 1
    assert "damaged.json" in err
    assert "Traceback" not in err


def test_a_file_that_is_not_text(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "picture.json"
    path.write_bytes(b"\xff\xfe\x00\x01")
    for words in (("replay", path), ("verify", path), ("perft", path, "1")):
        code, _, err = run(capsys, *words)
        assert (code, "picture.json" in err) == (2, True)


def test_a_record_is_folded_and_verified(capsys: pytest.CaptureFixture[str], written: Any) -> None:
    document = driven_record("ana", "bo")
    path = written("run.json", document)
    code, out, _ = run(capsys, "replay", path)
    assert code == 0
    assert json.loads(out)["over"]
    code, out, _ = run(capsys, "verify", path)
    assert (code, out) == (0, "every draw of this record follows from its secret\n")
    document["turns"][0]["events"].append({"kind": "over", "retired": {}})
    code, out, _ = run(capsys, "verify", written("false.json", document))
    assert code == 1
    assert out.startswith("turn 1")
    assert run(capsys, "verify", written("scenario.json", scenario()))[0] == 2

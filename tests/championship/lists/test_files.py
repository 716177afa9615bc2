"""Lists in the shapes that spreadsheets, forums and programs write: each file becomes what the JSON beside it says.

The JSON is what `manage.py read_list FILE` prints (`--people` for files that begin with "people"), without sentences.
Write it again with `python -m tests.championship.lists.test_files`, and look at each difference.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from championship.lists.management.commands.read_list import told
from championship.lists.reading import read

FILES = Path(__file__).parent / "files"
LISTS = sorted(path for path in FILES.iterdir() if not path.name.endswith(".expected.json"))


def understood(path: Path) -> dict[str, Any]:
    said = told(read(path.read_bytes(), results=not path.name.startswith("people"), file_name=path.name))
    for note in said["found"].get("notes", []):
        del note["says"]
        note.pop("choices", None)
    return said


def expectation(path: Path) -> Path:
    return path.with_name(f"{path.name}.expected.json")


def written(said: dict[str, Any]) -> str:
    """Return it as JSON, a result or a person a line."""
    found = said["found"]
    lines = [f' "{name}": {_flat(value)}' for name, value in said.items() if name != "found"]
    for name, value in found.items():
        if name in ("persons", "totals", "notes"):
            lines.append(f' "{name}": {_lines(value, 2)}')
        elif name == "rounds":
            inner = ",\n".join(
                "  {"
                + ", ".join(
                    f'"{key}": {_lines(each, 4) if key == "results" else _flat(each)}' for key, each in one.items()
                )
                + "}"
                for one in value
            )
            lines.append(f' "rounds": [\n{inner}\n ]')
        else:
            lines.append(f' "{name}": {_flat(value)}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _flat(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _lines(values: list[Any], depth: int) -> str:
    blank = " " * depth
    return "[\n" + ",\n".join(blank + _flat(each) for each in values) + "\n" + " " * (depth - 1) + "]"


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.name)
def test_a_file_is_understood_as_expected(path):
    expected = json.loads(expectation(path).read_text("utf-8"))
    said = json.loads(written(understood(path)))
    assert said == expected


def test_there_are_many_shapes_and_each_has_its_expectation():
    assert len(LISTS) > 80
    assert {expectation(path).name for path in LISTS} == {path.name for path in FILES.glob("*.expected.json")}


if __name__ == "__main__":
    import os

    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "championship.settings.test")
    django.setup()
    for each in LISTS:
        expectation(each).write_text(written(understood(each)), "utf-8")

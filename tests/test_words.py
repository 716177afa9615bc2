"""No file outside the folders of a game names a game or one of its terms: the core is the same for all games."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
GAMES = ("dirt", "formula_d", "dust")
THINGS = (
    *GAMES,
    *(
        "tiles?",
        "mud",
        "sisu",
        "gears?",
        "hazards?",
        "redline",
        "spare[ _-]wheels?",
        "die",
        "dice",
        "warnings? (?:face|lamp|card)s?",
    ),
    *("shortcuts?", "brakes?", "braking", "coasts?", "drifts?", "drifting", "seconds won", "cards_seconds"),
    *("stop_at", "stop_after", "secure_at", "secure_price", "sisu_from", "as_laid", "flying start"),
    *("laps?", "pit stops?", "slipstream(?:ing)?", "tyre wear", "cockpits?", "dials?", "popularity"),
    *("rallyman", "formula d"),
)
WORDS = re.compile(rf"(?<![a-z])(?:{'|'.join(THINGS)})(?![a-z])", re.IGNORECASE)
KINDS = {".py", ".html", ".txt", ".svg", ".css", ".js", ".toml"}
FOLDERS = ("engine", "championship", "templates", "static")
OWN = tuple(f"{folder}/{game}/" for folder in ("engine", "championship/games") for game in GAMES)
EXEMPT = {
    "championship/lists/reading/words.py": "headings of lists from elsewhere",
    "championship/archive/row_upgrades.py": "what archives of earlier versions hold",
}
IDIOMS = re.compile(
    r"\bdie(?:s|d)?\s+in between|\bdie\b(?= (?:in|of|while))|from django[\w.]*\.shortcuts import"
    r"|fastest[ _]laps?|.shortcuts.: \[",
    re.IGNORECASE,
)
"""Uses of such words that have nothing to do with a game. Leagues of any sport give points for a fastest lap."""


def sources() -> list[Path]:
    """Return every hand-written file of the core."""
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in KINDS]
    names = {path: path.relative_to(ROOT).as_posix() for path in found}
    return sorted(
        path
        for path, name in names.items()
        if not name.startswith(OWN) and "/migrations/" not in name and name not in EXEMPT
    )


@pytest.mark.parametrize("source", sources(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_file_of_the_core_names_no_game_and_no_term_of_a_game(source: Path) -> None:
    found = [
        f"{number}: {word.group()}"
        for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1)
        for word in WORDS.finditer(IDIOMS.sub("", line))
    ]

    assert found == []


@pytest.mark.parametrize(
    "word", ["dirt", "a tile.", "error.tile", "TILES", "Gear", "spare_wheel", "SISU", "--mud", "stop_at", "Dice"]
)
def test_such_a_word_is_found_in_any_context(word: str) -> None:
    assert WORDS.search(word)


@pytest.mark.parametrize("word", ["reptile", "geared", "sometimes", "industry", "adherent", "dicey"])
def test_a_word_that_only_contains_one_is_allowed(word: str) -> None:
    assert WORDS.search(word) is None


@pytest.mark.parametrize("name", EXEMPT)
def test_every_exempt_file_exists_and_needs_its_exemption(name: str) -> None:
    assert WORDS.search((ROOT / name).read_text(encoding="utf-8"))

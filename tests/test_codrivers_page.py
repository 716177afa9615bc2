"""docs/codrivers.md has the strengths that the data of the games have."""

from __future__ import annotations

from pathlib import Path

from engine import registry
from engine.contract import Ladder, offered

PAGE = Path(__file__).parents[1] / "docs" / "codrivers.md"


def test_the_page_about_codrivers_has_the_measured_strengths() -> None:
    rows = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ") and "`" in line]
    ladders = [game for name in registry.packages() if (game := offered(registry.get(name), Ladder)) is not None]
    rungs = sorted(
        f"`{rung.manner}` {rung.games} against {100 * rung.won:.0f} % (error {100 * rung.error:.0f})"
        for game in ladders
        for rung in game.rungs
        if rung.games
    )
    told = []
    for row in rows:
        _, _, name, _, duels, wins, _ = (cell.strip() for cell in row.split("|"))
        if wins != "–":
            told.append(f"{name} {duels.partition(' against ')[0]} against {wins}")
    assert sorted(told) == rungs

"""Break one rule after the other and check that it is noticed: `python -m tests.benchmarks.dust_broken_rules [GAMES]`.

Each break is a small change in a copy of the engine, which then plays GAMES random scenarios against the second
implementation of the rules (tests/games/dust/engine/second). Prints the breaks that make no difference. Exits with 1
when there is one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
BREAKS = (
    ("A1", "turn/special.py", "due = spaces * facts().steer_traction", "due = 0"),
    ("A2", "turn/special.py", "pips = abs(shown - value(die))", "pips = min(abs(shown - value(die)), 1)"),
    ("A3", "turn/special.py", 'if turn.me["risk"] >= turn.cards.limits.risk_dice:', "if False:"),
    ("A4", "turn/resolving.py", 'return laid["used"] or', "return"),
    ("B1", "turn/driving.py", "+ turn.flipped(facts().tokens.dearer_cards)", ""),
    ("B2", "turn/step_context.py", '["piles"].get(pile, 0) - mine', '["piles"].get(pile, 0)'),
    ("B4", "orders.py", "for key in sorted(set(keys.values())):", "for key in sorted(set(keys.values()))[::-1]:"),
    ("B5", "orders.py", 'new["top"] = [*new["top"], card]', 'new["top"] = [card, *new["top"]]'),
    ("B6", "closing.py", '= back, 0', "= 0, 0"),
    ("D1", "closing.py", "if most >= 1 and len(leaders) == 1 else None", "if most >= 1 else None"),
    ("D4", "turn/damage.py", 'turn.lose("popularity", rolled["pays"])', "pass"),
    ("D5", "turn/arguments.py", "shown in turn.cards.popularity_values if kind == POPULARITY else 1", "1"),
    ("D6", "turn/step_context.py",
     'min(me["traction"] + amount, self.cards.limits.traction)', 'me["traction"] + amount'),
    ("E3", "turn/resolving.py", "else one.least <= int(die[1]) <= one.most", "else True"),
    ("E4", "turn/resolving.py", "due = max(has, 1) if", "due = has if"),
    ("E5", "turn/resolving.py", "if len(words) > used:", "if False:"),
    ("E6", "turn/resolving.py", "if effect.must:\n                continue", "if False:\n                continue"),
    ("E7", "turn/card_operations.py", "_uncovered(turn)[: one.cards]", "_uncovered(turn)[::-1][: one.cards]"),
    ("F2", "final_score.py", '+ cards.score.risk_die * driver["risk"]', ""),
    ("F3", "final_score.py", "if one >= 1}", "}"),
    ("F4", "final_score.py", '-driver["popularity"], driver["flipped"]', '-driver["popularity"], 0'),
    ("F5", "final_score.py", "slowest + facts().wrecked_behind", "slowest"),
    ("G2", "closing.py", 'if round_ in ghost["cards"]:', "if False:"),
    ("G4", "turn/special.py", 'if pairs[pair - 1]["blocked"]:', "if False:"),
    ("G5", "closing.py", 'if not pair["blocked"]:', "if True:"),
    ("M2", "turn/position_track.py", "way * (order.spaces + longer)", "way * order.spaces"),
    ("M3", "turn/position_track.py",
     "if 0 <= end < len(spaces_of_row) else None", "if end < len(spaces_of_row) else None"),
    ("M4", "turn/operation_handlers.py", 'if words[0] not in turn.cards.shifts[turn.me["space"]]:', "if False:"),
    ("N1", "turn/driving.py", "+ turn.flipped(facts().tokens.dearer_markers)", ""),
    ("N2", "turn/driving.py", 'me["star"] = me["star"] or card.star', 'me["star"] = me["star"]'),
    ("N3", "turn/driving.py", 'if sum(me["markers"].values()) >= limits.markers:', "if False:"),
    ("N4", "turn/driving.py", "(one > number if on_stage(opened) else one != number)", "one != number"),
    ("P2", "turn/driving.py", 'if slot in turn.me["board"]:', "if False:"),
    ("P5", "turn/driving.py", 'if turn.me["open"] is not None:', "if False:"),
    ("P6", "turn/driving.py", "    if mandatory_left(turn, opened):", "    if False:"),
    ("P8", "turn/driving.py", 'if laid["covered"]:', "if False:"),
    ("P9", "turn/step_context.py", 'if opened is not None and opened["slot"] == slot:', "if False:"),
    ("Q1", "closing.py", '{**laid, "used": False}', "laid"),
    ("Q3", "turn/preparation.py", "if len(kept) > hand_limit(turn):", "if False:"),
    ("Q4", "turn/deck.py", 'me["top"][-1]', 'me["top"][0]'),
    ("Q5", "closing.py", 'if driver["flipped"] >= facts().tokens.nothing_kept:', "if False:"),
    ("R2", "turn/damage.py", 'min(me["risk"] + 1, turn.cards.limits.risk_dice)', 'me["risk"] + 1'),
    ("R3", "turn/damage.py", "tokens, left = divmod(moved, limits.damage_track)", "tokens, left = moved // 5, 0"),
    ("R4", "turn/damage.py", "hits += int(hit)", "hits = int(hit)"),
    ("R5", "turn/damage.py", 'me["markers"] = {}', "pass"),
    ("R6", "turn/damage.py", 'if rolled["hits"] or rolled["symbols"]:', "if True:"),
    ("R7", "turn/driving.py", "if turn.flipped(facts().tokens.no_passive):", "if False:"),
    ("R8", "turn/operation_handlers.py", 'max(turn.me["risk"] - one.dice, 0)', 'max(turn.me["risk"] - 1, 0)'),
    ("S2", "turn/stepping.py", "    if name not in to_play(table):", "    if False:"),
    ("S4", "turn/stepping.py", "if ending and closing", 'if turn.me["phase"] == DONE and closing'),
    ("S6", "turn/preparation.py", "    roll_ghost(turn)\n", ""),
    ("S8", "turn/steps.py", "(len(words) > len(kinds) and not more)", "False"),
    ("T3", "turn/stepping.py", 'if not table["training"]:', "if True:"),
    ("U4", "characters.py", "for _ in range(cards.cards[name].copies)", ""),
    ("V2", "closing.py", 'new["speed"] += count * space.speed', 'new["speed"] += space.speed'),
)  # fmt: skip
"""For each break: the rule, the file of `engine/dust`, the code, and its replacement."""


def noticed(place: Path, games: int) -> bool:
    """Return whether the engine in the folder and the second implementation differ, or the engine crashes."""
    command = [sys.executable, "-m", "tests.benchmarks.dust_second_implementation", str(games)]
    return subprocess.run(command, cwd=place, capture_output=True, env={**os.environ, "PYTHONPATH": ""}).returncode != 0


def main() -> int:
    """Try every break. Returns the exit code: 1 when one is not noticed."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    missed = []
    for rule, file, old, new in BREAKS:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            shutil.copytree(ROOT / "engine", place / "engine")
            (place / "tests").symlink_to(ROOT / "tests")
            path = place / "engine" / "dust" / file
            text = path.read_text("utf-8")
            assert old in text, f"{rule}: {old!r} does not stand in {file}"
            path.write_text(text.replace(old, new, 1), "utf-8")
            if not noticed(place, games):
                missed.append(rule)
                print(f"{rule}: nobody notices that it is broken", flush=True)
    print(f"{len(BREAKS) - len(missed)} of {len(BREAKS)} broken rules are noticed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

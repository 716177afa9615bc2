"""The strength of codrivers: duels, ratings, and the data that games keep of them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from engine import ladder, registry
from engine.commands import main
from engine.contract import Ladder, Rung, offered, required

GAMES = [name for name in registry.packages() if offered(registry.get(name), Ladder) is not None]


@pytest.mark.parametrize("game", GAMES)
def test_every_manner_has_a_rung_and_each_but_one_has_a_rival(game: str) -> None:
    rules = required(registry.get(game), Ladder)
    rungs = {rung.manner: rung for rung in rules.rungs}
    assert sorted(rungs) == sorted(rules.manners)
    assert [rung.manner for rung in rungs.values() if not rung.rival] == ["club"]
    for rung in rungs.values():
        assert not rung.rival or (rung.rival in rungs and 0 <= rung.halves <= 2 * rung.games)
        assert rung.games == 0 or rung.games >= 20, "fewer duels say nothing"


@pytest.mark.parametrize("game", GAMES)
def test_the_ladder_begins_with_the_novice(game: str) -> None:
    names = [rung.manner for rung in required(registry.get(game), Ladder).rungs]
    assert names.index("novice") < names.index("learner") < names.index("club")


def test_strengths_add_up_from_rival_to_rival() -> None:
    club = Rung("club")
    bold, child = Rung("bold", "club", 100, 120), Rung("child", "tame", 100, 20)
    tame = Rung("tame", "club", 100, 40)
    assert [rung.manner for rung in ladder.in_order([bold, club, tame, child])] == ["child", "tame", "club", "bold"]
    never = Rung("never", "child", 100, 0)
    assert ladder.in_order([child, tame, club, never])[0] == never, "without a win it has a strength too"


def test_a_share_has_its_standard_error() -> None:
    rung = Rung("bold", "club", 100, 100)
    assert (rung.won, rung.error) == (0.5, 0.05)
    assert (Rung("club").won, Rung("club").error) == (0.5, 0.0)


def test_a_duel_is_repeated_exactly_and_the_better_result_wins() -> None:
    rules = registry.get("dirt")
    game = required(rules, Ladder)
    driven = [ladder.drive_duel(rules, game, 1, ("novice", "club")) for _ in range(2)]
    assert driven == [0, 0]
    assert ladder.drive_duel(rules, game, 1, ("club", "novice")) == 2


@pytest.mark.parametrize("game", GAMES)
def test_duels_on_one_course_are_driven_together(game: str) -> None:
    rules = required(registry.get(game), Ladder)
    numbers = ladder.course_by_course(rules, 50)
    assert sorted(numbers) == list(range(50))
    courses = [str(rules.duel(number)) for number in numbers]
    changes = sum(one != other for one, other in pairwise(courses))
    assert 0 < changes == len(set(courses)) - 1


def test_what_is_written_has_the_new_result_and_all_others(tmp_path: Path) -> None:
    rungs = required(registry.get("dirt"), Ladder).rungs
    kept = tmp_path / "ladder.toml"
    assert main(["ladder", "dirt", "novice", "--duels", "1", "--write", str(kept)]) == 0
    text = kept.read_text("utf-8")
    assert text.startswith("# How strong") and '[novice]\nrival = "learner"\ngames = 2\n' in text
    for rung in rungs:
        if rung.manner not in ("novice", "club"):
            told = f'[{rung.manner}]\nrival = "{rung.rival}"\ngames = {rung.games}\nhalves = {rung.halves}\n'
            assert told in text


def test_duels_in_a_file_are_not_driven_again(tmp_path: Path) -> None:
    rules, kept = registry.get("formula_d"), tmp_path / "duels.jsonl"
    game, novice = required(rules, Ladder), Rung("novice", "learner")
    kept.write_text('["formula_d", "novice", "learner", 0, 4]\n["formula_d", "novice", "club", 1, 4]\n', "utf-8")
    *_, found = ladder.measured(rules, game, novice, 2, keep=kept)
    assert found.games == 4 and found.halves >= 4, "the kept duel counts, that against another rival does not"
    lines = kept.read_text("utf-8").splitlines()
    assert len(lines) == 3 and lines[2].startswith('["formula_d", "novice", "learner", 1, ')
    assert list(ladder.measured(rules, game, novice, 2, keep=kept))[-1] == found
    assert kept.read_text("utf-8").splitlines() == lines


def test_a_manner_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ladder", "dirt", "reckless"]) == 2
    assert "reckless" in capsys.readouterr().err
    assert main(["ladder", "dirt", "bold", "--duels", "0"]) == 2

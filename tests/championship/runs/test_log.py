"""The log in sentences: turn by turn, every event in the order in which it happened."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from championship.games.dirt import event_sentences
from championship.runs.models import Run
from championship.runs.pages.log import LogWords, record_turns
from championship.runs.run_pages import Line
from tests.championship.runs.factories import (
    all_but_the_first_are_home,
    careful_turn,
    on_the_road,
    open_turn,
    play,
)

DRIVERS = {"1": "#1 Ana", "2": "#2 Bo"}

SENTENCES = [
    ({"kind": "turn", "plan": "1:1.2.l", "roll": "one by one"}, "Lays 1 move.", "turn", ()),
    ({"kind": "turn", "plan": "1:1.2.l c:1.3.l", "roll": "flat out"}, "Flat out with 2 moves.", "turn", ()),
    (
        {"kind": "roll", "move": 1, "dice": ["3", "brake"], "faces": [True, False]},
        "Rolls gear 3 with a brake: 1 warning.",
        "warning",
        ("R1",),
    ),
    (
        {"kind": "roll", "move": 1, "dice": ["2", "brake", "brake"], "faces": [True, False, True]},
        "Rolls gear 2 with 2 brakes: 2 warnings.",
        "warning",
        ("R1",),
    ),
    ({"kind": "roll", "move": 1, "dice": ["coast"], "faces": [False]}, "Rolls coast: no warning.", "move", ("R1",)),
    (
        {"kind": "roll all", "dice": [["1"], ["coast"]], "faces": [[True], [True]], "seconds": 2},
        "All dice at once: 2 warnings, 2 s won.",
        "warning",
        ("R4",),
    ),
    ({"kind": "secure", "move": 2, "dice": ["4"], "seconds": 1}, "Secures gear 4 for 1 s.", "move", ("R3",)),
    (
        {"kind": "move", "space": "2.1.l", "gear": 3, "plan": "3:2.1.l"},
        "Drives to 2.1 left in gear 3.",
        "move",
        (),
    ),
    (
        {"kind": "move", "space": "3.4.r", "gear": 4, "plan": "4:3.2.l^3.4.r"},
        "Jumps from 3.2 left to 3.4 right in gear 4.",
        "move",
        ("M3",),
    ),
    (
        {"kind": "move", "space": "6.1.r", "gear": 6, "plan": "x:6.1.r"},
        "Drives to 6.1 right in gear 6, the brake held over the red line.",
        "move",
        ("D8",),
    ),
    ({"kind": "wait", "rule": "M9", "gear": 2, "on_track": True}, "Blocked by the cars ahead.", "move", ("M9",)),
    ({"kind": "wait", "rule": "M10", "gear": 0, "on_track": True}, "There is no way on.", "move", ("M10",)),
    (
        {"kind": "wait", "rule": "E6", "gear": 0, "on_track": False},
        "Waits beside the track: another car stands where this one must be put back.",
        "move",
        ("E6",),
    ),
    (
        {"kind": "sisu ready"},
        "Holds the SISU token ready: it is played only if it keeps control.",
        "move",
        ("R7",),
    ),
    ({"kind": "sisu stays"}, "The SISU token would not keep control: it stays with the driver.", "move", ("R7",)),
    ({"kind": "sisu"}, "Plays the SISU token: this turn's warnings are ignored.", "sisu", ("R7",)),
    (
        {"kind": "relay", "plan": "1:1.2.l", "faces": [[True]]},
        "Control is lost: the dice are laid again, 1 move.",
        "move",
        ("R6",),
    ),
    (
        {"kind": "loss", "rule": "R2", "gear": 4, "space": "2.1.l"},
        "One warning too many: control is lost in gear 4!",
        "crash",
        ("R2",),
    ),
    (
        {"kind": "loss", "rule": "M1", "gear": 5, "space": "2.1.l"},
        "Too fast for the limit: control is lost in gear 5!",
        "crash",
        ("M1",),
    ),
    (
        {"kind": "loss", "rule": "M3", "gear": 5, "space": "2.1.l"},
        "A jump too far: control is lost in gear 5!",
        "crash",
        ("M3",),
    ),
    (
        {"kind": "card", "gear": 3, "side": "front", "back": None, "seconds": 30},
        "The time card costs 30 s.",
        "move",
        ("E1",),
    ),
    (
        {"kind": "card", "gear": 0, "side": "front", "back": None, "seconds": 60},
        "The time card costs 60 s.",
        "move",
        (),
    ),
    (
        {"kind": "card", "gear": 3, "side": "back", "back": "spin", "seconds": 60},
        "The car spins: 60 s, gear 0.",
        "spin",
        ("E2", "E3"),
    ),
    (
        {"kind": "card", "gear": 3, "side": "back", "back": "crash 0/1/2", "seconds": 60},
        "A crash: 60 s, the car stands beside the track.",
        "crash",
        ("E2", "E3"),
    ),
    (
        {"kind": "token", "token": "gear/mud", "shows": "mud", "tile": 3},
        "Mud flies onto tile 3: its bends get slower for the others.",
        "move",
        ("M5", "M2"),
    ),
    (
        {"kind": "token", "token": "gear/mud", "shows": "gear", "tile": 3},
        "Damage: one gear die less from the next turn.",
        "move",
        ("E5",),
    ),
    (
        {"kind": "spare", "repairs": "coast", "token": "coast/ok", "seconds": 120},
        "Takes the spare wheel: 120 s, one coast die is mended, the car waits beside the track.",
        "move",
        ("E4",),
    ),
    ({"kind": "finish", "seconds": 232}, "Over the finish line! Stage time 3:52.", "finish", ("F1", "F2")),
    ({"kind": "retire", "rule": "E7"}, "Retires from the stage: no gear die is left.", "retire", ("E7",)),
    ({"kind": "retire", "rule": "M10"}, "Retires from the stage: the car is stuck.", "retire", ("M10",)),
    ({"kind": "retire", "rule": "E8", "seconds": 60}, "Gives up and retires from the stage.", "retire", ("E8",)),
    (
        {"kind": "round", "round": 3, "order": ["2", "1"], "leader": "2"},
        "Round 3: #2 Bo opens the road.",
        "round",
        ("O1",),
    ),
    ({"kind": "round", "round": 3, "order": ["2"], "leader": None}, "Round 3 begins.", "round", ("O1",)),
    ({"kind": "over", "retired": {}}, "The stage is over.", "over", ()),
    ({"kind": "phase", "phase": "spare", "rule": "E4"}, "The spare wheel could be taken here.", "move", ("E4",)),
    (
        {"kind": "phase", "phase": "lost", "rule": "D7"},
        "The flying start fails: only the SISU token helps.",
        "move",
        ("D7",),
    ),
    (
        {"kind": "phase", "phase": "lost", "rule": "R2"},
        "Control is as good as lost: only the SISU token helps.",
        "move",
        ("R2",),
    ),
    (
        {"kind": "phase", "phase": "relay", "rule": "R2"},
        "Control is lost: the dice must be laid again.",
        "move",
        ("R2",),
    ),
    ({"kind": "end of turn"}, "The turn is over.", "move", ()),
]


@pytest.mark.parametrize(("event", "text", "kind", "rules"), SENTENCES, ids=lambda part: str(part)[:40])
def test_an_event_in_words(event: dict[str, Any], text: str, kind: str, rules: tuple[str, ...]) -> None:
    said = event_sentences.sentence({"driver": "1", **event}, DRIVERS)
    assert (said.text, said.kind, said.rules) == (text, kind, rules)
    assert kind in event_sentences.COLOURS


def test_all_kinds_of_event_are_in_the_cases_above() -> None:
    assert {event["kind"] for event, *_said in SENTENCES} == set(event_sentences.SENTENCE_BY_KIND)


def test_an_unknown_event_is_left_out() -> None:
    """Records of a later engine may hold unknown events."""
    assert event_sentences.sentence({"kind": "puncture", "driver": "1"}, DRIVERS).passing
    assert event_sentences.log_line([{"kind": "puncture", "driver": "1"}], DRIVERS) is None


# On the page ------------------------------------------------------------------------------------------


def turns_on(run: Run, path: str = "log/") -> list[tuple[str, list[str]]]:
    """The turns of the log on a page: the driver, and the sentences of the turn."""
    page = Client().get(run.get_absolute_url() + path).content.decode()
    found = []
    for turn in page.split('<li class="told"')[1:]:
        who = re.search(r'class="teller">.*?<strong>(.*?)</strong>', turn, re.S)
        lines = re.findall(r'<li data-kind="\w+"[^>]*>(.*?)\s*(?:<small|<a class="when")', turn, re.S)
        found.append((unescape(who.group(1)) if who else "", [unescape(line) for line in lines]))
    return found


@pytest.mark.django_db
def test_a_turn_of_many_posts_is_one_entry_of_the_log() -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    play(run, ana, do="lay", plan="1:1.2.l 2:1.3.l", roll="one by one")
    play(run, ana, do="roll")
    play(run, ana, do="stop")
    [turn, begun] = turns_on(run)
    assert turn[0] == ana.crew
    assert len(turn[1]) == 3
    assert turn[1][0] == "Lays 2 moves."
    assert turn[1][1].endswith("Drives to 1.2 left in gear 1.")
    assert turn[1][2] == "The time card costs 50 s."
    assert begun == ("", [f"Round 2: {ana} opens the road."])
    newest_first = turns_on(run, path="")
    assert newest_first == [begun, turn], "the stage page tells the newest first, a turn in its own order"


@pytest.mark.django_db
def test_giving_up_is_in_the_log() -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    play(run, ana, do="retire")
    assert turns_on(run)[0] == (ana.crew, ["Gives up and retires from the stage."])


@pytest.mark.django_db
def test_the_end_of_the_stage_comes_last_in_the_log() -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    play(run, ana, do="standing", plan=all_but_the_first_are_home(run))
    told = turns_on(run)
    assert told[-1] == ("", ["The stage is over."])
    assert "Over the finish line! Stage time" in told[-2][1][0]


@pytest.mark.django_db
def test_what_the_codriver_did_is_marked() -> None:
    run, (ana, bo) = on_the_road("Ana", "Bo")
    play(run, ana, **careful_turn(run))
    page = Client().get(f"{run.get_absolute_url()}log/").content.decode()
    assert "codriver" not in page.split('<ol class="log"')[1].split("</main>")[0]
    run.refresh_from_db()
    run.version, run.events_told = run.version + 1, run.events_told + 1
    open_turn(run).posts.create(run=run, number=run.version, by=None, orders={}, at=run.opened_at).events.create(
        run=run, number=run.events_told, kind="sisu", data={"kind": "sisu", "driver": str(bo.start_number)}
    )
    run.save()
    page = Client().get(f"{run.get_absolute_url()}log/").content.decode()
    assert page.split('<ol class="log"')[1].count("codriver") == 1


@pytest.mark.django_db
def test_a_cached_log_is_rendered_again_when_a_crew_is_renamed_or_somebody_moves() -> None:
    run, [ana] = on_the_road("Ana")
    play(run, ana, **careful_turn(run))
    looks = Client()
    assert "Ana" in looks.get(run.get_absolute_url()).text
    ana.crew = "Zoe"
    ana.save()
    told = looks.get(run.get_absolute_url()).text
    assert "Zoe" in told and "Ana" not in told
    german = Client(headers={"accept-language": "de"}).get(run.get_absolute_url()).text
    first = re.compile(r'<li data-kind="\w+" id="p\d+">([^<]+)')
    assert first.findall(german) and first.findall(german) != first.findall(told), "it is told in its reader's language"
    before = told.count('class="told"')
    play(run, ana, **careful_turn(run))
    assert looks.get(run.get_absolute_url()).text.count('class="told"') > before


def test_a_record_is_told_turn_by_turn_and_an_unfinished_turn_at_the_end():
    words = LogWords(
        names={"1": "Ana", "2": "Bo"},
        for_all=lambda event: event["kind"] == "round",
        line=lambda event, who: Line(event["kind"], f"{who}: {event['kind']}"),
        together=lambda events: Line("move", " ".join(event["kind"] for event in events)) if events else None,
    )
    turns = [("1", "roll"), ("1", "end"), ("1", "round"), ("2", "roll")]
    document = {"turns": [{"driver": driver, "events": [{"kind": kind}]} for driver, kind in turns]}
    told = [(turn.who, [line.text for line in turn.lines]) for turn in record_turns(document, words, ["end"])]
    assert told == [("Ana", ["roll", "end"]), ("", ["Ana: round"]), ("Bo", ["roll"])]
    each = [turn.who for turn in record_turns(document, words)]
    assert each == ["Ana", "Ana", "", "Bo"], "without kinds of event that end a turn, every post is one"

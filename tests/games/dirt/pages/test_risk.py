"""The odds on the stage page: the engine's numbers in the reader's format, beside the moves and for the plan.

By hand: gears 1 and 2 warn on one face in six, gears 3 to 6 on two (D1); three warnings lose control (R2). The cards
cost 50, 40, 30, 20, 15, 10 s from gear 1 up; a loss of control costs 10 s for two of 32 cards, else 60 s.
"""

import re
from html import unescape
from itertools import pairwise

import pytest
from django.utils import translation

from championship.games.dirt import curve, risk
from championship.games.dirt.words import percent, seconds
from engine import registry
from engine.chance import SECRET_BYTES, SeededChance
from engine.dirt import legal_moves
from tests.championship.runs.factories import desk_of, on_the_road, play, put, send, with_luck

RULES = registry.get("dirt")
THREE = "3:1.3.l 4:2.1.o1 5:2.1.o2"


def page_of(entry, run, plan=""):
    return desk_of(entry).get(run.get_absolute_url(), {"plan": plan} if plan else {}).content.decode()


def words_of(html):
    """Return the visible text in one line, with no-break spaces as spaces."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).replace("\u00a0", " ").split())


def risk_on(html):
    """Return the section about the risk of the plan."""
    return html.split('aria-labelledby="risk"')[1].split("</section>")[0]


def lines_on(html):
    """Return the text of each rolling mode."""
    return [
        words_of(line)
        for line in re.findall(r"<li>(.*?)</li>", risk_on(html).split('class="ways"')[1].split("</ul>")[0], re.S)
    ]


# By hand -------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_card_that_everyone_saw_is_missing_from_the_deck():
    """One of the two SISU cards of gear 6 has been drawn: of 31 cards one costs 10 s, all others 60 s."""
    run, (ana,) = on_the_road("Ana")
    at_speed, too_fast = {"space": "1.3.l", "gear": 6, "on_track": True, "started": True}, "c:2.1.i1"
    put(run, ana, **at_speed)
    assert "One by one 0 % to keep control 56.9 s expected" in lines_on(page_of(ana, run, too_fast))
    orders = {"do": "standing", "plan": too_fast}
    with_luck(run, orders, lambda state: state["drivers"][str(ana.start_number)]["gear"] == 6)
    play(run, ana, **orders)
    put(run, ana, **at_speed)
    assert "One by one 0 % to keep control 58.4 s expected" in lines_on(page_of(ana, run, too_fast))
    assert "58.4 s" in words_of(page_of(ana, run)), "and so it says beside the moves"


@pytest.mark.django_db
def test_one_die_with_one_warning_face_in_six():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    html = page_of(ana, run, "1:1.2.l")
    assert lines_on(html) == [
        "One by one 100 % to keep control 50 s expected",
        "Stopping at 2 warnings 100 % to keep control 50 s expected · 100 % make all moves",
        "Flat out 100 % to keep control 49 s expected · up to 1 s won",
    ]
    said = words_of(risk_on(html))
    assert "0 warnings: 83 % 1 warning: 17 % 2 warnings: 0 % 3 warnings or more: 0 %" in said
    assert "Move 1, 1.2 left: 100 % to be in control." in said
    assert "crash" not in said


@pytest.mark.django_db
def test_with_two_warnings_on_the_table_a_die_of_two_faces_in_six_keeps_control_twice_in_three():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    desk = desk_of(ana)
    send(desk, run, do="lay", plan="1:1.2.l 2:1.3.l c:2.1.o1", roll="one by one")
    for count in (1, 2):
        with_luck(run, {"do": "roll"}, lambda state, count=count: state["turn"] and state["turn"]["warnings"] == count)
        send(desk, run, do="roll")
    html = page_of(ana, run)
    buttons = {do: words_of(inside) for do, inside in re.findall(r'name="do" value="(\w+)">(.*?)</button>', html, re.S)}
    assert buttons["roll"] == "Roll 67 % control", "Ana opens the road: a leader die"
    assert buttons["stop"] == "Stop here 40 s card", "gear 2"
    # 2/3 × 40 s, 1/3 × (2 × 10 + 30 × 60) / 32 s
    assert "1 move left: 67 % to keep control, 45.6 s expected." in words_of(html)


def test_leaving_the_rest_to_standing_orders_has_odds_of_its_own():
    """With standing orders to stop at one warning, there are never three. Gear 1 or 2 then costs its card."""
    options = RULES.clean_options({})
    state = RULES.setup(RULES.library()["1/1"], [{"id": "1", "car": RULES.new_luggage(options)}], options)
    lay = {"do": "lay", "plan": "1:1.2.l 2:1.3.l c:2.1.o1", "roll": "one by one"}
    state, _events = RULES.play(state, "1", lay, SeededChance(bytes(SECRET_BYTES)))
    facts = legal_moves.choices(state, "1", "").facts
    orders = {"roll": "one by one", "stop_at": 1, "as_laid": True}
    expected = seconds(1 / 6 * 50 + 5 / 6 * 40)
    assert (
        risk.of_rest(RULES.turn_odds(state, "1"), "rolling", facts, orders).standing
        == f"100\u00a0% to keep control, {expected} expected"
    )
    assert risk.of_rest(RULES.turn_odds(state, "1"), "rolling", facts).standing == ""


@pytest.mark.django_db
def test_a_second_token_buys_certainty():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    put(run, ana, tokens=1)
    desk = desk_of(ana)
    send(desk, run, do="lay", plan="1:1.2.l 2:1.3.l", roll="one by one")
    assert "Secure for 1 s 100 % control" in words_of(page_of(ana, run))


@pytest.mark.django_db
def test_a_move_that_certainly_loses_control_shows_zero():
    """M1: gear 3 into a bend of 2."""
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    put(run, ana, space="1.3.l", gear=4, started=True, on_track=True)
    html = page_of(ana, run)
    lost = re.findall(r"<li[^>]*>(?:(?!</li>).)*loss of control.*?</li>", html, re.S)
    assert lost
    assert all("0 % to keep control" in words_of(item) and 'data-grade="lost"' in item for item in lost)
    html = page_of(ana, run, re.search(r'name="move" value="([^"]+)"', lost[0]).group(1))
    assert "This plan is certain to lose control." in words_of(risk_on(html))


# What the engine says ------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize(
    "plan", ["1:1.2.l 2:1.3.l c:2.1.o1 c:2.1.o2", "2:1.2.l 3:1.3.l 1b:2.1.i1", "2:1.2.l 3:1.3.l 4:2.1.o1"]
)
def test_the_page_says_what_the_engine_says(plan):
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    driver = str(ana.start_number)
    html = page_of(ana, run, plan)
    orders = [{"roll": "one by one"}, {"stop_at": 2}, {"roll": "flat out"}]
    found = [RULES.odds(run.state, driver, way, plan) for way in orders]
    for line, odds in zip(lines_on(html), found, strict=True):
        assert (
            f"{percent(odds['kept'][-1])} to keep control {seconds(odds['seconds'])} expected".replace("\u00a0", " ")
            in line
        )
    assert f"up to {found[2]['earned']} s won" in lines_on(html)[2]
    points = re.search(r'<polyline class="way one" points="([^"]+)"', html).group(1).split()
    assert len(points) == len(plan.split()) + 1
    for sentence, kept in zip(re.findall(r"Move \d, [^:]+: ([\d.]+).%", unescape(html)), found[0]["kept"], strict=True):
        assert float(sentence) == pytest.approx(100 * kept, abs=0.5)


@pytest.mark.django_db
def test_each_move_has_the_odds_of_the_plan_with_it():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    driver, plan = str(ana.start_number), "1:1.2.l 2:1.3.l"
    moves = legal_moves.choices(run.state, driver, plan).moves
    found = risk.of_moves(RULES.turn_odds(run.state, driver), plan, moves)
    html = page_of(ana, run, plan)
    shown = [words_of(item) for item in re.findall(r'class="move-risk".*?</small>', html, re.S)]
    assert len(shown) == len(moves) > 3
    for move, beside, words in zip(moves, found, shown, strict=True):
        odds = RULES.odds(run.state, driver, {"roll": "flat out"}, f"{plan} {move.text}")
        assert beside.flat == percent(odds["kept"][-1])
        one = RULES.odds(run.state, driver, {}, f"{plan} {move.text}")
        said = f"{beside.one} to keep control, {seconds(one['seconds'])} expected, up to {odds['earned']} s won"
        assert words.endswith(said.replace("\u00a0", " "))


@pytest.mark.django_db
def test_standing_orders_are_weighed_in_place_of_rolling_on():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    driver = str(ana.start_number)
    put(run, ana, space="1.2.l", gear=2, started=True, on_track=True)
    orders = {"roll": "flat out", "stop_at": 1, "secure_at": None, "as_laid": True}
    found = risk.of_plan(RULES.turn_odds(run.state, driver), "3:1.3.l 2:2.1.o1 1:2.1.o2", orders)
    assert [mode.kind for mode in found.modes] == ["one", "flat"]
    assert found.one.control == "100\u00a0%"
    assert found.flat.control == percent(1 - 1 / 3 * 1 / 6 * 1 / 6)
    early = risk.of_plan(RULES.turn_odds(run.state, driver), "3:1.3.l", {"secure": [4], "stop_after": 9})
    assert early.one.control == "100\u00a0%", "orders for moves that are not laid yet do not count yet"


def test_nothing_is_said_of_an_empty_plan_or_one_that_cannot_be_rolled_so():
    options = RULES.clean_options({"sisu": "none"})
    state = RULES.setup(RULES.library()["1/1"], [{"id": "1", "car": RULES.new_luggage(options)}], options)
    assert risk.of_plan(RULES.turn_odds(state, "1"), "") is None
    assert risk.of_plan(RULES.turn_odds(state, "1"), "1:1.2.l", {"sisu": True}) is None


# Numbers and drawing --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (1.0, "100"),
        (1 - 1e-12, "100"),
        (0.9999, "99.9"),
        (0.996, "99.6"),
        (0.62, "62"),
        (0.004, "0.4"),
        (1e-5, "0.1"),
        (0.0, "0"),
    ],
)
def test_only_what_is_certain_is_called_so(share, said):
    assert percent(share) == f"{said}\u00a0%"


@pytest.mark.parametrize(("language", "said"), [("en", "33.4\u00a0s"), ("de", "33,4\u00a0s"), ("pl", "33,4\u00a0s")])
def test_decimals_are_those_of_the_language(language, said):
    with translation.override(language):
        assert seconds(33.42) == said
        assert seconds(40.0) == "40\u00a0s"
        assert re.fullmatch(r"[\d.,\s-]+", curve.line([0.9, 0.333], 0.0)), (
            "no comma of the language gets into the drawing"
        )
        assert all("," not in dot.y for dot in curve.dots([0.9, 0.333], 0.0))


def test_ends_are_labelled_once_and_none_over_another():
    labels = curve.ends({"one": 0.62, "stop": 0.65, "flat": 0.62}, 0.0)
    assert [(label.text, label.kinds) for label in labels] == [("65\u00a0%", "stop"), ("62\u00a0%", "one flat")]
    low = curve.ends({"one": 0.0, "stop": 0.02, "flat": 0.01}, 0.0)
    heights = [float(label.y) for label in low]
    assert all(below - above >= curve.BETWEEN_LABELS for above, below in pairwise(heights))
    assert max(heights) <= curve.BOTTOM


def test_small_risks_are_drawn_on_the_upper_half():
    assert curve.floor_of([0.9, 0.8]) == 0.5
    assert curve.floor_of([0.9, 0.3]) == 0.0
    assert [level.text for level in curve.levels(0.5)] == ["100\u00a0%", "75\u00a0%", "50\u00a0%"]


@pytest.mark.django_db
def test_the_panel_leads_to_how_its_chances_are_counted_and_the_tick_to_the_token():
    run, (ana,) = on_the_road("Ana")
    put(run, ana, space="1.3.l", gear=3, on_track=True, started=True, sisu=True)

    def links():
        panel = page_of(ana, run, "4:2.1.o1").split('id="panel"')[1].split('class="tray laying"')[0]
        return re.findall(r'class="term why-chances" href="[^"]+" data-place="(\w+)"', panel)

    assert links() == ["chances", "chances", "sisu"], "beside the odds and what comes next, and in the words on SISU"
    put(run, ana, space="1.3.l", gear=3, on_track=True, started=True, sisu=False)
    assert links() == ["chances", "chances"]

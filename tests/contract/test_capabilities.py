"""Each optional capability of a game works as the contract says, for every game that offers it."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import pytest

from championship.lists.reading.words import folded
from engine import contract, registry
from engine.commands import main
from engine.contract import (
    CAPABILITIES,
    FEATS,
    Alone,
    Arrivals,
    Building,
    Career,
    Changing,
    CourseImport,
    Courses,
    CourseTable,
    Drafting,
    Feats,
    GameError,
    Highlights,
    IdealDrive,
    Ledgers,
    Odds,
    OpenStage,
    OrdersAhead,
    Puzzles,
    Reaching,
    Retirements,
    Rounds,
    RuleError,
    Sealing,
    Settling,
    Splits,
    Teaming,
    members,
    nearly_offered,
    offered,
)
from engine.ledger import faults
from engine.puzzles import loss
from tests.contract.driving import driven, frozen, games, plain, same, sampled
from tests.contract.toys.dash import Dash

Role = TypeVar("Role")

PLACES = 8
JUNK: tuple[Any, ...] = (None, True, 7, "zzqx", [], [7], {}, {"zzqx": 1}, {"tiles": 5}, {"track": []}, {"stage": {}})


def offering(capability: Any) -> pytest.MarkDecorator:
    """Parametrise a test with the games that offer this capability."""
    return pytest.mark.parametrize("name", sorted(name for name, game in games().items() if offered(game, capability)))


def role(name: str, capability: type[Role]) -> Role:
    found = offered(games()[name], capability)
    assert found is not None
    return found


def test_the_toys_offer_nothing() -> None:
    every: tuple[Any, ...] = (
        *(Alone, Arrivals, Changing, CourseImport, Building, Career, Courses, Drafting, Odds, OpenStage, OrdersAhead),
        *(Feats, Highlights, Retirements, Rounds, Sealing, Settling, Splits, Teaming),
    )
    assert not [one for name in ("dash", "hush") for one in every if offered(games()[name], one)]


@pytest.mark.parametrize("name", sorted(games()))
def test_no_capability_is_nearly_offered(name: str) -> None:
    """A method that is missing or misspelt would take the capability from the pages without a word."""
    assert nearly_offered(games()[name], CAPABILITIES) == ()


def test_every_capability_is_listed() -> None:
    protocols = {one for one in vars(contract).values() if getattr(one, "_is_runtime_protocol", False)}
    assert protocols == set(CAPABILITIES)


def test_the_table_of_capabilities_names_each_with_its_methods() -> None:
    """A row has the name of the capability, what pages gain, and its methods, or the capability that it extends."""
    text = (Path(__file__).resolve().parents[2] / "ARCHITECTURE.md").read_text("utf-8")
    rows = text.split("| capability | what pages gain |")[1].split("\n\n")[0].splitlines()[2:]
    found = {cells[1].strip(" `"): set(re.findall(r"`(\w+)`", cells[3])) for cells in (row.split("|") for row in rows)}
    by_name = {getattr(one, "__name__", ""): members(one) for one in CAPABILITIES}
    listed = {name: {one for word in words for one in by_name.get(word, {word})} for name, words in found.items()}
    assert listed == {name: set(names) for name, names in by_name.items()}


class LooksAhead(Dash):
    """It offers no OrdersAhead: one method is misspelt."""

    def ahead(self, state: Any, seat: str) -> Any:
        return state

    def begins(self, state: Any, seat: str) -> bool:
        return True

    def lastz(self, orders: Any) -> bool:
        return False


class Rated(Dash):
    """It offers no Private: the one method of it is misspelt."""

    def is_privat(self, course: Any) -> bool:
        return False


def test_a_capability_of_which_a_method_is_misspelt_is_nearly_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    (near,) = nearly_offered(Rated(), CAPABILITIES)
    assert (near.capability, near.lacks, near.like) == ("Private", ("is_private",), ("is_privat",))
    near = next(one for one in nearly_offered(LooksAhead(), CAPABILITIES) if one.capability == "OrdersAhead")
    assert "lasts" in near.lacks and near.like == ("lastz",)
    assert "ahead" not in near.lacks


def test_the_command_line_prints_what_is_nearly_offered(capsys: pytest.CaptureFixture[str]) -> None:
    registry.add(Rated())
    try:
        assert main(["offers", "dirt"]) == 0
        assert main(["offers", "dash"]) == 1
    finally:
        registry.remove("dash")
    out = capsys.readouterr().out
    assert out.startswith("dirt offers Courses, CourseImport, ")
    assert out.endswith(
        "dash offers nothing beyond the core\ndash nearly offers Private: lacks is_private, has is_privat\n"
    )


@offering(Courses)
def test_ready_made_courses_read_as_they_are(name: str) -> None:
    courses = role(name, Courses)
    assert courses.library()
    for source, spec in courses.library().items():
        read = courses.read_course(spec)
        assert source and plain(read) and same(courses.read_course(read), read)


@offering(Courses)
def test_what_is_no_course_is_refused(name: str) -> None:
    for junk in JUNK:
        before = frozen(junk)
        with pytest.raises(GameError):
            role(name, Courses).read_course(junk)
        assert frozen(junk) == before


@offering(CourseImport)
def test_a_course_is_written_and_read_again(name: str) -> None:
    courses, course_import = role(name, Courses), role(name, CourseImport)
    for spec in list(courses.library().values())[:3]:
        course = courses.read_course(spec)
        assert same(courses.read_course(tomllib.loads(course_import.write_course(course))), course)
        assert course_import.survey(course).whole
    for junk in JUNK:
        assert not course_import.survey(junk).whole, "a survey raises nothing"


@offering(CourseTable)
def test_lines_of_a_list_of_courses_are_drafts_or_refused(name: str) -> None:
    table, rng = role(name, CourseTable), Random(1)
    names = [column.name for column in table.course_columns]
    words = [word for column in table.course_columns for word in column.words]
    assert len(set(names)) == len(names) and names
    assert len(set(words)) == len(words) and words == [folded(word) for word in words]
    cells = ("", " ", "7", "-1", "9" * 40, "202a", "monaco", "x" * 400, "\u0661\u0662", "é\n=1", "yes", "202a AD, 210b")
    for _ in range(200):
        values = {
            column: tuple(rng.choices(cells, k=rng.randint(0, 3))) for column in rng.choices([*names, "zzqx"], k=2)
        }
        try:
            draft = table.course_of(values)
        except GameError:
            continue
        assert plain(draft)
        table.survey(draft)


@offering(Building)
def test_the_codriver_reads_plain_notes(name: str) -> None:
    courses, building = role(name, Courses), role(name, Building)
    for spec in list(courses.library().values())[:3]:
        assert all(plain(dict(note)) for note in building.notes(courses.read_course(spec)))


@offering(Drafting)
def test_a_draft_grows_step_by_step_and_is_taken_back(name: str) -> None:
    drafting, drive, rng = role(name, Drafting), driven(name, 1), Random(1)
    game = drive.game
    for post in sampled(drive, PLACES):
        draft = drafting.empty_draft()
        for _ in range(3):
            found = drafting.legal(post.before, post.seat, draft)
            assert found.error is None and same(found.draft, draft) and plain(found.draft)
            if not (found.laying and found.ways.ways) or found.ways.forced:
                break
            longer = drafting.extend(draft, rng.choice(found.ways.ways).text)
            assert same(drafting.undo(longer), draft)
            draft = longer
        assert game.choices(post.before, post.seat, draft).phase == game.phase(post.before, post.seat)


@offering(Changing)
def test_a_step_is_changed_where_it_stands(name: str) -> None:
    changing, drafting, drive, rng = role(name, Changing), role(name, Drafting), driven(name, 1), Random(1)
    for post in sampled(drive, PLACES):
        draft = drafting.empty_draft()
        with pytest.raises(RuleError):
            changing.change(draft, 1, "zzqx")
        found = drafting.legal(post.before, post.seat, draft)
        if found.laying and found.ways.ways and not found.ways.forced:
            one, other = (rng.choice(found.ways.ways).text for _ in "ab")
            assert same(changing.change(drafting.extend(draft, one), 1, other), drafting.extend(draft, other))


@offering(Reaching)
def test_a_draft_that_reaches_a_place_is_legal(name: str) -> None:
    reaching, drafting, drive, rng = role(name, Reaching), role(name, Drafting), driven(name, 1), Random(1)
    places = sorted({text for post in drive.posts for text in _texts(post.after)})
    reached = 0
    for post in drive.posts:
        before = drafting.legal(post.before, post.seat, drafting.empty_draft())
        for place in [*rng.sample(places, min(20, len(places))), "zzqx", ""]:
            draft = reaching.reach(post.before, post.seat, before.draft, place)
            if draft is not None:
                found = drafting.legal(post.before, post.seat, draft)
                assert found.error is None and same(found.draft, draft) and plain(draft)
                reached += 1
    assert reached


def _texts(value: Any) -> Iterator[str]:
    """Yield every text in a state, names of places among them."""
    if isinstance(value, str):
        yield value
    for inner in (*value, *value.values()) if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(inner)


@offering(Drafting)
def test_of_a_draft_that_makes_no_sense_the_legal_beginning_is_kept(name: str) -> None:
    drafting, drive = role(name, Drafting), driven(name, 1)
    for post in sampled(drive, PLACES):
        for junk in (*JUNK, drafting.extend(drafting.empty_draft(), "zzqx")):
            found = drafting.legal(post.before, post.seat, junk)
            assert drafting.legal(post.before, post.seat, found.draft).error is None


@offering(Rounds)
def test_a_round_has_who_is_to_play_first_and_then_each_car_once(name: str) -> None:
    rounds, drive = role(name, Rounds), driven(name, 3)
    for post in sampled(drive, PLACES):
        waiting, playing = rounds.this_round(post.before), drive.game.to_play(post.before)
        assert set(waiting[: len(playing)]) == set(playing)
        assert len(set(waiting)) == len(waiting)


@pytest.mark.parametrize("name", sorted(set(games()) - {"dash", "hush"}))
def test_a_game_says_that_it_seals_events_if_it_does(name: str) -> None:
    sealing = offered(games()[name], Sealing)
    sealed = any(event.get("only") is not None for event in driven(name, 2).events())
    assert sealed == (sealing is not None and sealing.seals)


@offering(OrdersAhead)
def test_a_seat_looks_ahead_to_its_turn(name: str) -> None:
    ahead, drive = role(name, OrdersAhead), driven(name, 3)
    game, looked = drive.game, 0
    for post in sampled(drive, 3 * PLACES):
        before = frozen(post.before)
        for one in drive.entrants:
            try:
                state = ahead.ahead(post.before, one["id"])
            except RuleError:
                continue
            looked += 1
            assert game.to_play(state) == (one["id"],) and ahead.begins(state, one["id"]) and plain(state)
            assert ahead.lasts({}) is False
        with pytest.raises(RuleError):
            ahead.ahead(post.before, post.seat)
        assert frozen(post.before) == before
    assert looked or len(drive.entrants) == 1


@offering(Odds)
def test_odds_are_plain_numbers_and_change_nothing(name: str) -> None:
    odds, drive = role(name, Odds), driven(name, 1)
    asked = 0
    for post in sampled(drive, PLACES):
        before = frozen(post.before)
        try:
            found = [odds.odds(post.before, post.seat, post.orders) for _ in range(2)]
        except GameError:
            continue
        asked += 1
        assert same(*found) and frozen(found) and frozen(post.before) == before
    assert asked or name


@offering(Career)
def test_a_car_goes_from_stage_to_stage(name: str) -> None:
    career, drive = role(name, Career), driven(name, 1)
    result = drive.game.result(drive.end)
    assert result is not None
    assert plain(career.new_luggage(drive.options)) and plain(career.in_rally(drive.course, last=True))
    for one in result.seats:
        for service in (False, True):
            retired = one.status == "retired"
            car = career.after_stage(one.luggage, service=service, retired=retired, options=drive.options)
            assert plain(car)
            found = career.decisions(car, service=service, options=drive.options, last_stage=False)
            decision = {each.name: False if each.type == "bool" else 0 for each in found}
            decided, amount = (
                career.decide(car, decision, service=service, options=drive.options, last_stage=False)
                if found
                else (car, 0)
            )
            assert plain(decided) and type(amount) is int
            assert set(career.sheet_row(decided)) == {column.key for column in career.sheet_columns}
            for column in career.sheet_columns:
                kind = int if column.group else bool
                assert type(career.sheet_row(decided)[column.key]) is kind, "a column without a group is a tick box"
    seats = [one["id"] for one in drive.entrants]
    totals = {seat: place % 2 for place, seat in enumerate(seats)}
    order = career.starting_order(totals, totals, seats[::-1])
    assert sorted(order) == sorted(seats)


@offering(Settling)
def test_when_all_are_in_every_seat_has_its_measure(name: str) -> None:
    settling, drive = role(name, Settling), driven(name, 1)
    for post in sampled(drive, 3):
        state = post.before
        while waiting := drive.game.to_play(state):
            state, _events = drive.game.play(state, waiting[0], drive.game.resign(state, waiting[0]), _NoLuck())
        for end in (state, drive.end):
            result = drive.game.result(end)
            assert result is not None
            settled = settling.settle(result.seats)
            assert [one.seat for one in settled] == [one.seat for one in result.seats]
            assert all(one.measure is not None for one in settled)
            kept = [one for one in result.seats if one.measure is not None]
            assert [one for one in settled if one.seat in {each.seat for each in kept}] == kept


class _NoLuck:
    """A seat that resigns rolls nothing."""

    def number(self, what: str, ends: int, *, by: str = "run") -> int:
        raise AssertionError(what)


@offering(Splits)
def test_splits_are_given_for_every_seat(name: str) -> None:
    splits, drive = role(name, Splits), driven(name, 1)
    events = list(drive.events())
    for upto in (0, len(events) // 2, len(events)):
        found = splits.splits(drive.setup, events[:upto])
        assert set(found.seats) == {one["id"] for one in drive.entrants}
        assert all(len(one.at) == found.borders for one in found.seats.values())
    result = drive.game.result(drive.end)
    assert result is not None
    ended = {one.seat: (one.status, found.seats[one.seat].measure) for one in result.seats if one.status == "finished"}
    assert ended == {one.seat: (one.status, one.measure) for one in result.seats if one.status == "finished"}
    assert {seat: told.status for seat, told in found.seats.items()} == {one.seat: one.status for one in result.seats}


@offering(Retirements)
def test_reasons_are_given_for_retired_seats(name: str) -> None:
    retirements, drive = role(name, Retirements), driven(name, 1)
    result = drive.game.result(drive.end)
    assert result is not None
    reasons = retirements.retirements(drive.events())
    assert set(reasons) == {one.seat for one in result.seats if one.status == "retired"}
    assert all(reasons.values())


@offering(Highlights)
def test_highlights_tell_of_seats_that_drove(name: str) -> None:
    rules, drive = role(name, Highlights), driven(name, 1)
    told = rules.highlights([event for event in drive.events() if event["kind"] in rules.highlight_kinds])
    result = drive.game.result(drive.end)
    assert result is not None and told and plain(told)
    assert set(told) <= {one.seat for one in result.seats}


@offering(Ledgers)
@pytest.mark.parametrize("seed", [1, 3, 5])
def test_a_ledger_adds_up_and_no_decision_gains(name: str, seed: int) -> None:
    ledgers, drive = role(name, Ledgers), driven(name, seed)
    events = list(drive.events())
    before = json.dumps([drive.setup, events])
    found = ledgers.ledger(drive.setup, events)
    assert json.dumps([drive.setup, events]) == before, "what is given never changes"
    assert faults(found, drive.game.measure) == []
    result = drive.game.result(drive.end)
    assert result is not None and list(found.seats) == [one.seat for one in result.seats]
    for one in result.seats:
        assert found.measure or one.measure is None or found.seats[one.seat].result == one.measure * 100
        assert plain([dict(booking.facts) for booking in found.seats[one.seat].bookings])
    assert ledgers.ledger(drive.setup, events) == found
    ideal = offered(drive.game, IdealDrive)
    if ideal is not None:
        places = ideal.ideal_drive(drive.setup)
        assert len(places) > 1 and all(isinstance(place, str) for place in places)
        assert ideal.ideal_drive(drive.setup) == places and json.dumps([drive.setup, events]) == before


@offering(Puzzles)
@pytest.mark.parametrize("seed", [1, 3])
def test_a_question_is_answered_by_the_value_of_its_ways(name: str, seed: int) -> None:
    puzzles, drive = role(name, Puzzles), driven(name, seed)
    state, asked, scale = drive.setup, 0, puzzles.puzzle_scale
    for event in drive.events():
        seat = event.get("seat", event.get("driver"))
        if asked < PLACES and seat in drive.game.to_play(state):
            before = json.dumps(state)
            question = puzzles.question(state, seat)
            if question is not None:
                asked += 1
                assert set(question.themes) <= set(puzzles.puzzle_themes)
                prepared = json.loads(json.dumps(puzzles.prepared(state, seat)))
                for way in (question.best, question.second, question.obvious):
                    if way is not None:
                        assert plain(dict(way.orders)) and all(0 <= each <= 1000 for each in way.chances.values())
                        assert loss(question, way.value, scale) >= 0
                        assert puzzles.weighed(state, seat, way.orders) == way
                        assert puzzles.weighed(state, seat, way.orders, prepared) == way
                with pytest.raises(RuleError):
                    puzzles.weighed(state, seat, drive.game.resign(state, seat))
            assert json.dumps(state) == before, "what is given never changes"
        state = drive.game.apply(state, event)
    assert asked


@offering(Feats)
@pytest.mark.parametrize("seed", [1, 3])
def test_feats_are_those_that_the_game_says_it_knows(name: str, seed: int) -> None:
    feats, drive = role(name, Feats), driven(name, seed)
    found = feats.feats_of(drive.end)
    assert set(found) <= set(feats.feats) <= set(FEATS)
    assert all(seats and set(seats) <= {one["id"] for one in drive.entrants} for seats in found.values())


@offering(Arrivals)
@pytest.mark.parametrize("seed", [1, 3, 5])
def test_a_seat_that_has_arrived_plays_no_more_and_keeps_its_result(name: str, seed: int) -> None:
    arrivals, drive = role(name, Arrivals), driven(name, seed)
    result = drive.game.result(drive.end)
    assert result is not None
    final = {one.seat: one for one in result.seats}
    seen = 0
    for post in drive.posts:
        before = frozen(post.after)
        arrived = arrivals.arrived(post.after)
        assert frozen(post.after) == before
        for one in arrived:
            assert one.status == "finished" and one.seat not in drive.game.to_play(post.after)
            same_result = (one.measure, one.rank) == (final[one.seat].measure, final[one.seat].rank)
            assert same_result or drive.game.measure.unit == "places"
        seen += len(arrived)
    assert seen or not any(one.status == "finished" for one in result.seats)


@offering(Alone)
def test_a_car_may_drive_alone(name: str) -> None:
    alone, game = role(name, Alone), games()[name]
    options = game.clean_options({})
    assert same(game.clean_options(alone.alone(options)), alone.alone(options))
    assert alone.needs_alone(options) is None or isinstance(alone.needs_alone(options), GameError)
    assert alone.shares_draws(options) in (True, False)


@offering(OpenStage)
def test_a_stage_for_everybody_is_drawn_and_shares_its_draws(name: str) -> None:
    drawing, courses, game = role(name, OpenStage), role(name, Courses), games()[name]
    for seed in (0, 1, 2**64 - 1):
        course = drawing.draw_stage(seed=seed)
        assert plain(course) and same(courses.read_course(course), course)
        assert same(drawing.draw_stage(seed=seed), course)
    assert not same(drawing.draw_stage(seed=1), drawing.draw_stage(seed=2))
    assert drawing.shares_draws(game.clean_options(drawing.open_options()))

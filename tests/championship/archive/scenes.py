"""A club with a past: rallies in every state, a season, protests and decisions; and everything that readers may see of
it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import date, timedelta
from io import BytesIO
from typing import Any

from django.db import connection
from PIL import Image

from championship.accounts.models import User
from championship.archive.services.writing import write_archive
from championship.archive.tables import TABLES
from championship.audit import services as audit
from championship.clubs.models import Club, Role
from championship.clubs.services.holidays import take_holiday
from championship.clubs.services.logo import set_logo
from championship.evenings.models import Circle, Phrase, Word
from championship.evenings.talk import services as talk
from championship.games.dust.services.sets import import_set
from championship.lists.services import drafts, importing, resolving
from championship.moments import services as moments
from championship.moments.selectors import page_of
from championship.platform import clock
from championship.rallies import services as rallies
from championship.rallies.models import Entry, Rally
from championship.rallies.results.selectors import results_of
from championship.rallies.results.sheet import sheets_of
from championship.runs.models import Run, SentAhead
from championship.runs.play.sealing import set_phrase
from championship.runs.watch.history import history_of
from championship.runs.watch.proof import record_of
from championship.seasons import selectors as season_selectors
from championship.seasons import services as seasons
from championship.seasons.divisions import services as divisions
from championship.seasons.divisions.services import reserves
from championship.seasons.models import Championship, Nomination, Renewal, SharedDrive
from championship.seasons.services import adjusting, registering
from championship.stages.models import Chunk, Rating
from championship.stages.services import create_design
from championship.stewards import selectors as steward_selectors
from championship.stewards import services as stewards
from championship.tabletop.models import Roll, Score
from engine import registry
from engine.dust.cards.card_set_reading import own_text
from tests import worlds
from tests.championship.lists.lists import results, season_of, time
from tests.championship.rallies.factories import drive, enter, hand_in, make_rally
from tests.championship.runs.factories import driven_to_the_end, on_the_road, starters
from tests.factories import make_club, make_member, make_user

__all__ = ["Past", "a_club_with_a_past", "archived", "emptied", "on_the_road", "read_of"]

RATED = {
    "sections": 40, "par": 200, "quartiles": [190, 215], "crash_share": 0.25, "most_dangerous_tile": "202a", "runs": 20
}  # fmt: skip


@dataclass(slots=True)
class Past:
    """The club and its rallies: one finished, one at time control, one with open entries."""

    club: Club
    owner: User
    finished: Rally
    control: Rally
    entries: Rally


def _picture() -> bytes:
    written = BytesIO()
    Image.new("RGB", (64, 64), "red").save(written, "PNG")
    return written.getvalue()


def a_club_with_a_past() -> Past:
    """A club of five drivers, one of whom has left. One rally is a round, with a protest, an appeal and an undone
    decision.
    """
    return Past(*worlds.scene(_a_past))


def _on_paper(olga: User, championship: Championship) -> None:
    """Import a round that was driven on paper, with a name without an account."""
    sten = {"name": "Sten", "car_class": "R5", "times": (time(205_000),), "points_hundredths": 1050}
    zed = {"name": "Zed Nobody", "car_class": "R5", "status": "retired", "reason": "engine", "times": (None,)}
    day = date(2025, 3, 14)
    paper = results("On paper", sten, zed, measure="times", day=day, stages=("R1/1",))
    found = season_of(paper, named=("car_class",))
    made = drafts.begin(by=olga, club=championship.club, kind="results", championship=championship, found=found)
    said = {each.key: each.answer for each in resolving.resolved(made).unanswered}
    made = resolving.say_who(by=olga, draft=made, version=made.version, said=said)
    importing.take(by=olga, draft=made, version=made.version)


def _sent_ahead(run: Run, person: User) -> None:
    now = clock.now()
    SentAhead.objects.create(
        seat=run.seats.all()[0],
        person=person,
        laid="s2.1",
        orders={},
        outlook=[],
        version=1,
        state="withdrawn",
        sent_at=now,
        settled_at=now,
    )


def _a_past() -> tuple[Club, User, Rally, Rally, Rally]:
    olga = make_user("Olga Organiser", language="de", time_zone="Europe/Berlin")
    club = make_club(owner=olga)
    set_logo(by=olga, club=club, content=_picture())
    sten = make_member(club, name="Sten", roles=[Role.STEWARD])
    stella = make_member(club, name="Stella", roles=[Role.STEWARD, Role.GUEST])
    example = registry.get("dirt").library()["4/1"]
    design = create_design(by=olga, club=club, name="Behind the mill", game="dirt", spec=example)
    import_set(by=olga, club=club, name="The box", text=own_text())
    rating = Rating.objects.create(design=design, seed=7, rated_at=clock.now(), result=RATED)
    Chunk(rating=rating, first=0, runs=20, driven=[]).save()
    championship = seasons.create_championship(by=olga, club=club, name="Cup", classes=["R5"], drop=1)
    registering.name_teams(by=olga, championship=championship, names=["North", "South"])
    finished = make_rally(by=olga, club=club, name="Finished", stages=("4/1",))
    ana, bo = enter(finished, "Ana", "Bo")
    (north, _south) = championship.teams.all()
    registering.register(
        by=olga, championship=championship, driver=ana.driver, crew="Ana", car_class="R5", team=north, start_number=7
    )
    seasons.add_round(by=olga, championship=championship, rally=finished)
    rallies.start_rally(by=olga, rally=finished)
    run = Run.objects.get(special_stage__rally=finished)
    driven_to_the_end(run, *starters(run))
    _sent_ahead(run, ana.driver)
    protest = stewards.file_protest(by=ana.driver, rally=finished, text="Bo blocked the road.", against=bo)
    stewards.give_statement(by=bo.driver, protest=protest, text="I saw no mirror.")
    decision = stewards.decide(
        by=sten, rally=finished, kind="penalty", text="So he did.", protest=protest, entry=bo, amount=400
    )
    appeal = stewards.appeal(by=bo.driver, decision=decision, text="I did not.")
    stewards.decide(by=stella, rally=finished, kind="reversal", text="He did not.", protest=appeal, undoes=decision)
    stewards.decide(by=stella, rally=finished, kind="penalty", text="Jump start.", entry=ana, amount=3)
    late = rallies.give_penalty(by=olga, entry=bo, amount=5, reason="Late")
    rallies.withdraw_penalty(by=stella, penalty=late, reason="The clock was wrong")
    stewards.decide(by=stella, rally=finished, kind="exclusion", text="Loaded dice.", entry=bo)
    stage = finished.stages.get()
    stewards.decide(
        by=stella, rally=finished, kind="stage time", text="The clock.", entry=ana, special_stage=stage, amount=300
    )
    _by_hand(ana)
    _on_paper(olga, championship)
    _points_by_hand(olga, stella, championship, ana.driver)
    _divisions(olga, championship, ana, bo, sten)
    said = moments.write(by=bo.driver, club=club, key=finished.key, name="1", text="What a stage!")
    moments.hide(by=stella, comment=said, reason="Sarcasm")
    moments.write(by=olga, club=club, key=championship.key, name="won", text="Well driven.")
    moments.cheer(by=olga, club=club, key=championship.key, name="won")
    _talk(finished, ana, stella)
    club.memberships.get(user=bo.driver).delete()
    return club, olga, finished, _at_time_control(olga, club), make_rally(by=olga, club=club, name="To come")


def _talk(finished: Rally, ana: Entry, stella: User) -> None:
    """What was said in an evening beside the run of a rally that is over: a phrase, and words that are hidden."""
    run = Run.objects.filter(special_stage__rally=finished, status=Run.Status.FINISHED).order_by("pk")[0]
    said = {"run": run, "author": ana.driver, "at": clock.now()}
    Word.objects.create(circle=Circle.DRIVERS, turn=1, phrase=Phrase.WELL_DRIVEN, **said)
    rude = Word.objects.create(circle=Circle.SPECTATORS, turn=2, text="Get off the road.", **said)
    talk.hide(by=stella, word=rude, reason="Rude")


def _by_hand(ana: Entry) -> None:
    """What a phone at the table has entered and rolled for a car."""
    stage, now = ana.rally.stages.get(), clock.now()
    first = Score.objects.create(
        special_stage=stage, entry=ana, key="phone-001", numbers={"card_1": 3}, measure=150, standing="replaced",
        written_by="Ana", tapped_at=now,
    )  # fmt: skip
    Score.objects.create(
        special_stage=stage, entry=ana, key="phone-002", measure=None, retired=True, reason="Ana broke a wheel",
        standing="stands", seen=first, written_by="Table 1", person=ana.driver, tapped_at=now,
    )  # fmt: skip
    Roll.objects.create(special_stage=stage, entry=ana, number=1, asked="phone-003", thrown=["1"], shown=[0], salt="x")


def _divisions(olga: User, championship: Championship, ana: Entry, bo: Entry, sten: User) -> None:
    """Rows of what a season with divisions, nominated rounds and shared cars keeps, and of the season after it."""
    following = seasons.create_championship(by=olga, club=championship.club, name="Cup of divisions")
    divisions.set_rules(by=olga, championship=following, names=["Top", "Low"], up=1, down=1, places=2)
    Renewal.objects.create(championship=championship, made=following, by=olga)
    championship.club.memberships.filter(user=sten).update(roles=[Role.STEWARD, Role.DRIVER])
    reserves.join(by=olga, championship=following, driver=sten, crew="Sten", division="Low")
    member = championship.registrations.get(driver=ana.driver)
    Nomination.objects.create(registration=member, round=championship.rounds.get(rally=ana.rally))
    SharedDrive.objects.create(entry=ana, driver=bo.driver)


def _points_by_hand(olga: User, stella: User, championship: Championship, ana: User) -> None:
    stewards.set_points_rule(by=olga, championship=championship, ban_at=8)
    given = adjusting.give_points(by=olga, championship=championship, driver=ana, points=-150, reason="Late")
    adjusting.withdraw_points(by=stella, adjustment=given)
    north = championship.teams.get(name="North")
    adjusting.give_points(by=stella, championship=championship, team=north, points=250, reason="Fair play")


def _at_time_control(olga: User, club: Club) -> Rally:
    """The first of two stages is finished, and one of two cards is handed in."""
    rally = make_rally(by=olga, club=club, name="Control", stages=("1/1", "1/2"), options={"checkpoints": True})
    cem, dag = enter(rally, "Cem", "Dag")
    rallies.start_rally(by=olga, rally=rally)
    drive(rally, 1, {cem: 200, dag: None})
    hand_in(rally, 1, cem, penalties=2)
    rallies.pause_rally(by=olga, rally=rally, reason="Snow")
    rallies.resume_rally(by=olga, rally=rally)
    rallies.write_to_entrants(by=olga, rally=rally, text="Mind the bridge.")
    stewards.set_terms(by=olga, rally=rally, protest_hours=12, appeal_hours=24)
    set_phrase(by=cem.driver, special_stage=rally.stages.get(number=2), text="Full moon")
    soon = clock.now().date() + timedelta(days=40)
    take_holiday(by=cem.driver, club=club, first_day=soon, last_day=soon + timedelta(days=4))
    return Rally.objects.get(pk=rally.pk)


def archived(club: Club) -> BytesIO:
    """Return the club's archive."""
    file = BytesIO()
    write_archive(club, file)
    file.seek(0)
    return file


def emptied() -> None:
    """Delete all people and everything else, as in a new installation."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("TRUNCATE accounts_user, clubs_club, stages_stagedesign, audit_record CASCADE")


CHANGES = {"rallies.rally": {"paused_at", "pause_reason"}, "audit.record": {"subject_id", "club_id", "from_archive"}}
"""Columns by table that a restore sets to new values."""


def rows_of(club: Club) -> dict[str, list[dict[str, Any]]]:
    """Return every column of every row in an archive, in order, without the numbers that identify rows."""
    found = {}
    for table in TABLES:
        fields = [field for field in table.model._meta.concrete_fields if not (field.primary_key or field.is_relation)]
        names = {field.name for field in fields} - CHANGES.get(table.name, set())
        rows = table.rows_of(club)
        found[table.name] = list(rows.values(*sorted(names))) if names else [{}] * rows.count()
    return found


def read_of(club: Club) -> dict[str, Any]:
    """Return the contents of a club's pages, by names and keys: tables, sheets, places, standings, log, decisions,
    replays.
    """
    found: dict[str, Any] = {
        "members": sorted(
            (each.user.email, each.user.name, each.roles, each.joined_at) for each in club.memberships.all()
        ),
        "log": [
            (each.at, str(each.actor), each.action, each.subject_type, each.subject_label, each.details)
            for each in audit.of_club(club.pk)
        ],
    }
    owner = club.memberships.get(roles__contains=[Role.OWNER]).user
    found["moments"] = [
        (
            shown.moment.key,
            shown.moment.name,
            shown.moment.at,
            shown.moment.lines,
            [(str(c), c.text) for c in shown.comments],
        )
        for shown in page_of(club, owner, "1")[1]
    ]
    found["talk"] = [
        (word.circle, word.turn, str(word.author), word.text, word.phrase, word.at, word.hidden_at, word.hidden_reason)
        for word in Word.objects.filter(run__special_stage__rally__club=club).order_by("pk")
    ]
    for rally in club.rallies.order_by("name"):
        found[rally.name] = _rally(rally)
    for championship in club.championships.order_by("name"):
        table = season_selectors.table(championship)
        found[championship.name] = [
            [
                (line.place, str(line.who), [score and asdict(score) for score in line.scores], line.total)
                for line in lines
            ]
            for lines in (table.drivers, *table.classes.values(), table.teams)
        ]
    return found


def _rally(rally: Rally) -> dict[str, Any]:
    results = results_of(rally)
    decisions = steward_selectors.decisions_of(rally)
    return {
        "fields": {
            field.name: getattr(rally, field.name)
            for field in rally._meta.concrete_fields
            if field.name not in ("id", "club", "paused_at", "pause_reason")
        },
        "overall": [_line(line) for line in results.overall],
        "stages": [[_line(line) for line in results.stage_lines(stage.number)] for stage in results.stages],
        "status": [(stage.number, stage.status, stage.opened_at, stage.closed_at) for stage in results.stages],
        "sheets": [[asdict(row) for row in sheet.rows] for sheet in sheets_of(results)],
        "entries": sorted(
            Entry.objects.filter(rally=rally).values_list(
                "crew", "driver__name", "status", "start_number", "created_at"
            )
        ),
        "decisions": [
            (each.key, each.number, each.kind, each.text, str(each.by), each.at, str(each.undoes)) for each in decisions
        ],
        "protests": list(rally.protests.values_list("key", "text", "status", "appealed__key", "filed_at")),
        "runs": {
            run.key: ([asdict(event) for event in history_of(run, None).events], run.state, record_of(run))
            for run in Run.objects.filter(special_stage__rally=rally, status=Run.Status.FINISHED)
        },
    }


def _line(line: Any) -> tuple[Any, ...]:
    return (line.place, line.entry.crew, line.total, line.to_leader, line.added, line.retired_on, line.excluded)

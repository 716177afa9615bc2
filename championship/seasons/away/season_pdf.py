"""A season on paper: its tables, and a yearbook with every round. In the active language; the same season gives the
same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime

from django.utils.formats import date_format, localize
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.clubs.logos import content_of
from championship.papers import colours, headlines
from championship.papers.pdf_pages import Column, Paper, Row
from championship.rallies.models import Rally
from championship.rallies.results.classification import Line as Classified
from championship.rallies.results.classification import on_podium
from championship.rallies.results.selectors import Results
from championship.seasons.away import records_of_season
from championship.seasons.front import CalendarRound, SeasonFront, day_of
from championship.seasons.models import Championship
from championship.seasons.selectors import Line, Score, Table

MANY_ROUNDS = 16
"""With more rounds than these, a table of a season is set smaller."""


def tables_pdf(table: Table) -> bytes:
    """Every table of the season, and its calendar."""
    paper = _paper(table, _("Standings"), across=True)
    _put_tables(paper, table)
    _put_calendar(paper, SeasonFront(table))
    return bytes(paper.output())


def yearbook_pdf(table: Table) -> bytes:
    """The season as a book: who won, the tables, the records, and each round with its podium, its story in a sentence
    and its whole classification.
    """
    front = SeasonFront(table)
    paper = _paper(table, _("Yearbook"))
    _put_title(paper, front)
    _put_calendar(paper, front)
    _put_records(paper, table)
    paper.add_page(orientation="landscape")
    _put_tables(paper, table)
    driven = [(each, table.results[each.rally.pk]) for each in front.rounds if each.rally.pk in table.results]
    stories = headlines.headlines_of([each.rally for each, _results in driven])
    for each, results in driven:
        paper.add_page(orientation="portrait")
        _put_round(paper, each, results, stories.get(each.rally.pk, ""))
    return bytes(paper.output())


def _paper(table: Table, about: str, *, across: bool = False) -> Paper:
    season = table.championship
    return Paper(
        title=season.name,
        about=about,
        author=season.club.name,
        at=_last_day(table),
        occasion=_occasion(table),
        across=across,
        logo=content_of(season.club),
    )


def _last_day(table: Table) -> datetime:
    ends = [each.rally.finished_at for each in table.over if each.rally.finished_at]
    return max(ends, default=table.championship.created_at).astimezone(UTC)


def _occasion(table: Table) -> str:
    over, all_rounds = len(table.over), len(table.rounds)
    told = ngettext("after %(over)d of %(all)d round", "after %(over)d of %(all)d rounds", all_rounds)
    return f"{table.championship.club.name} · " + told % {"over": over, "all": all_rounds}


# Tables -------------------------------------------------------------------------------------------


def _put_tables(paper: Paper, table: Table) -> None:
    if not table.over:
        paper.say(_("The table begins when the first round is over."))
        return
    _put_standings(paper, table, _("Drivers"), table.drivers)
    for name, lines in table.classes.items():
        _put_standings(paper, table, _("Class %(name)s") % {"name": name}, lines)
    _put_standings(paper, table, _("Teams"), table.teams)


def _put_standings(paper: Paper, table: Table, title: str, lines: Sequence[Line]) -> None:
    if not lines:
        return
    paper.heading(title)
    rounds = [Column(str(each.number), 8, "C", lines=2) for each in table.rounds]
    teams = any(line.member is not None and line.member.team_id for line in lines)
    columns = [
        Column(_("Pos."), 9, "R"),
        Column(_("Name"), 46, lines=2),
        *([Column(_("Team"), 28, lines=2)] if teams else []),
        Column(_("Points"), 14, "R"),
        *rounds,
        Column(_("Wins"), 10, "R"),
    ]
    rows = (_standings_row(line, teams=teams) for line in lines)
    paper.put_table(columns, rows, size=7.5 if len(rounds) > MANY_ROUNDS else 9)
    if any(score is not None and score.dropped for line in lines for score in line.scores):
        paper.say(_("In brackets: a round that does not count."), size=7.5)


def _standings_row(line: Line, *, teams: bool) -> Row:
    member = line.member
    team = [member.team.name if member is not None and member.team is not None else ""] if teams else []
    first = line.place == 1
    return Row(
        (
            str(line.place),
            str(line.who),
            *team,
            localize(line.total),
            *(_score(score) for score in line.scores),
            str(line.wins or ""),
        ),
        bold=first,
        ground=colours.SUNK if first else "",
    )


def _score(score: Score | None) -> str:
    if score is None:
        return "–"
    if score.excluded:
        return _("excl.")
    points = localize(score.points)
    return f"({points})" if score.dropped else points


def _put_calendar(paper: Paper, front: SeasonFront) -> None:
    paper.heading(_("Calendar"))
    columns = [
        Column(_("Round"), 14, "R"),
        Column(_("Name"), 70, lines=2),
        Column(_("Day"), 34),
        Column(_("Won by"), 70),
    ]
    paper.put_table(
        columns,
        (Row((str(each.round.number), each.rally.name, _day(each.day), each.winners)) for each in front.rounds),
    )


def _day(day: date | None) -> str:
    return date_format(day, "DATE_FORMAT") if day else ""


# The yearbook -------------------------------------------------------------------------------------


def _put_title(paper: Paper, front: SeasonFront) -> None:
    season, table = front.championship, front.table
    days = [each.day for each in front.rounds if each.day]
    if days:
        paper.say(" – ".join(dict.fromkeys(_day(day) for day in (min(days), max(days)))), size=11)
    if front.leads:
        paper.say(front.leads, size=14)
    steps = [line for line in table.drivers if line.place <= 3]
    if steps:
        paper.heading(_("Championship") if _is_over(season, table) else _("Standings"))
        columns = [Column(_("Pos."), 10, "R"), Column(_("Driver"), 110), Column(_("Points"), 24, "R")]
        paper.put_table(
            columns,
            (Row((str(line.place), str(line.who), localize(line.total)), bold=line.place == 1) for line in steps),
            size=13,
        )


def _is_over(season: Championship, table: Table) -> bool:
    return all(each.rally.status in (Rally.Status.FINISHED, Rally.Status.CANCELLED) for each in table.rounds)


def _put_records(paper: Paper, table: Table) -> None:
    rows = [Row((record.what, record.who, record.how_much)) for record in records_of_season.records_of(table)]
    if rows:
        paper.heading(_("Records of the season"))
        paper.put_table([Column("", 60), Column(_("Driver"), 90, lines=3), Column("", 40, "R")], rows)


def _put_round(paper: Paper, each: CalendarRound, results: Results, story: str) -> None:
    words = {"number": each.round.number, "name": each.rally.name}
    paper.heading(_("Round %(number)d: %(name)s") % words)
    told = " · ".join(part for part in (_day(day_of(each.round)), _stages(results)) if part)
    paper.say(told)
    if story:
        paper.say(story, size=11)
    steps = on_podium(results.overall)
    if steps:
        paper.heading(_("Podium"))
        columns = [Column(_("Pos."), 10, "R"), Column(str(each.rally.words.crew), 110), Column(steps[0].head, 30, "R")]
        paper.put_table(columns, (_podium_row(line) for line in steps), size=12)
    winners = list(_stage_winners(results))
    if len(winners) > 1:
        paper.heading(_("Won by"))
        paper.put_table([Column("", 60), Column(str(each.rally.words.crew), 130, lines=3)], winners)
    paper.heading(_("Final classification"))
    columns = [
        Column(_("Pos."), 9, "R"),
        Column(_("No."), 10, "R"),
        Column(str(each.rally.words.crew), 80, lines=2),
        Column(_("Class"), 22),
        Column(results.overall[0].head if results.overall else "", 28, "R", lines=2),
        Column(_("Gap"), 22, "R"),
    ]
    paper.put_table(columns, (_classified_row(line) for line in results.overall), size=8)


def _stages(results: Results) -> str:
    cars = len(results.overall)
    return ngettext("%(n)d car", "%(n)d cars", cars) % {"n": cars}


def _podium_row(line: Classified) -> Row:
    return Row((str(line.place), line.crew_in_words, line.total_in_words), bold=line.place == 1)


def _stage_winners(results: Results) -> Iterator[Row]:
    for stage in results.stages:
        crews = [results.entries[pk].crew for pk in results.winners(stage.number) if pk in results.entries]
        if crews:
            yield Row((stage.title, ", ".join(crews)))


def _classified_row(line: Classified) -> Row:
    place = "" if line.place is None else str(line.place)
    number = str(line.entry.start_number or "–")
    return Row(
        (place, number, line.crew_in_words, line.entry.car_class, line.total_in_words, line.gap),
        pale=line.place is None,
    )

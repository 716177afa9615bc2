"""The moments of a club, computed from results and from the stories of stages, for the page and the Atom feed.

Only stages and rallies that are over have moments. So no moment reveals anything that is sealed or may not be watched
yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from django.db.models import Count, Exists, F, IntegerField, Max, OuterRef, Q, QuerySet, Value
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.clubs.models import Club
from championship.moments.highlights import stories_of
from championship.moments.models import NAME, Highlight
from championship.rallies.models import Entry, Rally, SpecialStage, StageTime, TimeByHand
from championship.rallies.results.classification import Line
from championship.rallies.results.retirement_reasons import RESIGNED, Retirement, Why
from championship.rallies.results.selectors import Results, results_of_rallies
from championship.runs.watch.story import Told
from championship.seasons.models import Championship
from championship.seasons.selectors import Table, tables_of

TOLD, STARTED, CRASH, STAGE, OVER, WON = range(6)
"""Kinds of moments. Of several at the same time, the last kind in this list counts as the newest."""
NO_CRASH = ("", RESIGNED, Why.GAVE_UP, Why.MISSED, Why.NOT_STARTED)
"""Reasons for a retirement that are not a crash."""
ALL = Q()
CLIMB = 2
"""From how many places won on one stage this is mentioned."""
COLUMNS = ("at", "kind", "subject", "stage_number", "car_number")


class MomentRow(NamedTuple):
    """A moment as a row, before it is put into words: when, what kind, the id of its rally or championship, the numbers
    of the stage and of the car, or of the highlight.
    """

    at: datetime
    kind: int
    subject_id: int
    stage: int
    car: int


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that has happened in a club. The `key` of its rally or championship and `name` identify it permanently.
    `link` leads to the results. `lines` are the details.
    """

    at: datetime
    subject: Rally | Championship
    name: str
    kind: str
    title: str
    lines: tuple[str, ...]
    link: str
    slug: str

    @property
    def key(self) -> str:
        """The key of its rally or championship."""
        return self.subject.key

    @property
    def names_somebody(self) -> bool:
        """Whether the title itself names a driver, as for a crash."""
        return "-out-" in self.name or self.told

    @property
    def told(self) -> bool:
        """Whether it comes from the story of a stage, and leads to the replay."""
        return "-told-" in self.name

    @property
    def address(self) -> str:
        """The address of its own page, with all comments."""
        return reverse("moments:moment", args=[self.slug, self.key, self.name])


def moment_rows(club: Club) -> QuerySet[Any, Any]:
    """Return the moments of a club as rows for `in_words`, newest first. Practice and open stages have none."""
    return _union(_started(club), _over(club), _stages(club), _crashes(club), _told(club), _won(club))


def moment_row_by_name(club: Club, key: str, name: str) -> MomentRow | None:
    """Return one moment of the club; None when it does not exist yet or any more. One query."""
    parts = NAME.match(name)
    if parts is None:
        return None
    rally, stage, car = Q(rally__key=key), int(parts[2] or 0), int(parts[5] or 0)
    rows = {
        "started": lambda: _started(club, Q(key=key)),
        "over": lambda: _over(club, Q(key=key)),
        "won": lambda: _won(club, Q(key=key)),
    }
    if name in rows:
        found = rows[name]()
    elif parts[4] == "told":
        found = _told(club, Q(special_stage__rally__key=key, special_stage__number=stage, number=car))
    elif car:
        found = _crashes(club, Q(special_stage__rally__key=key, special_stage__number=stage, entry__start_number=car))
    else:
        found = _stages(club, rally & Q(number=stage))
    row = found.values_list(*COLUMNS).first()
    return None if row is None else MomentRow(*row)


def in_words(club: Club, rows: Iterable[Sequence[Any]]) -> list[Moment]:
    """Return the moments of these rows in words, in the reader's language. The number of queries does not depend on the
    number of rows.
    """
    found = [MomentRow(*row) for row in rows]
    rallies = Rally.objects.in_bulk({each.subject_id for each in found if each.kind != WON})
    seasons = Championship.objects.in_bulk({each.subject_id for each in found if each.kind == WON})
    results = results_of_rallies(list(rallies.values())) if rallies else {}
    tables = tables_of(list(seasons.values())) if seasons else {}
    told = _sentences([each for each in found if each.kind == TOLD])
    moments = []
    for each in found:
        if each.kind == WON:
            moments.append(_of_season(club, each, tables[each.subject_id]))
        elif each.kind == TOLD:
            moments += _of_story(club, each, results[each.subject_id].rally, told)
        else:
            moments.append(_of_rally(club, each, results[each.subject_id]))
    return moments


# Rows: every kind has the same columns ---------------------------------------------------------------


def _row(kind: int, at: str, of: str, stage: Any = 0, car: Any = 0) -> Mapping[str, Any]:
    number = IntegerField()
    return {
        "at": F(at),
        "kind": Value(kind, output_field=number),
        "subject": F(of),
        "stage_number": Value(stage, output_field=number) if isinstance(stage, int) else F(stage),
        "car_number": Value(car, output_field=number) if isinstance(car, int) else F(car),
    }


def _union(*rows: QuerySet[Any]) -> QuerySet[Any, Any]:
    first, *others = (each.order_by().values_list(*COLUMNS) for each in rows)
    return first.union(*others, all=True).order_by("-at", "-kind", "-subject", "-stage_number", "-car_number")


def _rallies(club: Club) -> QuerySet[Rally]:
    return Rally.objects.filter(club=club, practice=False, for_everybody=False)


def _started(club: Club, only: Q = ALL) -> QuerySet[Any]:
    rows = _rallies(club).filter(only, started_at__isnull=False).exclude(status=Rally.Status.CANCELLED)
    return rows.annotate(**_row(STARTED, "started_at", "pk"))


def _over(club: Club, only: Q = ALL) -> QuerySet[Any]:
    rows = _rallies(club).filter(only, status=Rally.Status.FINISHED)
    return rows.annotate(**_row(OVER, "finished_at", "pk"))


def _stages(club: Club, only: Q = ALL) -> QuerySet[Any]:
    rows = SpecialStage.objects.filter(only, rally__in=_rallies(club), status=SpecialStage.Status.DONE)
    return rows.annotate(**_row(STAGE, "closed_at", "rally_id", "number"))


def _crashes(club: Club, only: Q = ALL) -> QuerySet[Any]:
    by_hand = TimeByHand.objects.filter(
        special_stage=OuterRef("special_stage"), entry=OuterRef("entry"), lifted_at=None
    )
    rows = StageTime.objects.filter(
        only,
        ~Exists(by_hand),
        special_stage__rally__in=_rallies(club),
        special_stage__status=SpecialStage.Status.DONE,
        entry__status=Entry.Status.CONFIRMED,
        retired=True,
    ).exclude(reason__in=NO_CRASH)
    return rows.annotate(
        **_row(
            CRASH, "special_stage__closed_at", "special_stage__rally_id", "special_stage__number", "entry__start_number"
        )
    )


def _told(club: Club, only: Q = ALL) -> QuerySet[Any]:
    rows = Highlight.objects.filter(
        only, special_stage__rally__in=_rallies(club), special_stage__status=SpecialStage.Status.DONE
    )
    return rows.annotate(**_row(TOLD, "happened_at", "special_stage__rally_id", "special_stage__number", "number"))


def _won(club: Club, only: Q = ALL) -> QuerySet[Any]:
    """Return championships all of whose rounds are over. A rally that was called off does not count as a round."""
    over = Q(rounds__rally__status=Rally.Status.FINISHED)
    to_come = Q(rounds__rally__status__in=[Rally.Status.ENTRIES, Rally.Status.RUNNING])
    rows = Championship.objects.filter(only, club=club).annotate(
        driven=Count("rounds", filter=over),
        to_come=Count("rounds", filter=to_come),
        over_at=Max("rounds__rally__finished_at", filter=over),
    )
    return rows.filter(driven__gt=0, to_come=0).annotate(**_row(WON, "over_at", "pk"))


# Words -----------------------------------------------------------------------------------------------


def _of_season(club: Club, found: MomentRow, table: Table) -> Moment:
    season = table.championship
    winners = [str(line.who) for line in table.drivers if line.place == 1]
    return Moment(
        at=found.at,
        subject=season,
        name="won",
        kind=_("championship"),
        title=_("%(championship)s is decided") % {"championship": season.name},
        lines=_won_by(winners),
        link=season.get_absolute_url(),
        slug=club.slug,
    )


Sentences = Mapping[tuple[int, int, int], Told]
"""Sentences of stories, by the id of the rally and the numbers of the stage and of the highlight."""


def _sentences(rows: Sequence[MomentRow]) -> Sentences:
    """Return the sentences of highlights. Five queries at most, none without rows."""
    if not rows:
        return {}
    wanted = reduce(
        or_, (Q(special_stage__rally=one.subject_id, special_stage__number=one.stage, number=one.car) for one in rows)
    )
    marked = list(Highlight.objects.filter(wanted).select_related("special_stage__rally"))
    stories = stories_of({one.special_stage_id: one.special_stage for one in marked}.values())
    found = {}
    for one in marked:
        same = [told for told in stories.get(one.special_stage_id, ()) if told.is_at(one.run_id, one.event, one.beat)]
        if same:
            found[one.special_stage.rally_id, one.special_stage.number, one.number] = same[0]
    return found


def _of_story(club: Club, found: MomentRow, rally: Rally, sentences: Sentences) -> list[Moment]:
    """Return the moment of a highlight; none where the story does not tell it any more."""
    told = sentences.get((found.subject_id, found.stage, found.car))
    if told is None:
        return []
    stage = _("%(rally)s, %(stage)s") % {"rally": rally.title, "stage": rally.stage_called(found.stage)}
    return [
        Moment(
            at=found.at,
            subject=rally,
            name=f"{found.stage}-told-{found.car}",
            kind=_("highlight"),
            title=told.text,
            lines=(stage,),
            link=told.replay,
            slug=club.slug,
        )
    ]


def _of_rally(club: Club, found: MomentRow, results: Results) -> Moment:
    rally = results.rally
    stage = next((each for each in results.stages if each.number == found.stage), None)
    words: dict[str, object] = {"rally": rally.title, "stage": rally.stage_called(found.stage) if found.stage else ""}
    lines: tuple[str, ...] = ()
    if found.kind == STARTED:
        name, kind, title = "started", _("start"), _("%(rally)s has started") % words
    elif found.kind == OVER:
        name, kind, title = "over", _("over"), _("%(rally)s is over") % words
        lines = _won_by(_first_of(results.overall))
    elif found.kind == STAGE:
        name, kind = str(found.stage), _("results")
        title = _("%(rally)s, %(stage)s: results") % words
        lines = (*_won_by(_crews(results, results.winners(found.stage))), *_overtakes(results, found.stage))
    else:
        name, kind = f"{found.stage}-out-{found.car}", _("crash")
        entry_id, crew = next((pk, each.crew) for pk, each in results.entries.items() if each.start_number == found.car)
        title = _("%(rally)s, %(stage)s: %(crew)s is out") % {**words, "crew": crew}
        lines = (Retirement(found.stage, results.driven[found.stage, entry_id].why).here,)
    return Moment(
        at=found.at,
        subject=rally,
        name=name,
        kind=kind,
        title=title,
        lines=lines,
        link=stage.get_absolute_url() if stage is not None else rally.get_absolute_url(),
        slug=club.slug,
    )


def _won_by(names: Sequence[str]) -> tuple[str, ...]:
    return (_("Won by %(names)s.") % {"names": ", ".join(names)},) if names else ()


def _crews(results: Results, entry_ids: Iterable[int]) -> list[str]:
    return [results.entries[entry_id].crew for entry_id in entry_ids]


def _first_of(lines: Sequence[Line]) -> list[str]:
    return [line.entry.crew for line in lines if line.place == 1]


def _overtakes(results: Results, number: int) -> tuple[str, ...]:
    """Return what the stage changed in the rally's classification: a new leader, and the crews that won the most
    places.
    """
    if number < 2:
        return ()
    lines = results.progress(number)
    first, before = _first_of(lines), _first_of(results.overall_lines(number - 1))
    told = []
    if len(first) == 1 and before and first[0] not in before:
        words = {"crew": first[0], "other": ", ".join(before)}
        told.append(_("%(crew)s takes the lead from %(other)s.") % words)
    most = max((line.won or 0 for line in lines), default=0)
    if most >= CLIMB:
        crews = ", ".join(line.entry.crew for line in lines if line.won == most)
        says = ngettext("%(crews)s: %(n)d place won.", "%(crews)s: %(n)d places won.", most)
        told.append(says % {"crews": crews, "n": most})
    return tuple(told)

"""All results of a rally, read in a fixed number of queries for any number of cars and stages, and the caption of its
picture.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.rallies.entries.driver_changes import CrewChange, changes_of
from championship.rallies.knockout.plan import part_called
from championship.rallies.models import (
    Entry,
    Exclusion,
    PublishedResult,
    Rally,
    SpecialStage,
)
from championship.rallies.results import measures
from championship.rallies.results.classification import (
    CODES,
    EntryStageResult,
    Line,
    Remarks,
    as_published,
    classify,
    places,
    with_gaps,
    with_places_won,
)
from championship.rallies.results.driven import COMPLETE as COMPLETE
from championship.rallies.results.driven import driven_in, given_in, heats_of
from championship.rallies.results.retirement_reasons import Retirement
from engine import registry
from engine.contract import Alone, Measure, offered


@dataclass(frozen=True)
class Results:
    """The results of a rally, as one viewer may know them.

    `all_entries` are entries with any status; `entries` are the confirmed ones by id, in the order of start numbers.
    `driven` holds the results by (stage number, entry id). `rally_wide` holds penalties that belong to no stage, by
    entry id; they count in every overall classification. `excluded` are the ids of entries that officials have excluded
    from the classification. `changes` holds the changes of who drives a car, by entry id. `sealed` is the number of
    recorded results by stage number, for stages on the road with the same random draws for all: there a result reveals
    the draws that others have ahead, so those results are in no other field. `heats`: the number of the heat by (stage
    number, entry id), in a rally that has heats.
    """

    rally: Rally
    stages: tuple[SpecialStage, ...]
    all_entries: Sequence[Entry]
    entries: Mapping[int, Entry]
    driven: Mapping[tuple[int, int], EntryStageResult]
    rally_wide: Mapping[int, int]
    excluded: frozenset[int] = frozenset()
    changes: Mapping[int, Sequence[CrewChange]] = field(default_factory=dict)
    sealed: Mapping[int, int] = field(default_factory=dict)
    heats: Mapping[tuple[int, int], int] = field(default_factory=dict)

    @cached_property
    def by_stage(self) -> Mapping[int, Mapping[int, EntryStageResult]]:
        """The results of confirmed entries, by stage number, then entry id."""
        found: dict[int, dict[int, EntryStageResult]] = {stage.number: {} for stage in self.stages}
        for (number, entry_id), driven in self.driven.items():
            if entry_id in self.entries:
                found[number][entry_id] = driven
        return found

    @cached_property
    def published(self) -> Mapping[int, PublishedResult]:
        """What a list said of the entries of a rally that was driven elsewhere, by entry id."""
        found = {entry_id: getattr(entry, "published", None) for entry_id, entry in self.entries.items()}
        return {entry_id: said for entry_id, said in found.items() if said is not None}

    @cached_property
    def struck(self) -> frozenset[int]:
        """The numbers of the stages that stewards have struck out."""
        return frozenset(stage.number for stage in self.stages if stage.struck_at is not None)

    @cached_property
    def codes(self) -> list[str]:
        """The marks of results in this rally that were not driven to the finish, in the order of CODES."""
        used = {driven.code for driven in self.driven.values()} | ({CODES["struck"][0]} if self.struck else set())
        return [code for code, _says in CODES.values() if code in used]

    def counted(self, through: int) -> list[int]:
        """The numbers of the stages up to `through` that count."""
        return [number for number in range(1, through + 1) if number not in self.struck]

    @cached_property
    def complete(self) -> int:
        """The number of the last stage on which every starter has a result; 0 when there is none."""
        return max((stage.number for stage in self.stages if stage.status in COMPLETE), default=0)

    @property
    def compared(self) -> bool:
        """Whether there is an earlier classification to compare the latest one with."""
        return self.complete > 1

    @property
    def finished(self) -> bool:
        """Whether the classification is final."""
        return self.rally.status == Rally.Status.FINISHED

    @property
    def measure(self) -> Measure:
        """The rally's measure."""
        return self.rally.measure

    def total_on(self, number: int, entry_id: int) -> int | None:
        """The result of an entry on one stage, with what is added there and on the rally as a whole."""
        driven = self.by_stage.get(number, {}).get(entry_id)
        if driven is None or driven.total is None:
            return None
        return measures.with_added(driven.total, self.rally_wide.get(entry_id, 0), self.measure)

    def stage_totals(self, *, number: int) -> dict[int, int]:
        """The results of a stage with everything added, by entry id. Entries without a result are left out."""
        here = self.by_stage.get(number, {})
        return {entry_id: driven.total for entry_id, driven in here.items() if driven.total is not None}

    def winners(self, number: int) -> list[int]:
        """Ids of the entries with the best result of a stage, everything added. Excluded entries do not count. Nobody
        wins a stage that is struck out.
        """
        here = {} if number in self.struck else self.by_stage.get(number, {})
        keys = {
            entry_id: measures.key_of(driven.total, driven.rank, self.measure)
            for entry_id, driven in here.items()
            if driven.total is not None and entry_id not in self.excluded
        }
        best = min(keys.values(), default=None)
        return [entry_id for entry_id, key in keys.items() if key == best]

    def totals(self, *, through: int) -> dict[int, int]:
        """The totals of the stages up to `through` that count, by entry id, of entries with a result on all of them.

        When the most win, a missing result counts as 0 for an entry that has a result on another of these stages.
        """
        stages = [self.by_stage.get(number, {}) for number in self.counted(through)]
        found = {}
        for entry_id in self.entries:
            driven = [stage[entry_id] for stage in stages if entry_id in stage]
            with_result = sum(each.result is not None for each in driven)
            whole = with_result == len(stages) or (with_result and self.measure.better == "most")
            if stages and len(driven) == len(stages) and whole:
                driven_to = sum(measures.with_added(each.result or 0, each.added, self.measure) for each in driven)
                found[entry_id] = measures.with_added(driven_to, self.rally_wide.get(entry_id, 0), self.measure)
        return found

    def stage_lines(self, number: int) -> list[Line]:
        """The stage's present classification. Entries without a result come last, without a place, and
        excluded ones behind them.
        """
        here = self.by_stage.get(number, {})
        remarks = {
            entry_id: Remarks(
                control=driven.control,
                penalties=driven.penalties,
                by_hand=(number,) if driven.by_hand else (),
                retired=(Retirement(number, driven.why, self.rally.words),) if driven.retired else (),
                changes=self._changes(entry_id, number),
                stood_in=(number,) if driven.stood_in else (),
                codes=(driven.code,) if driven.code else (),
                part=heat_called(self.heats.get((number, entry_id))),
            )
            for entry_id, driven in here.items()
        }
        ranks = {entry_id: driven.rank for entry_id, driven in here.items()}
        placed, out = self._parted(self.stage_totals(number=number), remarks, ranks)
        waiting = self._behind(
            [
                entry_id
                for entry_id, driven in here.items()
                if driven.total is None or not self._may_have_a_place(entry_id)
            ],
            remarks,
        )
        return placed + waiting + [line for line in out if line.entry.pk in here]

    def overall_lines(self, through: int) -> list[Line]:
        """The overall classification after stage `through`. Entries without a total come last, without a place, and
        excluded ones behind them. Empty before the first stage, when there is nothing to rank.
        """
        if through < 1:
            return []
        if self.rally.heats is not None:
            return lines_with_heats(self, through)
        remarks = self.remarks_through(through)
        totals, here = self.totals(through=through), self.by_stage.get(through, {})
        ranks = {entry_id: driven.rank for entry_id, driven in here.items()} if through == 1 else {}
        placed, out = self._parted(totals, remarks, ranks, summed=through > 1)
        if not self.published:
            without = [entry_id for entry_id in self.entries if entry_id in here or self._is_late_or_gone(entry_id)]
            return placed + self._behind([entry_id for entry_id in without if entry_id not in totals], remarks) + out
        in_order = {line.entry.pk for line in placed}
        lines = placed + self._behind(
            [entry_id for entry_id in self.entries if entry_id not in in_order], remarks, totals
        )
        return as_published(lines + out, self.published) if through == len(self.stages) else lines + out

    def remarks_through(self, through: int) -> dict[int, Remarks]:
        """The remarks on the results of the stages up to `through` that count, by entry id."""
        remarks: dict[int, Remarks] = {}
        for entry_id in self.entries:
            stages = [(number, self.driven.get((number, entry_id))) for number in self.counted(through)]
            driven = [(number, each) for number, each in stages if each is not None]
            remarks[entry_id] = Remarks(
                control=sum(each.control for _number, each in driven),
                penalties=sum(each.penalties for _number, each in driven) + self.rally_wide.get(entry_id, 0),
                by_hand=tuple(number for number, each in driven if each.by_hand),
                retired=tuple(
                    Retirement(number, each.why, self.rally.words) for number, each in driven if each.retired
                ),
                changes=self._changes(entry_id, through),
                stood_in=tuple(number for number, each in driven if each.stood_in),
                codes=tuple(dict.fromkeys(each.code for _number, each in driven if each.code)),
                part=self._part_of(entry_id, driven),
            )
        return remarks

    def _part_of(self, entry_id: int, driven: Sequence[tuple[int, EntryStageResult]]) -> str:
        plan = self.rally.heats
        if plan is None or not driven:
            return ""
        number = driven[-1][0]
        return heat_called(self.heats.get((number, entry_id))) if number == 1 else part_called(plan, number)

    def _behind(
        self, entry_ids: Iterable[int], remarks: Mapping[int, Remarks], totals: Mapping[int, int] | None = None
    ) -> list[Line]:
        """The lines of entries that have no place: those that finished, then those that retired. `totals` by entry id
        are those that count for nothing.
        """
        totals = totals or {}
        lines = [
            Line(entry=self.entries[entry_id], place=None, total=totals.get(entry_id), remarks=remarks[entry_id])
            for entry_id in entry_ids
            if entry_id not in self.excluded
        ]
        return sorted(lines, key=lambda line: (len(line.retired_on), line.entry.start_number or 0))

    def _changes(self, entry_id: int, through: int) -> tuple[CrewChange, ...]:
        """The changes of who drives the entry's car, up to that stage."""
        of_entry = self.changes.get(entry_id, ())
        return tuple(change for change in of_entry if change.special_stage.number <= through)

    def progress(self, through: int) -> list[Line]:
        """The overall classification after stage `through`, with the places won and lost on that stage."""
        lines = self.overall_lines(through)
        return with_places_won(lines, self.overall_lines(through - 1)) if through > 1 else lines

    def retirements(self, through: int) -> list[tuple[Entry, Retirement]]:
        """The retirements on stages 1 to `through`, in the order of stages and start numbers."""
        return [
            (self.entries[entry_id], Retirement(number, driven.why, self.rally.words))
            for number in self.counted(through)
            for entry_id, driven in sorted(
                self.by_stage.get(number, {}).items(), key=lambda item: self.entries[item[0]].start_number or 0
            )
            if driven.retired
        ]

    def _parted(
        self,
        totals: Mapping[int, int],
        remarks: Mapping[int, Remarks],
        ranks: Mapping[int, tuple[int, ...]],
        *,
        summed: bool = False,
    ) -> tuple[list[Line], list[Line]]:
        """The lines of classified entries, and those of excluded ones, which have results and no place."""
        classified = {
            entry_id: total
            for entry_id, total in totals.items()
            if entry_id not in self.excluded and self._may_have_a_place(entry_id)
        }
        out = [
            Line(
                entry=self.entries[entry_id],
                place=None,
                total=totals.get(entry_id),
                remarks=remarks.get(entry_id, Remarks()),
                excluded=True,
                summed=summed,
            )
            for entry_id in self.entries
            if entry_id in self.excluded
        ]
        lines = classify(classified, self.entries, remarks, measure=self.measure, ranks=ranks, summed=summed)
        return lines, out

    def _is_late_or_gone(self, entry_id: int) -> bool:
        """Whether its driver has joined late, or has dropped out of an evening."""
        return self.entries[entry_id].starts_from != 1

    def _may_have_a_place(self, entry_id: int) -> bool:
        said = self.published.get(entry_id)
        return said is None or said.may_have_a_place

    @cached_property
    def overall(self) -> list[Line]:
        """The overall classification after the last complete stage; empty before the first."""
        return self.overall_lines(self.complete)


def heat_called(number: int | None) -> str:
    """ "heat 3"; "" for a car without a heat."""
    return "" if number is None else _("heat %(n)d") % {"n": number}


def lines_with_heats(results: Results, through: int) -> list[Line]:
    """The classification of a rally with heats: those who drove the last part first, by its result, then those who
    drove only the one before, and so on. Who has no result there keeps the places behind the others of the same part,
    by the result before. The result before also decides between equal ones. Without any result there is no place;
    excluded ones are last.
    """
    remarks, numbers = results.remarks_through(through), results.counted(through)
    drove: dict[int, list[int]] = {}
    for entry_id in results.entries:
        parts = [number for number in numbers if entry_id in results.by_stage[number]]
        if parts and entry_id not in results.excluded:
            drove[entry_id] = parts
    keys = {entry_id: _key_with_heats(results, entry_id, parts) for entry_id, parts in drove.items()}
    ranked = sorted(drove, key=lambda entry_id: (keys[entry_id], results.entries[entry_id].start_number or 0))
    with_result = [entry_id for entry_id in ranked if any(part[1] == 0 for part in keys[entry_id])]
    lines = []
    for entry_id, place in zip(with_result, places([keys[each] for each in with_result]), strict=True):
        last = drove[entry_id][-1]
        total = results.total_on(last, entry_id)
        line = Line(results.entries[entry_id], place, total, remarks=remarks[entry_id], group=last)
        lines.append(replace(line, rank=results.by_stage[last][entry_id].rank))
    none = [each for each in ranked if each not in with_result]
    out = [each for each in results.entries if each in results.excluded]
    behind = [Line(results.entries[each], None, None, remarks=remarks[each]) for each in none]
    last_of_all = [Line(results.entries[each], None, None, remarks=remarks[each], excluded=True) for each in out]
    return with_gaps(lines) + behind + last_of_all


def _key_with_heats(results: Results, entry_id: int, parts: Sequence[int]) -> tuple[tuple[int, int, object], ...]:
    """The key of an entry: later parts first; within a part those with a result, the best first."""
    found: list[tuple[int, int, object]] = []
    for number in reversed(parts):
        total = results.total_on(number, entry_id)
        if total is not None:
            rank = results.by_stage[number][entry_id].rank
            found.append((-number, 0, measures.key_of(total, rank, results.measure)))
        else:
            found.append((-number, 1, ()))
    return tuple(found)


def results_of(rally: Rally, viewer_id: int | None = None, *, all_in: bool = False) -> Results:
    """The rally's results, in five queries. Sealed cards of an open time control are not read.

    On a stage on the road with the same random draws for all, only viewers who have a result there see the results.
    `all_in`: every car has finished the stage and it is about to end, so nothing is sealed.
    """
    return results_of_rallies([rally], viewer_id, all_in=all_in)[rally.pk]


def results_of_rallies(
    rallies: Sequence[Rally], viewer_id: int | None = None, *, all_in: bool = False
) -> dict[int, Results]:
    """The results by rally id, as one viewer may know them (None: as everybody may): five queries for all rallies, one
    more where one has heats.
    """
    by_key = {rally.pk: rally for rally in rallies}
    stages: dict[int, list[SpecialStage]] = defaultdict(list)
    for stage in SpecialStage.objects.filter(rally__in=by_key).order_by("number"):
        stage.rally = by_key[stage.rally_id]
        stages[stage.rally_id].append(stage)
    entries: dict[int, list[Entry]] = defaultdict(list)
    excluded: dict[int, set[int]] = defaultdict(set)
    out = Exists(Exclusion.objects.filter(entry=OuterRef("pk"), lifted_at=None))
    found = Entry.objects.filter(rally__in=by_key).select_related("driver", "published").annotate(out=out)
    for entry in found.order_by("start_number", "pk"):
        entry.rally = by_key[entry.rally_id]
        entries[entry.rally_id].append(entry)
        said = getattr(entry, "published", None)
        if entry.out or (said is not None and said.status == PublishedResult.Status.EXCLUDED):
            excluded[entry.rally_id].add(entry.pk)
    given = given_in(by_key)
    driven = driven_in(by_key, stages, entries, given)
    changes = changes_of(by_key)
    heats = heats_of(rallies)
    sealed: dict[int, dict[int, int]] = {}
    for rally in () if all_in else rallies:
        sealed[rally.pk] = _seal(stages[rally.pk], entries[rally.pk], driven[rally.pk], viewer_id)
    return {
        rally.pk: Results(
            rally=rally,
            stages=tuple(stages[rally.pk]),
            all_entries=entries[rally.pk],
            entries={entry.pk: entry for entry in entries[rally.pk] if entry.status == Entry.Status.CONFIRMED},
            driven=driven[rally.pk],
            rally_wide=given.wide[rally.pk],
            excluded=frozenset(excluded[rally.pk]),
            changes={entry.pk: changes[entry.pk] for entry in entries[rally.pk] if entry.pk in changes},
            sealed=sealed.get(rally.pk, {}),
            heats=heats.get(rally.pk, {}),
        )
        for rally in rallies
    }


def is_sealed(stage: SpecialStage) -> bool:
    """Whether a result of the stage reveals random draws that other cars on it still have ahead."""
    alone = offered(registry.get(stage.rally.game), Alone)
    under_way = stage.status == SpecialStage.Status.RUNNING
    return under_way and alone is not None and alone.shares_draws(stage.rally.all_options)


def _seal(
    stages: Sequence[SpecialStage],
    entries: Sequence[Entry],
    driven: dict[tuple[int, int], EntryStageResult],
    viewer_id: int | None,
) -> dict[int, int]:
    """Remove from `driven` the results that the viewer may not know yet. Returns their number by stage number."""
    own = {entry.pk for entry in entries if viewer_id is not None and entry.driver_id == viewer_id}
    sealed = {}
    for stage in stages:
        if is_sealed(stage):
            here = [(number, entry_id) for number, entry_id in driven if number == stage.number]
            if own.isdisjoint(entry_id for _number, entry_id in here):
                sealed[stage.number] = len(here)
                for key in here:
                    del driven[key]
    return sealed


def caption_of(results: Results) -> str:
    """One line that says what the picture shows."""
    rally = results.rally
    if results.finished:
        return _("Final classification")
    if results.complete:
        return str(rally.words.standing) % {"number": results.complete, "total": len(results.stages)}
    if rally.status == Rally.Status.CANCELLED:
        return str(rally.get_status_display())
    entered = len(results.entries)
    return ngettext("%(n)d car on the start list", "%(n)d cars on the start list", entered) % {"n": entered}


def leaders_in_words(results: Results, most: int = 3) -> str:
    """The first places in one line: "1. Ana 3:20 · 2. Bo +0:12"."""
    lines = [line for line in results.overall if line.place is not None][:most]
    told = ((line, line.gap if line.to_leader else line.total_in_words) for line in lines)
    return " · ".join(f"{line.place}. {line.crew_in_words} {figure}" for line, figure in told)


def lead_in_words(lines: Sequence[Line], *, final: bool = False) -> str:
    """Who leads by how much, in one sentence; "" when nobody has a place. `final`: the classification is."""
    placed = [line for line in lines if line.place is not None]
    firsts = [line.crew_in_words for line in placed if line.place == 1]
    words = {"crews": ", ".join(firsts)}
    if not placed:
        return ""
    if len(firsts) > 1:
        return (_("%(crews)s share the win.") if final else _("%(crews)s share the lead.")) % words
    if len(placed) == 1:
        return (_("%(crews)s wins.") if final else _("%(crews)s leads.")) % words
    words["gap"] = measures.distance(placed[1].to_leader or 0, placed[1].measure)
    return (_("%(crews)s wins by %(gap)s.") if final else _("%(crews)s leads by %(gap)s.")) % words

"""A rally: entries, stages, start lists, results, podium, rulings; and a finished rally as one document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.urls import reverse
from rest_framework.request import Request

from championship.api import lookup
from championship.api import rally_shapes as shapes
from championship.api.endpoint import ApiView, Validators, operation
from championship.api.problems import Problem
from championship.api.run_shapes import AccountsShape, ShortRunShape
from championship.notices.notice_text import absolute_url
from championship.platform.prepared_queries import BoundQuery
from championship.rallies import page_versions
from championship.rallies.entries import officials
from championship.rallies.models import Entry, SpecialStage
from championship.rallies.models import Rally as RallyRow
from championship.rallies.results.classification import Line, on_podium
from championship.rallies.results.selectors import COMPLETE, Results
from championship.rallies.selectors import RallyPage, course_for
from championship.runs.models import Run
from championship.runs.watch import gaps, selectors
from championship.runs.watch.luck import stage_ledgers
from championship.stewards import selectors as stewards


def _queries(path: Mapping[str, Any]) -> list[BoundQuery[Any]]:
    return [page_versions.query_of_rally(path["key"])]


def _depends_on(request: Request, path: Mapping[str, Any], depends: Sequence[Any]) -> tuple[str, Any] | None:
    return (request.path, depends[0]) if depends else None


rally_validators = Validators(_queries, _depends_on)
"""What every answer about a rally depends on. One query, as for its pages."""


class Rally(ApiView):
    @operation("readRally", "A rally", answer=shapes.WholeRallyShape, validators=rally_validators)
    def get(self, request: Request, key: str) -> Any:
        return lookup.rally(self, request, key)


class Entries(ApiView):
    @operation(
        "listEntries",
        "Who takes part, by start number; organisers see every entry, everybody their own",
        answer=shapes.EntryShape, many=True, validators=rally_validators,
    )  # fmt: skip
    def get(self, request: Request, key: str) -> Any:
        return visible_entries(lookup.rally_page(self, request, key))


def visible_entries(page: RallyPage) -> list[Entry]:
    """Return the entries of a rally that its reader may see."""
    if page.organises:
        return list(page.results.all_entries)
    own = [page.mine] if page.mine is not None and page.mine.pk not in page.results.entries else []
    return [*page.results.entries.values(), *own]


class Stages(ApiView):
    @operation(
        "listStages",
        "The stages of a rally, in order",
        answer=shapes.StageShape,
        many=True,
        validators=rally_validators,
    )
    def get(self, request: Request, key: str) -> Any:
        found = lookup.rally(self, request, key)
        return _of(found, list(found.stages.order_by("number")))


def _of(rally: RallyRow, stages: list[SpecialStage]) -> list[SpecialStage]:
    for stage in stages:
        stage.rally = rally
    return stages


class Stage(ApiView):
    @operation(
        "readStage",
        "A stage, with its course as it is driven",
        answer=shapes.WholeStageShape,
        validators=rally_validators,
    )
    def get(self, request: Request, key: str, number: int) -> Any:
        page = lookup.rally_page(self, request, key, number)
        page.stage.spec = course_for(page.rally, page.stage.spec, request.user)
        return page.stage


def _stage(view: ApiView, request: Request, key: str, number: int) -> SpecialStage:
    return lookup.rally_page(view, request, key, number).stage


class StartList(ApiView):
    @operation(
        "readStartList", "The start list of a stage; empty before it is drawn",
        answer=shapes.StartShape, many=True, validators=rally_validators,
    )  # fmt: skip
    def get(self, request: Request, key: str, number: int) -> Any:
        return lookup.rally_page(self, request, key, number).start_list


class StageResults(ApiView):
    @operation(
        "readStageResults", "The classification of a stage, so far; what is sealed is only counted",
        answer=shapes.ResultsShape, validators=rally_validators,
    )  # fmt: skip
    def get(self, request: Request, key: str, number: int) -> Any:
        page = lookup.rally_page(self, request, key, number)
        final = page.stage.status == SpecialStage.Status.DONE
        return _results(page.results, page.results.stage_lines(number), number, final, page.times_in)


class Overall(ApiView):
    @operation(
        "readOverall", "The overall classification after a stage",
        answer=shapes.ResultsShape, validators=rally_validators,
    )  # fmt: skip
    def get(self, request: Request, key: str, number: int) -> Any:
        page = lookup.rally_page(self, request, key, number)
        results, complete = page.results, page.stage.status in COMPLETE
        lines = results.progress(number) if complete else results.overall_lines(number)
        final = results.finished and number == len(results.stages)
        return _results(results, lines, number, final, None)


def _results(results: Results, lines: list[Line], through: int, final: bool, times_in: int | None) -> dict[str, Any]:
    return {"measure": results.measure, "through": through, "final": final, "times_in": times_in, "lines": lines}


class StageGaps(ApiView):
    @operation(
        "readStageGaps", "Splits and gaps of all who drive a stage, for games that take times on the way",
        answer=shapes.GapsShape, problems=("not-yet",),
    )  # fmt: skip
    def get(self, request: Request, key: str, number: int) -> Any:
        stage = _stage(self, request, key, number)
        if not gaps.has_splits(stage.rally.game):
            raise Problem("not-found", detail="This game measures no times on the way.")
        return gaps.of_stage(stage, request.user)


class StageRuns(ApiView):
    @operation("listRuns", "The runs of a stage: its tables", answer=ShortRunShape, many=True)
    def get(self, request: Request, key: str, number: int) -> Any:
        return selectors.runs_of_stage(_stage(self, request, key, number))


class StageLedger(ApiView):
    @operation(
        "readStageLedger", "What drivers decided and what chance gave on a stage, once all is over",
        answer=AccountsShape, many=True, problems=("forbidden", "not-yet"),
    )  # fmt: skip
    def get(self, request: Request, key: str, number: int) -> Any:
        return stage_ledgers.accounts_of(_stage(self, request, key, number), request.user)


class Podium(ApiView):
    @operation(
        "readPodium", "The first three of the rally, and of every stage that is done",
        answer=shapes.PodiumShape, validators=rally_validators,
    )  # fmt: skip
    def get(self, request: Request, key: str) -> Any:
        results = lookup.rally_page(self, request, key).results
        done = [stage.number for stage in results.stages if stage.status == SpecialStage.Status.DONE]
        return {
            "measure": results.measure,
            "final": results.finished,
            "overall": on_podium(results.overall),
            "stages": [{"stage": number, "lines": on_podium(results.stage_lines(number))} for number in done],
        }


class Rulings(ApiView):
    @operation(
        "readRulings", "What officials did, and what stewards were asked and decided", answer=shapes.RulingsShape
    )
    def get(self, request: Request, key: str) -> Any:
        page = lookup.rally_page(self, request, key)
        return rulings_document(page.results)


def rulings_document(results: Results) -> dict[str, Any]:
    """Return acts of officials, decisions and protests. Five queries."""
    return {
        "acts": officials.acts_of(results),
        "decisions": list(stewards.decisions_of(results.rally)),
        "protests": list(stewards.protests_of(results.rally)),
    }


class Document(ApiView):
    @operation("readDocument", "A finished rally as one document", answer=shapes.DocumentShape, problems=("stale",))
    def get(self, request: Request, key: str) -> Any:
        page = lookup.rally_page(self, request, key)
        results = page.results
        if not results.finished:
            raise Problem("stale", detail="The document is written when the rally is over.")
        runs: dict[int, list[str]] = {stage.pk: [] for stage in results.stages}
        for stage_id, run in Run.objects.filter(special_stage__in=runs).values_list("special_stage", "key"):
            runs[stage_id].append(run)
        return {
            "rally": page.rally,
            "entries": visible_entries(page),
            "stages": [_stage_document(stage, results, runs[stage.pk], request) for stage in results.stages],
            "overall": results.overall,
            "rulings": rulings_document(results),
        }


def _stage_document(stage: SpecialStage, results: Results, runs: list[str], request: Request) -> dict[str, Any]:
    stage.spec = course_for(results.rally, stage.spec, request.user)
    records = [absolute_url(reverse("api:record", args=[key])) for key in runs]
    lines = results.stage_lines(stage.number)
    return {"stage": stage, "results": lines, "runs": runs, "records": records}

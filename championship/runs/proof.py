"""Reading what proves a run: what was promised, what is shown once it is over, the record, and whether it holds."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache
from django.db.models import Prefetch
from django.utils.translation import gettext as _

from championship.rallies.models import SpecialStage
from championship.refusals import Forbidden, Refused
from championship.runs.models import Event, Run, Seal
from engine import record, ruleset

PROOF_SECONDS = 3600
"""How long a record that was drawn again need not be drawn once more."""


@dataclass(frozen=True, slots=True)
class Proof:
    """The chance of a run as anyone may know it now. Secrets in hex, empty as long as they are kept.

    `promised` and `seal`: the stage's seal; `commitment`, `phrases`, `secret`: the run's own; `common`: the secret of
    shared dice. `wrong`: the first thing in the record that does not follow from the secret, empty when all does.
    """

    promised: str
    seal: str
    commitment: str
    phrases: list[str]
    secret: str
    common: str
    draws: int
    wrong: str


def may_show(run: Run) -> bool:
    """Whether the run's secret may be shown: it is over, and so are all that share its dice. At most one query."""
    if run.status != Run.Status.FINISHED:
        return False
    return run.common is None or not _stage_is_driven(run.special_stage_id)


def _stage_is_driven(special_stage_id: int) -> bool:
    return Run.objects.filter(special_stage_id=special_stage_id, status=Run.Status.RUNNING).exists()


def proof_of(run: Run) -> Proof:
    """What the proof page shows, the record drawn again when the secret may be shown: six queries at most."""
    seal = Seal.objects.filter(special_stage_id=run.special_stage_id).first()
    shown = may_show(run)
    stage_over = run.status == Run.Status.FINISHED and not _stage_is_driven(run.special_stage_id)
    return Proof(
        promised=seal.commitment if seal else "",
        seal=bytes(seal.secret).hex() if seal and stage_over else "",
        commitment=run.commitment,
        phrases=sorted(run.phrases),
        secret=bytes(run.secret).hex() if shown else "",
        common=bytes(run.common).hex() if shown and run.common is not None else "",
        draws=run.drawn,
        wrong=_first_wrong(run) if shown else "",
    )


def _first_wrong(run: Run) -> str:
    """The first thing in the record of a run that is over which does not follow from its secret. Nothing about such a
    run changes, so that it is drawn again once in a while only, not for every reader.
    """

    def draw_again() -> str:
        return record.verify(_plain(record_of(run))) or ""

    return str(cache.get_or_set(f"proof-{run.pk}-{run.version}", draw_again, PROOF_SECONDS))


def _plain(document: dict[str, Any]) -> Any:
    """The document as whoever downloads it reads it."""
    return json.loads(json.dumps(document))


def record_of(run: Run) -> dict[str, Any]:
    """The run as one JSON document, in three queries. Raises Forbidden before the secret may be shown."""
    if not may_show(run):
        raise Forbidden(_("The record is written when everybody is in: until then the dice must stay unknown."))
    posts = run.posts.select_related("turn__place").prefetch_related(
        Prefetch("events", queryset=Event.objects.order_by("number"))
    )
    chance: dict[str, Any] = {
        "commitment": run.commitment,
        "phrases": sorted(run.phrases),
        "secret": bytes(run.secret).hex(),
    }
    if run.common is not None:
        chance["common"] = bytes(run.common).hex()
    document = record.write(
        rules=ruleset.get(run.game),
        stage=run.stage,
        entrants=run.entrants,
        options=run.options,
        turns=[
            {
                "driver": post.turn.place.driver,
                "orders": post.orders,
                "events": [event.data for event in post.events.all()],
            }
            for post in posts.order_by("number")
        ],
        chance=chance,
    )
    document["version"] = run.ruleset_version
    return document


def read_record(text: str) -> dict[str, Any]:
    """A record that somebody uploads. Raises Refused when it is none."""
    try:
        document = json.loads(text)
        record.fold(document)
    except RecursionError:
        raise Refused(_("This is no record: it is nested too deeply."), field="record") from None
    except ValueError as error:
        raise Refused(_("This is no record: %(why)s") % {"why": str(error)[:200]}, field="record") from None
    assert isinstance(document, dict)
    return document


def seal_of(special_stage: SpecialStage) -> Seal | None:
    """The seal of a stage: one query. A stage made before seals has none until it opens."""
    return Seal.objects.filter(special_stage=special_stage).first()

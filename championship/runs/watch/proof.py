"""Read the proof of a run: the commitments, the secrets once the run is over, the record, and whether it verifies."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.db.models import Prefetch
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.platform.refusals import Forbidden, Refused
from championship.rallies.models import SpecialStage
from championship.rallies.selectors import may_have_course
from championship.runs.models import Event, Post, Run, Seal, SentAhead
from championship.runs.watch import watching
from championship.runs.watch.logged_promises import NO_WITNESS, Witness, witness_of
from engine import record, registry, verification

FORMATS = record.FORMATS
"""The record formats that can be written."""
PROOF_SECONDS = 3600
"""For how many seconds the result of verifying a record is cached."""
DRIVER, AHEAD, CODRIVER = "driver", "ahead", "codriver"
"""Where orders came from: sent in the turn, sent ahead of it, or given by the codriver or the clock."""


@dataclass(frozen=True, slots=True)
class Salts:
    """The posts of a run that needed random draws, counted by the origin of their salt: sent with the orders in the
    turn (`sent`), or ahead of it (`ahead`); no salt from the driver (`without`); no salt since the codriver or the
    clock gave the orders (`codriver`). `draws` counts the draws of all of them. All are 0 as long as the record is not
    shown: the page is open to people who may not watch the run, and the number of draws tells what has happened.
    """

    sent: int = 0
    ahead: int = 0
    without: int = 0
    codriver: int = 0
    draws: int = 0


@dataclass(frozen=True, slots=True)
class Proof:
    """The random draws of a run as anyone may know them now. Secrets are in hex, empty as long as they are not public.

    `promised` and `seal`: the stage's seal. `logged`: the promise that the log names, empty where it names none.
    `witness`: all that the log says about the promise. `phrases`, `phrases_sha256`: as published when the stage opened.
    `commitment` and `secret`: the run's own. `common`: the secret of the draws that all runs of the stage share.
    `wrong`: the first error found when verifying the record, empty when there is none. `form`: the format of the
    record. `old_forms`: orders in the record that could have been tried before, with other salts.
    """

    promised: str
    seal: str
    commitment: str
    phrases: list[str]
    phrases_sha256: str
    secret: str
    common: str
    wrong: str
    form: int
    logged: str = ""
    witness: Witness = NO_WITNESS
    salts: Salts = field(default_factory=Salts)
    old_forms: tuple[record.OldForm, ...] = ()


def may_show(run: Run) -> bool:
    """Return whether the run's secrets may be shown. At most one query.

    In format 2 all runs of the stage must be over and no other may begin, since all secrets follow from one seal. In
    format 1 the run must be over, and so must all runs that share its draws.
    """
    if run.status != Run.Status.FINISHED:
        return False
    alone = run.record_format == 1 and run.common is None
    return alone or not watching.is_still_driven(run.special_stage_id)


def proof_of(run: Run) -> Proof:
    """Return what the proof page shows. The record is verified when the secrets may be shown, against the promise in
    the log. Eleven queries at most.
    """
    seal = seal_of(run.special_stage)
    witness = witness_of(run.special_stage, seal) if run.record_format > 1 else NO_WITNESS
    shown = may_show(run)
    stage_over = run.status == Run.Status.FINISHED and not watching.is_still_driven(run.special_stage_id)
    checked = _checked(run, seal, witness) if shown else record.Checked("")
    salts = _salts(run) if shown and run.record_format > 1 else Salts(draws=run.drawn if shown else 0)
    return Proof(
        promised=seal.commitment if seal else "",
        seal=bytes(seal.secret).hex() if seal and stage_over else "",
        commitment=run.commitment,
        phrases=_phrases(run, seal),
        phrases_sha256=run.phrases_sha256,
        secret=bytes(run.secret).hex() if shown else "",
        common=bytes(run.common).hex() if shown and run.common is not None else "",
        wrong=checked.wrong or "",
        form=run.record_format,
        logged=witness.promise,
        witness=witness,
        salts=salts,
        old_forms=checked.old_forms,
    )


def _phrases(run: Run, seal: Seal | None) -> list[str]:
    """Return the phrases that are mixed into the run's draws: those of the whole stage; in format 1, those of the run's
    own drivers.
    """
    if run.record_format == 1:
        return sorted(run.phrases)
    return list(seal.phrases or []) if seal else []


def _checked(run: Run, seal: Seal | None, witness: Witness) -> record.Checked:
    """Check the record of a run that is over. Such a run does not change, so the result is cached for all readers. The
    promise and the phrases of the log count, where it has them.
    """
    promised = witness.promise or (seal.commitment if seal and run.record_format > 1 else "")
    phrases = witness.phrases or run.phrases_sha256

    def check() -> record.Checked:
        document = _plain(record_of(run))
        try:
            return record.check(document, promised=promised, phrases=phrases)
        except record.RecordError as error:  # the run was restored from an archive that somebody has edited
            return record.Checked(error.message)

    found = cache.get_or_set(f"proof-checked-{run.pk}-{run.version}-{promised}-{phrases}", check, PROOF_SECONDS)
    return found if isinstance(found, record.Checked) else check()


def _plain(document: dict[str, Any]) -> Any:
    """Return the document as parsed from its download."""
    return json.loads(json.dumps(document))


def may_have_record(run: Run, person: User | AnonymousUser) -> bool:
    """Return whether a person may have the record of a run, which contains the whole course."""
    return may_have_course(run.special_stage.rally, run.stage, person)


def record_for(run: Run, person: User | AnonymousUser) -> dict[str, Any]:
    """Return the record of the run as a JSON document.

    Raises: Forbidden before the secrets may be shown, and when the record contains cards of a club that this person may
    not have.
    """
    if not may_have_record(run, person):
        raise Forbidden(
            _("This record contains cards of the club. Only the club's members and the rally's drivers can get it.")
        )
    return record_of(run)


def record_of(run: Run) -> dict[str, Any]:
    """Return the record of the run as a JSON document. Five queries.

    Raises: Forbidden before the secrets may be shown.
    """
    if not may_show(run):
        raise Forbidden(_("The record is written when all cars have finished. Until then its draws must stay secret."))
    posts = run.posts.select_related("turn__seat").prefetch_related(
        Prefetch("events", queryset=Event.objects.order_by("number"))
    )
    ahead = _turns_by_orders_ahead(run) if run.record_format > 1 else frozenset[int]()
    document = record.write(
        rules=registry.get(run.game),
        stage=run.stage,
        entrants=run.entrants,
        options=run.options,
        turns=[_turn(post, run.record_format, ahead) for post in posts.order_by("number")],
        chance=_chance(run),
        form=run.record_format,
    )
    document["version"] = run.ruleset_version
    return document


def _turn(post: Post, form: int, ahead: frozenset[int]) -> dict[str, Any]:
    """Return a post in the form of the record; with its salt and its draws from format 2 on."""
    events = [event.data for event in post.events.all()]
    if post.turn is None:
        return {**record.opening_turn(events, post.draws), "sent": CODRIVER}
    told = {"driver": post.turn.seat.name, "orders": post.orders}
    if form == 1:
        return {**told, "events": events}
    sent = CODRIVER if post.by_id is None else AHEAD if post.turn_id in ahead else DRIVER
    return {**told, "sent": sent, "salt": post.salt, "draws": post.draws, "events": events}


def _turns_by_orders_ahead(run: Run) -> frozenset[int]:
    """Return the ids of turns that were played by orders ahead. One query."""
    driven = SentAhead.objects.filter(seat__run=run, state=SentAhead.State.DRIVEN)
    return frozenset(driven.exclude(turn=None).values_list("turn_id", flat=True))


def _chance(run: Run) -> dict[str, Any]:
    """Return the part of the record about the run's random draws."""
    if run.record_format == 1:
        told = {"commitment": run.commitment, "phrases": sorted(run.phrases), "secret": bytes(run.secret).hex()}
        return told if run.common is None else told | {"common": bytes(run.common).hex()}
    seal = Seal.objects.get(special_stage_id=run.special_stage_id)
    return verification.chance_of(
        seal=bytes(seal.secret),
        promise=seal.commitment,
        run=run.number,
        secret=bytes(run.secret),
        common=None if run.common is None else bytes(run.common),
        phrases=seal.phrases or [],
        published=run.phrases_sha256,
    )


def _salts(run: Run) -> Salts:
    """Count the salts of a run of format 2 by their origin. Two queries."""
    ahead, counted, draws = _turns_by_orders_ahead(run), Counter[str](), 0
    for by, turn, salt, drawn in run.posts.values_list("by", "turn", "salt", "draws"):
        if drawn:
            draws += len(drawn)
            if by is None:
                counted["codriver"] += 1
            else:
                counted["ahead" if salt and turn in ahead else "sent" if salt else "without"] += 1
    return Salts(**counted, draws=draws)


def read_record(text: str) -> dict[str, Any]:
    """Parse an uploaded record as JSON. Does not verify it.

    Raises: Refused when it is not a JSON object.
    """
    try:
        document = json.loads(text)
    except RecursionError:
        raise Refused(_("This is not a record: it is nested too deeply."), field="record") from None
    except ValueError as error:
        raise Refused(_("This is not a record: %(why)s") % {"why": str(error)[:200]}, field="record") from None
    if not isinstance(document, dict):
        raise Refused(_("This is not a record: %(why)s") % {"why": _("an object was expected")}, field="record")
    return document


def seal_of(special_stage: SpecialStage) -> Seal | None:
    """Return the seal of a stage. One query. A stage made before seals existed has none until it opens."""
    return Seal.objects.filter(special_stage=special_stage).first()

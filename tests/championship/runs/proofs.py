"""Finished runs of all kinds, and ways in which an operator might tamper with one."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from typing import Any

from championship.clubs.models import Club
from championship.rallies import services as rally_services
from championship.rallies.models import Entry, Rally
from championship.runs.models import Post, Run
from championship.runs.play import drive_codrivers, play_turn, send_ahead, set_phrase
from championship.runs.watch.proof import record_of
from championship.stages.services import create_design
from engine import chance, registry
from tests import verifier
from tests.championship.rallies.factories import enter, organiser_of, stage_of
from tests.championship.runs.factories import SENT_ORDERS, SHORT, careful_turn, fresh_key, starters
from tests.factories import make_club, make_user

TILES = "202a\n203a"
PHRASES = ("gravel", "zażółć gęślą", '"snow" \\ ice', "🏁 fin")


def short_rally(*names: str, mode: str = "convoy", dice: str = "random", phrases: Sequence[str] = PHRASES) -> Rally:
    """A rally of one short stage, under way; some of its drivers have added phrases."""
    by = make_user("Olga Organiser")
    club: Club = make_club(owner=by)
    design = create_design(by=by, club=club, name="One straight", game="dirt", text=TILES)
    rally = rally_services.create_rally(
        by=by,
        club=club,
        name="Rajd Wisły",
        game="dirt",
        designs=[design],
        options={"dice": dice},
        mode=mode,
        turn_hours=24,
        reminder_hours=4,
    )
    for entry, text in zip(enter(rally, *names), phrases, strict=False):
        set_phrase(by=entry.driver, special_stage=stage_of(rally, 1), text=text)
    rally_services.start_rally(by=organiser_of(rally), rally=rally)
    return rally


def runs_of(rally: Rally) -> list[Run]:
    """The runs of a rally as they are now."""
    return list(Run.objects.filter(special_stage__rally=rally).select_related("special_stage__rally"))


def salted_turn(run: Run, salt: str) -> None:
    """Make the whole turn of the driver whose turn it is, with that salt."""
    run.refresh_from_db()
    number = registry.get(run.game).to_play(run.state)[0]
    by = run.seats.get(name=number).entry.driver
    play_turn(by=by, run=run, orders=careful_turn(run), version=run.version, key=fresh_key(), salt=salt)
    run.refresh_from_db()


def brought_home(run: Run) -> Run:
    """Hand every car that is still on the road to the codriver until the run is over. Returns the finished run."""
    for entry in starters(run):
        run.refresh_from_db()
        if run.status == Run.Status.RUNNING:
            rally_services.set_driven_by(by=entry.driver, entry=entry, driven_by=Entry.DrivenBy.CODRIVER)
    while drive_codrivers(run_id=run.pk):
        pass
    found = Run.objects.select_related("special_stage__rally", "special_stage__seal").get(pk=run.pk)
    assert found.status == Run.Status.FINISHED
    return found


def of_format_1(run: Run) -> None:
    """Change a run into one that opened before format 2, with its own secret and the phrases of its own drivers."""
    secret = chance.derive_secret(bytes(run.special_stage.seal.secret), f"run {run.number}")
    run.secret, run.commitment = secret, chance.commitment(secret)
    run.phrases, run.phrases_sha256, run.record_format = ["gravel", "dust"], "", 1
    run.save()


def convoys() -> list[Run]:
    """Two finished runs of a convoy, with salts of drivers, a plan sent ahead, and codrivers."""
    rally = short_rally(*(f"Driver {number}" for number in range(8)))
    runs = runs_of(rally)
    for run in runs:
        second = starters(run)[1]
        send_ahead(
            by=second.driver, run=run, plan=SHORT, orders=dict(SENT_ORDERS), version=run.version, salt="sent ahead"
        )
        salted_turn(run, "4f" * 16)
        salted_turn(run, "typed: zażółć 🏁")
        brought_home(run)
    return runs_of(rally)


def open_road(cars: int, *, dice: str = "random", form: int = 2) -> list[Run]:
    """Finished runs of an open road, one car each. The first turn of each has a salt."""
    rally = short_rally(*(f"Driver {number}" for number in range(cars)), mode="open road", dice=dice)
    runs = runs_of(rally)
    for run in runs:
        if form == 1:
            of_format_1(run)
        salted_turn(run, f"salt {run.number}")
        brought_home(run)
    return runs_of(rally)


def downloaded(run: Run) -> dict[str, Any]:
    """The record as it is read from a downloaded file."""
    document: dict[str, Any] = json.loads(json.dumps(record_of(Run.objects.get(pk=run.pk))))
    return document


# What an operator might do ----------------------------------------------------------------------------


def with_another_secret(run: Run) -> None:
    """Make the run draw from a secret that does not follow from the seal."""
    run.secret = bytes(range(32))
    run.commitment = chance.commitment(run.secret)
    run.save(update_fields=["secret", "commitment"])


def with_another_phrase(run: Run) -> None:
    """Add a phrase after the phrases were published."""
    seal = run.special_stage.seal
    seal.phrases = [*(seal.phrases or []), "slipped in"]
    seal.save(update_fields=["phrases"])


def with_another_salt(run: Run) -> None:
    """Change the salt of the first post that drew something, to one with which its first draw differs.

    With one salt in six the die shows the same face, and that draw would still be valid.
    """
    seal = run.special_stage.seal
    post = next(post for post in Post.objects.filter(run=run).order_by("number") if post.draws and post.salt)
    for number in itertools.count():
        Post.objects.filter(pk=post.pk).update(salt=f"another {number}")
        first = verifier.first_wrong(downloaded(run), seal.commitment, run.phrases_sha256)
        if first == f"7, turn {post.number}, draw 1":
            return

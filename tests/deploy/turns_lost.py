"""Acts of a service around a lost database, each in a separate process: `python -m tests.deploy.turns_lost WHAT`.

DATABASE_URL and PARC_FERME_VAR identify the service. `begin` starts a rally and takes turns; `go on` takes more of
them; `stand` only reads; `after` shows that a turn is refused, runs after_restore, resumes the rally and takes turns.
Each prints the state after it as JSON: the version of the run, its events, and whether folding them gives its state.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import django


def begin() -> dict[str, Any]:
    """Start a rally. The service records the identity of its database."""
    from django.core.management import call_command

    from championship.lineage import services as lineage
    from championship.platform import clock
    from tests.championship.runs.factories import on_the_road

    call_command("migrate", interactive=False, verbosity=0)
    run, _entries = on_the_road("Ana", "Bo", stages=("1/3", "1/2"))
    _take_turns(run, 3)
    lineage.remember(now=clock.now())
    return stand()


def go_on() -> dict[str, Any]:
    """Take two more steps."""
    _take_turns(_run(), 2)
    return stand()


def stand() -> dict[str, Any]:
    """Return version, events and check of the run."""
    from championship.lineage import services as lineage
    from championship.runs.play import rebuild

    run = _run()
    return {
        "version": run.version,
        "events": run.events.count(),
        "folded": rebuild(run=run) == run.state,
        "set back": lineage.was_set_back(),
        "paused": run.special_stage.rally.paused_at is not None,
        "second seal": bool(run.second_seal),
    }


def after() -> dict[str, Any]:
    """Check that a turn is refused, run after_restore, resume the rally, and drive."""
    from django.core.management import call_command

    from championship.platform.refusals import TurnsSuspended
    from championship.rallies.services import resume_rally
    from tests.championship.rallies.factories import organiser_of

    found = {"before": stand(), "refused": False}
    try:
        _take_turns(_run(), 1)
    except TurnsSuspended:
        found["refused"] = True
    call_command("after_restore", stdout=sys.stderr)
    found["after"] = stand()
    rally = _run().special_stage.rally
    resume_rally(by=organiser_of(rally), rally=rally)
    found["driven"] = go_on()
    return found


def _run() -> Any:
    from championship.runs.models import Run

    return Run.objects.select_related("special_stage__rally__club").get(number=1)


def _take_turns(run: Any, count: int) -> None:
    """Take steps as the cautious codriver would, for the seats whose turn it is."""
    from championship.runs.play import play_turn
    from engine import registry
    from tests.championship.runs.factories import fresh_key, starters

    rules = registry.get(run.game)
    drivers = {entry.start_number: entry.driver for entry in starters(run)}
    for _step in range(count):
        run.refresh_from_db()
        seat = rules.to_play(run.state)[0]
        orders = rules.autopilot(run.state, seat)
        key = f"{fresh_key()} of version {run.version}"
        play_turn(by=drivers[int(seat)], run=run, orders=orders, version=run.version, key=key, salt="")


if __name__ == "__main__":
    django.setup()
    print(json.dumps({"begin": begin, "go on": go_on, "stand": stand, "after": after}[sys.argv[1]]()))

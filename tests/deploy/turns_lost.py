"""What a service of its own does around a lost database, each in a process: `python -m tests.deploy.turns_lost WHAT`.

DATABASE_URL and PARC_FERME_VAR say which service. `begin` starts a rally and takes turns; `go on` takes more of them;
`stand` only looks; `after` shows that a turn is refused, runs after_restore, lets the rally go on and takes turns.
Each prints as JSON what stands then: the version of the run, its events, whether the fold of them gives its state.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import django


def begin() -> dict[str, Any]:
    """A rally under way, known to the service's memory of its database."""
    from django.core.management import call_command

    from championship import clock
    from championship.lineage import services as lineage
    from tests.championship.runs.factories import on_the_road

    call_command("migrate", interactive=False, verbosity=0)
    run, _entries = on_the_road("Ana", "Bo", stages=("1/3", "1/2"))
    _take_turns(run, 3)
    lineage.remember(now=clock.now())
    return stand()


def go_on() -> dict[str, Any]:
    """Two steps more."""
    _take_turns(_run(), 2)
    return stand()


def stand() -> dict[str, Any]:
    """How things stand."""
    from championship.lineage import services as lineage
    from championship.runs.services import rebuild

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
    """Refused, seen to, let go on, driven."""
    from django.core.management import call_command

    from championship.rallies.services import resume_rally
    from championship.refusals import Resting
    from tests.championship.rallies.factories import organiser_of

    found = {"before": stand(), "refused": False}
    try:
        _take_turns(_run(), 1)
    except Resting:
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
    """Steps as the careful codriver would take them, by those whose turn it is."""
    from championship.runs.services import play_turn
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

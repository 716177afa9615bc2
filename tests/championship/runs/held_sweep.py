"""The sweep of a worker in a process of its own, which stands still in the middle until it is killed.

`python -m tests.championship.runs.held_sweep WHAT MOMENT WORD`: WHAT it does, the MOMENT it takes for now, and the WORD
of the statement behind which it stands still. It says so, and then waits for input that never comes.
"""

import os
import sys
from datetime import datetime

import django


def main(what: str, moment: str, word: str) -> None:
    """Sweep, and stand still behind the first statement with `word` in it."""
    django.setup()
    from django.db import connection

    from championship.deadlines import sweeping
    from championship.runs import services

    def hold(execute, sql, params, many, context):
        done = execute(sql, params, many, context)
        if word in sql:
            os.write(1, b"held\n")
            sys.stdin.read()
        return done

    sweeps = {"remind": sweeping.remind, "drive": services.act_on_deadlines}
    with connection.execute_wrapper(hold):
        sweeps[what](now=datetime.fromisoformat(moment))


if __name__ == "__main__":
    main(*sys.argv[1:])

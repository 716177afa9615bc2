"""A worker's sweep in a separate process, which stops in the middle until it is killed.

`python -m tests.championship.runs.held_sweep WHAT MOMENT WORD`: WHAT is "remind" or "drive". MOMENT is the time that
the sweep takes for now. WORD is part of the SQL statement after which it stops. It prints "held" then, and waits for
input that never comes.
"""

import os
import sys
from datetime import datetime

import django


def main(what: str, moment: str, word: str) -> None:
    """Sweep, and stop after the first statement with `word` in it."""
    django.setup()
    from django.db import connection

    from championship.deadlines.services import sweeping
    from championship.runs import play as services

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

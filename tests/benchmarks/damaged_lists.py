"""Reads a hundred thousand damaged lists: each must be read or refused with a sentence, and none may take long.

    python -m tests.benchmarks.damaged_lists [NUMBER] [SEED] [workbooks]

With `workbooks`, the lists are .xlsx, .ods and .xls files: most are damaged inside and packed again. It prints how many
were read and refused, the slowest ones, and the peak of memory. It ends with an error at the first list that raises
anything else, and writes that list to the file `damaged-list` in the folder for temporary files.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

import django

SLOWEST = 5


def main(number: int = 100_000, seed: int = 1, *, workbooks: bool = False) -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "championship.settings.test")
    django.setup()
    from tests.championship.lists.mutants import mutants, outcome

    taken: list[tuple[float, str, int]] = []
    read_ones = 0
    for at, (name, content) in enumerate(mutants(number, seed=seed, workbooks=workbooks)):
        begun = time.perf_counter()
        try:
            read_ones += outcome(name, content, results=at % 2 == 0) is not None
        except Exception:
            kept = Path(tempfile.gettempdir()) / "damaged-list"
            kept.write_bytes(content)
            print(f"{name}, number {at} of seed {seed}: see {kept}")
            raise
        taken = sorted([*taken, (time.perf_counter() - begun, name, at)], reverse=True)[:SLOWEST]
    print(f"{number} lists: {read_ones} read, {number - read_ones} refused")
    for seconds, name, at in taken:
        print(f"{seconds:.3f} s: {name}, number {at}")
    for whose, what in ((resource.RUSAGE_SELF, "here"), (resource.RUSAGE_CHILDREN, "in the process of a workbook")):
        print(f"peak of memory {what}: {resource.getrusage(whose).ru_maxrss // 1024} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(*(int(each) for each in sys.argv[1:3]), workbooks="workbooks" in sys.argv))

"""Runs pytest. If CI is set and a few tests fail, runs these again: at the end, in one process.

Usage: `python -m tests.retry_failed --numprocesses 3 -m slow`, with the options of pytest. A test that fails twice has
failed. A test that passes the second time is printed, because an unsteady test must still be fixed. Nothing runs again
when pytest was interrupted or could not import a file: many tests may not have started.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

FAILED = Path(".pytest_cache/v/cache/lastfailed")
"""The file in which pytest lists the failed tests, relative to the folder in which it runs."""
FEW = 10
"""Most failures for which a second run is worthwhile: more are not bad luck."""
UNSTEADY = "UNSTEADY_TESTS"
"""The environment variable that names a file. Tests that pass the second time are added to it, one a line."""
ALONE = ("--numprocesses", "0", "--verbose", "--last-failed", "--last-failed-no-failures", "none")


def main(options: Sequence[str]) -> int:
    """Return the exit code of the last run."""
    FAILED.unlink(missing_ok=True)
    code = _run(options)
    failed = sorted(json.loads(FAILED.read_text())) if FAILED.exists() else []
    if code != pytest.ExitCode.TESTS_FAILED or "CI" not in os.environ or not 0 < len(failed) <= FEW:
        return code
    if not all("::" in each for each in failed):  # an import of a file failed, or a process died
        return code
    print("\nTried once more, alone:", *failed, sep="\n  ", flush=True)
    again = _run([*options, *ALONE])
    if not again and (file := os.environ.get(UNSTEADY)):
        with open(file, "a", encoding="utf-8") as unsteady:
            unsteady.writelines(f"{each}\n" for each in failed)
    print("\nFailed twice." if again else "\nPassed the second time: these tests are unsteady.", *failed, sep="\n  ")
    return again


def _run(options: Sequence[str]) -> int:
    return subprocess.run([sys.executable, "-m", "pytest", *options], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

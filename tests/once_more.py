"""Runs pytest and, where CI is set, tries the few tests that failed once more: alone, in one process, at the end.

`python -m tests.once_more --numprocesses 3 -m slow`, options as of pytest. What failed twice has failed. What passed
the second time is named, for an unsteady test is still a fault to mend. A run that broke off is not tried again, nor
one in which a file could not be read: many tests may not have begun.
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
"""Where pytest writes down what failed, below the folder it runs in."""
FEW = 10
"""How many failures may be bad luck."""
ALONE = ("--numprocesses", "0", "--verbose", "--last-failed", "--last-failed-no-failures", "none")


def main(options: Sequence[str]) -> int:
    """Return the exit code of the run that counts."""
    FAILED.unlink(missing_ok=True)
    code = _run(options)
    failed = sorted(json.loads(FAILED.read_text())) if FAILED.exists() else []
    if code != pytest.ExitCode.TESTS_FAILED or "CI" not in os.environ or not 0 < len(failed) <= FEW:
        return code
    if not all("::" in each for each in failed):  # a file or a process, not a test
        return code
    print("\nTried once more, alone:", *failed, sep="\n  ", flush=True)
    again = _run([*options, *ALONE])
    print("\nFailed twice." if again else "\nPassed the second time: these tests are unsteady.", *failed, sep="\n  ")
    return again


def _run(options: Sequence[str]) -> int:
    return subprocess.run([sys.executable, "-m", "pytest", *options], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Finds the programs of this machine that tests of deploy/ run."""

import os
import shutil
from typing import NoReturn

import pytest


def tool(name: str) -> str:
    """Return the path of a program. If it is missing the test is skipped, or fails if CI=true."""
    found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    return found or lacks(name)


def lacks(name: str) -> NoReturn:
    """Skip the test because a program is missing, or fail it if CI=true."""
    reason = f"{name} is not on this machine"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)

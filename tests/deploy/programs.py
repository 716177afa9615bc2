"""Programs of the machine that tests of deploy/ run."""

import os
import shutil
from typing import NoReturn

import pytest


def tool(name: str) -> str:
    """Where a tool is; without it the test is skipped, by name, but fails where CI=true."""
    found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    return found or lacks(name)


def lacks(name: str) -> NoReturn:
    """Skip the test for want of a program, or fail it where CI=true."""
    reason = f"{name} is not on this machine"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)

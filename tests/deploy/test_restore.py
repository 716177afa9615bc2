"""The scripts for backup and restore, on a separate cluster: nothing is lost, and the turn continues."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from tests.deploy.clusters import Cluster, running_cluster

pytestmark = pytest.mark.slow


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with running_cluster() as running:
        yield running


def test_a_lost_database_comes_back_and_takes_turns_only_after_after_restore(cluster):
    begun = cluster.service("begin")
    assert begun["folded"] and not begun["set back"]
    cluster.shell('"$1/backup.sh"', cluster.scripts)
    moment = cluster.ask("SELECT clock_timestamp()::text")
    later = cluster.service("go on")
    assert later["version"] > begun["version"]
    cluster.archived()

    cluster.stop()
    shutil.rmtree(cluster.data)
    cluster.restored()

    goes_on_from(later, cluster.service("after"))
    cluster.archived()  # the restored server archives what it writes

    # A restore to a moment loses everything after it. The old data are kept in another folder.
    cluster.stop()
    aside = cluster.restored(moment)
    assert (aside / "PG_VERSION").exists()
    goes_on_from(begun, cluster.service("after"))

    cluster.archived()
    cluster.shell('"$1/backup.sh"', cluster.scripts, KEEP_BACKUPS="1")
    assert len(list((cluster.backups / "base").iterdir())) == 1


def goes_on_from(known: dict[str, Any], found: dict[str, Any]) -> None:
    """Return the result of turns_lost.py after a restore of the known state."""
    before, after, driven = found["before"], found["after"], found["driven"]
    assert (before["version"], before["events"], before["folded"]) == (known["version"], known["events"], True)
    assert before["set back"] and found["refused"], "no turn is taken before after_restore"
    assert after["paused"] and after["second seal"] and not after["set back"]
    assert driven["version"] > before["version"] and driven["folded"] and not driven["paused"]

"""Scripts, units and image on a bare Debian, with root, debootstrap and systemd-nspawn: `make test-deploy`."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.deploy.drill import FOLDER, life, older_commit
from tests.deploy.houses import ROOT, Larder
from tests.deploy.image import Image
from tests.deploy.programs import lacks, tool

pytestmark = pytest.mark.machine

ASKED = """
whoami
cd /opt/parc-ferme
set -- $(python -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
.venv/bin/python -m gunicorn championship.wsgi --bind 127.0.0.1:$1 >/tmp/log 2>&1 &
.venv/bin/python - $1 <<END || { cat /tmp/log; kill %1; exit 1; }
import sys, time, urllib.error, urllib.request
def status(path):
    for _try in range(240):
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}{path}").status
        except urllib.error.HTTPError as answer:
            return answer.code
        except OSError:
            time.sleep(0.5)
print(status("/healthz"))
print(status("/readyz/web"))
END
kill $!
wait $! || true
touch /opt/parc-ferme/x 2>/dev/null || echo nothing may be written
! test -e .git && ! test -e var && test -e /var/lib/parc-ferme/static/staticfiles.json && echo no secrets, no history
"""
"""Prints the user of the service, whether the process answers and reports that its database is down, what it may write,
and the files beside it.
"""


@pytest.fixture(scope="module")
def larder() -> Iterator[Larder]:
    """The parts from which houses are built, kept for the next time."""
    if os.geteuid() != 0:
        lacks("root, who may boot machines,")
    for name in ("debootstrap", "systemd-nspawn", "nsenter"):
        tool(name)
    with Larder(FOLDER).open() as filled:
        yield filled


def test_an_installation_is_made_upgraded_lost_and_restored_and_its_turns_continue(larder: Larder) -> None:
    life(larder, older_commit())


def test_the_image_is_built_and_serves_as_a_user_of_little_power(larder: Larder) -> None:
    tool("buildah")
    larder.fetch([ROOT])
    image = Image(larder)
    try:
        image.build()
        told = image.settings()
        found = image.says(ASKED)
    finally:
        image.remove()

    assert (told["User"], told["Entrypoint"]) == ("parc-ferme", ["/opt/parc-ferme/.venv/bin/python"])
    assert told["Volumes"] == {"/var/lib/parc-ferme": {}}
    assert found.splitlines() == ["parc-ferme", "200", "503", "nothing may be written", "no secrets, no history"]

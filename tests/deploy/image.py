"""Builds the image of deploy/Containerfile with buildah, from a Debian that debootstrap has made, in a separate
storage.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.deploy.houses import PATH, Larder, must, run, tracked

IMAGE, BASE = "localhost/parc-ferme", "localhost/debian-with-python"
LEFT_OUT = ("./var/cache/apt", "./var/lib/apt/lists", "./wheels", "./proc", "./sys", "./dev")
SETTINGS = {
    "DATABASE_URL": "postgresql://nobody@nowhere.invalid/nothing",
    "CELERY_BROKER_URL": "redis://nowhere.invalid/0",
    "ALLOWED_HOSTS": "rally.example",
    "SECRET_KEY": "a key of the test that is long enough: with 50 characters or more 0123456789",
}


class Image:
    """A built image. Everything that it is made of is in one folder beside the houses."""

    def __init__(self, larder: Larder) -> None:
        self.larder, self.folder = larder, larder.street / "image"
        self.log = self.folder / "build.log"

    def buildah(self, command: str, *words: str | Path) -> str:
        """Return the output of a buildah command.

        Raises: AssertionError with its log when it fails.
        """
        storage = ["--root", self.folder / "storage", "--runroot", self.folder / "run", "--storage-driver", "vfs"]
        line = [str(word) for word in ("buildah", *storage, command, *words)]
        ended = subprocess.run(line, capture_output=True, text=True, check=False)
        with self.log.open("a") as log:
            log.write(f"{line}\n{ended.stdout}{ended.stderr}")
        must(ended.returncode == 0, f"buildah {command}: {self.log.read_text()[-4000:]}")
        return ended.stdout.strip()

    def build(self) -> None:
        """Build the base image from the Debian with Python, whose pip finds packages in a folder; then the image from
        the sources.
        """
        run("rm", "-rf", self.folder)  # of an earlier try
        self.folder.mkdir()
        made = self.buildah("from", "scratch")
        root = self.buildah("mount", made)
        without = [f"--exclude={path}/*" for path in LEFT_OUT]
        run("tar", "--create", "--directory", self.larder.python, *without, "--file", self.folder / "tar", ".")
        run("tar", "--extract", "--directory", root, "--file", self.folder / "tar")
        (self.folder / "tar").unlink()
        self.buildah("config", "--env", PATH, "--env", "PIP_NO_INDEX=1", "--env", "PIP_FIND_LINKS=/wheels", made)
        self.buildah("umount", made)
        self.buildah("commit", "--rm", "--quiet", made, BASE)
        tracked(Path(__file__).resolve().parents[2], self.folder / "sources")
        self.buildah(
            *("build", "--isolation", "chroot", "--build-arg", f"BASE={BASE}", "--pull-never"),
            *("--volume", f"{self.larder.wheels}:/wheels:ro", "--tag", IMAGE),
            *("--file", self.folder / "sources/deploy/Containerfile", self.folder / "sources"),
        )

    def settings(self) -> dict[str, Any]:
        """Return the settings in the image: user, command and so on."""
        told = json.loads(self.buildah("inspect", "--type", "image", IMAGE))
        return dict(told["OCIv1"]["config"])

    def says(self, script: str) -> str:
        """Return the output of a shell in a container of this image, as its user, with the settings of a service."""
        container = self.buildah("from", "--pull-never", IMAGE)
        given = [word for name, value in SETTINGS.items() for word in ("--env", f"{name}={value}")]
        try:
            return self.buildah("run", "--isolation", "chroot", *given, container, "--", "sh", "-euc", script)
        finally:
            self.buildah("rm", container)

    def remove(self) -> None:
        """Delete everything that was built."""
        self.buildah("rm", "--all")
        self.buildah("rmi", "--all", "--force")
        run("rm", "-rf", self.folder)

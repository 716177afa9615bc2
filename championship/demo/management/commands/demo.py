"""`manage.py demo`: the whole service on this machine, with persons to sign in as, until Ctrl-C."""

from __future__ import annotations

import os
import secrets
import signal
import sys
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management import CommandError, call_command
from django.core.management.base import BaseCommand, CommandParser

from championship.demo import persons, supervisor
from championship.demo.persons import DRIVER, ORGANISER
from championship.platform.embedded import VAR_DIR

DEFAULT_PORT = 8000
SECRET_FILE = VAR_DIR / "demo-secret"


class Command(BaseCommand):
    help = "Runs the demo until Ctrl-C: database, web server, worker and beat."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="the first port to try")

    def handle(self, *, port: int, **options: Any) -> None:
        if not settings.DEMO:
            raise CommandError("The demo runs on championship.settings.demo only.")
        for kind in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(kind, _as_if_ctrl_c)
        try:
            code = self.run(port)
        except KeyboardInterrupt:
            code = 0
        for kind in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(kind, signal.SIG_IGN)  # the database is stopped next and must not be interrupted
        self.say("The demo has ended; what was driven is kept in var/.")
        sys.exit(code)

    def run(self, wanted_port: int) -> int:
        """Prepare the data, start all processes and wait for their end. Returns the exit code."""
        VAR_DIR.mkdir(parents=True, exist_ok=True)
        if address := supervisor.running_demo():
            raise CommandError(f"The demo of this folder already runs: {address}")
        if supervisor.end_leftovers():
            self.say("Ended what an earlier demo had left running.")
        port = supervisor.free_port(wanted_port)
        if port != wanted_port:
            self.say(f"Port {wanted_port} is taken, using {port}.")
        address = f"http://localhost:{port}"
        _prepare_environment(address)
        supervisor.record_running(address)
        try:
            self.prepare_data()
            manager = supervisor.Supervisor(port=port, when_ready=lambda: self.welcome(address))
            manager.loop()
        finally:
            supervisor.record_stopped()
        asked_to_end = manager.returncode in (0, 128 + signal.SIGINT, 128 + signal.SIGTERM)
        return 0 if asked_to_end else 1

    def prepare_data(self) -> None:
        """Bring the tables, the static files and the demo's persons up to date."""
        self.say("Preparing the database ...")
        call_command("migrate", interactive=False, verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        call_command("seed_demo", verbosity=0)

    def welcome(self, address: str) -> None:
        """Print the address of the demo and the links that sign in as its persons."""

        def link(email: str) -> str:
            return f"{address}/demo/as/{persons.token_for(email)}/"

        self.say(
            "",
            f"Parc Fermé is open at {address}",
            "",
            f"  Be {DRIVER.name}, a driver for whom three turns wait:",
            f"    {link(DRIVER.email)}",
            f"  Be {ORGANISER.name}, who organises the championship:",
            f"    {link(ORGANISER.email)}",
            "  Watch as a stranger, without an account:",
            f"    {address}/open/",
            "",
            f"  Everybody else: {address}/demo/    Mail that was sent: {address}/demo/mail/",
            "  Ctrl-C ends all of it.",
            "",
        )

    def say(self, *lines: str) -> None:
        self.stdout.write("\n".join(lines))
        self.stdout.flush()


def _prepare_environment(address: str) -> None:
    """Set what all processes share: the address for links in mail, and this folder's own secret."""
    if not SECRET_FILE.exists():
        SECRET_FILE.touch(mode=0o600)
        SECRET_FILE.write_text(secrets.token_urlsafe(50))
    os.environ["SECRET_KEY"] = settings.SECRET_KEY = SECRET_FILE.read_text()
    os.environ["SITE_URL"] = settings.SITE_URL = address


def _as_if_ctrl_c(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt

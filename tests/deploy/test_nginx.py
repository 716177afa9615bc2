"""Debian's nginx with our site in front of gunicorn: a person signs in with a code and makes a turn through TLS."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.db import connection

from championship.notices.models import Notice
from championship.runs.models import Turn
from tests.championship.runs.factories import on_the_road
from tests.deploy import desk
from tests.deploy.programs import tool
from tests.deploy.test_several_machines import HOST, Machines, answers, free_port, until

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

NAME = "rally.example"
CLIENT = "127.0.0.9"
"""An address of this machine that no proxy has."""
FORGED = "203.0.113.7"
STEPS = 60
"""The most steps that a driver needs for a turn."""


class BehindNginx(Machines):
    """A production server on a socket file, a worker for its letters, and nginx in front of it."""

    def __init__(self, folder: Path) -> None:
        self.shared = folder / "var"
        self.shared.mkdir()
        super().__init__(folder)
        self.socket, self.mail = folder / "web.sock", free_port()
        self.plain, self.tls = free_port(), free_port()
        told = connection.get_connection_params()
        user = f"{told['user']}:{told.get('password') or ''}@" if told.get("user") else ""
        query = f"?host={told.get('host') or ''}&port={told.get('port') or 5432}"
        self.environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "championship.settings.production",
            "DATABASE_URL": f"postgresql://{user}/{connection.settings_dict['NAME']}{query}",
            "CELERY_BROKER_URL": self.scene["broker"],
            "CACHE_URL": self.scene["broker"],
            "SECRET_KEY": "a key of the test that is long enough: with 50 characters or more 0123456789",
            "ALLOWED_HOSTS": NAME,
            "EMAIL_PORT": str(self.mail),
            "LOG_FORMAT": "json",
        }

    def begin(self, name: str, *command: str, environment: dict[str, str] | None = None) -> None:
        """Start a program. All programs share one folder for the files of the machine."""
        log = (self.folder / f"{name}.log").open("wb")
        with log:
            self.running[name] = subprocess.Popen(
                command,
                cwd=django_settings.BASE_DIR,
                env={**(environment or self.environment), "PARC_FERME_VAR": str(self.shared)},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def told(self) -> str:
        logs = sorted(self.folder.glob("*.log"))
        return "\n".join(f"{log.name}: {log.read_text(errors='replace')[-2000:]}" for log in logs)

    def start(self) -> None:
        own = {**self.environment, "PARC_FERME_VAR": str(self.shared)}
        collect = [sys.executable, "manage.py", "collectstatic", "--no-input", "--verbosity", "0"]
        subprocess.run(collect, cwd=django_settings.BASE_DIR, env=own, check=True, timeout=300)
        small = ("--workers", "1", "--threads", "2", "--access-logfile", "-")
        self.begin(
            "web", sys.executable, "-m", "gunicorn", "championship.wsgi", "--bind", f"unix:{self.socket}", *small
        )
        self.begin("mail", sys.executable, "-m", "championship.platform.background", "mail")
        self.start_nginx()
        until(lambda: self.socket.exists() and answers(self.tls), "nobody answers", self)

    def start_nginx(self) -> None:
        program, openssl, own = tool("nginx"), tool("openssl"), self.folder / "nginx"
        own.mkdir()
        subject = ("-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}")
        made = ("-keyout", str(own / "privkey.pem"), "-out", str(own / "fullchain.pem"))
        certify = (openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", *subject, *made)
        subprocess.run(certify, check=True, capture_output=True, timeout=120)
        site = (django_settings.BASE_DIR / "deploy" / "nginx.conf").read_text()
        for ours, here in (
            (f"/etc/letsencrypt/live/{NAME}", str(own)),
            ("/run/parc-ferme/web.sock", str(self.socket)),
            ("listen 80;", f"listen {HOST}:{self.plain};"),
            ("listen 443 ssl http2;", f"listen {HOST}:{self.tls} ssl http2;"),
        ):
            assert ours in site, ours
            site = site.replace(ours, here)
        site = re.sub(r"^ *listen \[::\].*\n", "", site, flags=re.M)
        (own / "site.conf").write_text(site)
        files = "".join(
            f"{kind}_temp_path {own}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        user = "user root;" if os.geteuid() == 0 else ""
        (own / "nginx.conf").write_text(
            f"{user} pid {own}/pid; daemon off; error_log stderr; events {{}}\n"
            f"http {{ access_log off; {files} include {own}/site.conf; }}\n"
        )
        self.begin("nginx", program, "-e", "stderr", "-c", str(own / "nginx.conf"), "-p", str(own))

    def asked_by(self) -> set[str]:
        """Return the client addresses in the log of gunicorn."""
        lines = (self.folder / "web.log").read_text().splitlines()
        return {json.loads(line)["client"] for line in lines if '"gunicorn.access"' in line}


@pytest.fixture
def behind_nginx(folder: Path) -> Iterator[BehindNginx]:
    tool("nginx")
    folder.chmod(0o755)
    made = BehindNginx(folder)
    try:
        yield made
    finally:
        for name, process in made.running.items():
            if process.poll() is None:
                made.pull_the_plug(name)


class Browser(desk.SecureBrowser):
    """A browser with its own address that sends false headers about its address and protocol."""

    def _open(self) -> http.client.HTTPConnection:
        line = super()._open()
        line.source_address = (CLIENT, 0)
        return line

    def _ask(self, kind, method, path, body, headers):  # type: ignore[no-untyped-def]
        forged = {"X-Forwarded-For": FORGED, "X-Forwarded-Proto": "http", "X-Request-ID": "forged"}
        return super()._ask(kind, method, path, body, {**headers, **forged})


def test_a_driver_comes_in_and_makes_a_whole_turn_through_tls(
    behind_nginx: BehindNginx, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, (entry, *_others) = on_the_road("Ana", "Bo", mode="open road")
    Notice.objects.all().delete()
    behind_nginx.start()
    monkeypatch.setenv("HOUSE_CA", str(behind_nginx.folder / "nginx" / "fullchain.pem"))

    plain = http.client.HTTPConnection(HOST, behind_nginx.plain, timeout=30)
    plain.request("GET", f"/runs/{run.key}/?at=1", headers={"Host": NAME})
    sent_on = plain.getresponse()
    assert (sent_on.status, sent_on.headers["Location"]) == (301, f"https://{NAME}/runs/{run.key}/?at=1")

    browser = Browser(NAME, behind_nginx.tls, {})
    try:
        desk.come_in(browser, entry.driver.email, mail_port=behind_nginx.mail)
    except AssertionError as error:
        raise AssertionError(f"{error}\n{behind_nginx.told()}") from None
    assert "__Host-sessionid" in browser.cookies, "the cookie is for TLS alone"
    for path in ("/metrics", "/readyz"):
        answer = browser.get("closed", path)
        assert answer is not None and answer.status == 404, path
    browser.errors.clear()

    made = Turn.objects.filter(seat__entry=entry).exclude(ended_at=None)
    driver = desk.QuickDriver(browser, f"/runs/{run.key}/", "/", done=threading.Event(), seed=1)
    for _step in range(STEPS):
        driver.one_step()
        assert not browser.errors, f"{browser.errors}\n{behind_nginx.told()}"
        if made.exists():
            break
    assert made.exists(), f"{browser.refusals}\n{behind_nginx.told()}"
    assert "step" in {seen.kind for seen in browser.seen if seen.status == 200}
    assert behind_nginx.asked_by() == {CLIENT}

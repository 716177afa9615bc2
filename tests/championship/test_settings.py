"""Safe defaults: production refuses to start with incomplete settings, and every page has its headers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client

from championship.platform import environment, startup_checks
from championship.platform.startup_checks import DEMO_KEY, TESTS_KEY

ROOT = Path(__file__).resolve().parent.parent.parent
KEY = "a key of the test that is long enough: with 50 characters or more 0123456789"
REAL = "postgresql://nobody:hidden@localhost/nothing"
COMPLETE = {
    "DJANGO_SETTINGS_MODULE": "championship.settings.production",
    "DATABASE_URL": REAL,
    "CELERY_BROKER_URL": "redis://localhost/0",
    "SECRET_KEY": KEY,
    "ALLOWED_HOSTS": "rally.example, www.rally.example",
}
DEMO = {"DJANGO_SETTINGS_MODULE": "championship.settings.demo"}

MANAGE = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
GUNICORN = [sys.executable, "-m", "gunicorn", "championship.wsgi", "--workers", "3", "--bind", "127.0.0.1:0"]
WORKER = [sys.executable, "-m", "celery", "--app", "championship", "worker"]
BEAT = [sys.executable, "-m", "celery", "--app", "championship", "beat"]
OWN_SCRIPT = [sys.executable, "-c", "import django; django.setup()"]


def start(command: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


@pytest.mark.slow
def test_production_passes_the_deployment_check() -> None:
    imprint = {f"OPERATOR_{part}": "Parc Fermé" for part in ("NAME", "MAIL", "ADDRESS")}
    result = start(MANAGE, {**COMPLETE, **imprint})

    assert result.returncode == 0, result.stderr
    assert start(MANAGE, COMPLETE).stderr.count("the imprint does not name the operator") == len(imprint)


WRONG = [  # the difference from a complete environment, and what the error line contains: the variable, and an example
    ({"DATABASE_URL": ""}, "DATABASE_URL is not set.", "DATABASE_URL=postgresql://"),
    ({"DATABASE_URL": "mysql://host/name"}, "DATABASE_URL does not name a PostgreSQL", "DATABASE_URL=postgresql://"),
    ({"DATABASE_URL": "postgresql://host"}, "DATABASE_URL does not name a PostgreSQL", "DATABASE_URL=postgresql://"),
    ({"DATABASE_URL": "postgresql://[host/x"}, "DATABASE_URL does not name", "DATABASE_URL=postgresql://"),
    ({"CELERY_BROKER_URL": ""}, "CELERY_BROKER_URL is not set.", "CELERY_BROKER_URL=redis://"),
    ({"CELERY_BROKER_URL": "memory://"}, "CELERY_BROKER_URL names neither", "CELERY_BROKER_URL=redis://"),
    ({"ALLOWED_HOSTS": " , "}, "ALLOWED_HOSTS is not set.", "ALLOWED_HOSTS=rally.example"),
    ({"ALLOWED_HOSTS": "https://rally.example"}, "ALLOWED_HOSTS: 'https://rally.example'", "ALLOWED_HOSTS=rally"),
    ({"ALLOWED_HOSTS": "rally.example:8000"}, "ALLOWED_HOSTS: 'rally.example:8000'", "ALLOWED_HOSTS=rally"),
    ({"ALLOWED_HOSTS": ".rally.example"}, "SITE_URL is not set", "SITE_URL=https://rally.example"),
    ({"SECRET_KEY": ""}, "SECRET_KEY is not set.", "secrets.token_urlsafe(50)"),
    ({"SECRET_KEY": KEY[:49]}, "SECRET_KEY has 49 characters", "secrets.token_urlsafe(50)"),
    ({"SECRET_KEY": "abc" * 20}, "SECRET_KEY has only 3 different", "secrets.token_urlsafe(50)"),
    ({"SECRET_KEY": DEMO_KEY}, "SECRET_KEY is a key that everybody knows", "secrets.token_urlsafe(50)"),
    ({"SECRET_KEY": TESTS_KEY}, "SECRET_KEY is a key that everybody knows", "secrets.token_urlsafe(50)"),
    ({"SECRET_KEY_FALLBACKS": f"{KEY},{DEMO_KEY}"}, "SECRET_KEY_FALLBACKS: key 2", "SECRET_KEY_FALLBACKS="),
    ({"SITE_URL": "http://rally.example"}, "SITE_URL 'http://rally.example'", "SITE_URL=https://rally.example"),
    ({"SITE_URL": "https://rally.example/x"}, "SITE_URL 'https://rally.example/x'", "SITE_URL=https://rally.example"),
    ({"SITE_URL": "https://[rally"}, "SITE_URL 'https://[rally'", "SITE_URL=https://rally.example"),
    ({"SITE_URL": "https://other.example"}, "SITE_URL 'https://other.example' names a host", "ALLOWED_HOSTS=rally"),
    ({"DEFAULT_FROM_EMAIL": "Parc Fermé"}, "DEFAULT_FROM_EMAIL 'Parc Fermé'", "DEFAULT_FROM_EMAIL='Parc Fermé <"),
    ({"EMAIL_PORT": "smtp"}, "EMAIL_PORT 'smtp'", "EMAIL_PORT=587"),
    ({"EMAIL_USE_TLS": "ja"}, "EMAIL_USE_TLS 'ja' is neither yes nor no", "EMAIL_USE_TLS=yes"),
    ({"EMAIL_USE_SSL": "2"}, "EMAIL_USE_SSL '2' is neither yes nor no", "EMAIL_USE_SSL=yes"),
    ({"EMAIL_USE_TLS": "1", "EMAIL_USE_SSL": "on"}, "EMAIL_USE_TLS and EMAIL_USE_SSL exclude", "EMAIL_USE_SSL=yes"),
    ({"EMAIL_PORT": "465", "EMAIL_USE_TLS": "yes"}, "EMAIL_PORT 465 speaks TLS from the first", "EMAIL_USE_SSL=yes"),
    ({"EMAIL_PORT": "465", "EMAIL_USE_SSL": "no"}, "EMAIL_PORT 465 speaks TLS from the first", "EMAIL_USE_SSL=yes"),
    ({"MAIL_SERVER_DROPS_COPIES": "maybe"}, "MAIL_SERVER_DROPS_COPIES 'maybe'", "MAIL_SERVER_DROPS_COPIES=yes"),
    ({"OPEN_STAGE": "none"}, "OPEN_STAGE 'none' is neither", "OPEN_STAGE=no"),
    ({"HSTS_PRELOAD": "please"}, "HSTS_PRELOAD 'please' is neither", "HSTS_PRELOAD=yes"),
    ({"WEB_LOCK_SECONDS": "2s"}, "WEB_LOCK_SECONDS '2s' is no number", "WEB_LOCK_SECONDS=2"),
    ({"WEB_LOCK_SECONDS": "nan"}, "WEB_LOCK_SECONDS 'nan' is no number", "WEB_LOCK_SECONDS=2"),
    ({"KEEP_LETTERS_DAYS": "-1"}, "KEEP_LETTERS_DAYS '-1' is less than 0", "KEEP_LETTERS_DAYS=365"),
    ({"PAPERS_A_MINUTE": "2.5"}, "PAPERS_A_MINUTE '2.5' is no whole number", "PAPERS_A_MINUTE=30"),
    ({"CACHE_URL": "memcached://cache"}, "CACHE_URL does not name a Redis", "CACHE_URL=redis://"),
    ({"DATABASE_POOLING": "session"}, "DATABASE_POOLING 'session' is unknown", "DATABASE_POOLING=transaction"),
    ({"TRUSTED_PROXIES": "the proxy"}, "TRUSTED_PROXIES: 'the proxy'", "TRUSTED_PROXIES=127.0.0.1,10.0.0.0/8"),
    ({"TRUSTED_PROXIES": "0.0.0.0/0"}, "TRUSTED_PROXIES: '0.0.0.0/0' would trust everybody", "TRUSTED_PROXIES=1"),
    ({"TRUSTED_PROXIES": "0"}, "TRUSTED_PROXIES: '0'", "TRUSTED_PROXIES=1"),
]


@pytest.mark.parametrize(("differing", "said", "example"), WRONG)
def test_production_refuses_with_one_line_that_says_what_to_set(
    differing: dict[str, str], said: str, example: str
) -> None:
    (problem,) = startup_checks.production_problems({**COMPLETE, **differing})

    assert problem.startswith(said)
    assert example in problem
    assert "\n" not in problem
    assert "hidden" not in problem, "no secret is repeated"


def test_a_complete_environment_is_not_refused() -> None:
    assert not list(startup_checks.production_problems(COMPLETE))
    rich = {"SITE_URL": "https://www.rally.example/", "DEFAULT_FROM_EMAIL": "Rally <r@rally.example>"}
    rich |= {"SECRET_KEY_FALLBACKS": f"{KEY}2,{KEY}3", "TRUSTED_PROXIES": "10.0.0.0/8, ::1, unix", "EMAIL_PORT": "587"}
    assert not list(startup_checks.production_problems({**COMPLETE, **rich}))
    for hosts in ("*", ".rally.example", "[2001:db8::1]"):
        site = "https://[2001:db8::1]" if hosts[0] == "[" else "https://www.rally.example"
        assert not list(startup_checks.production_problems({**COMPLETE, "ALLOWED_HOSTS": hosts, "SITE_URL": site}))


@pytest.mark.parametrize("name", environment.FLAGS)
def test_yes_and_no_are_read_in_every_usual_form(name: str) -> None:
    for text in ("true", "True", "yes", "on", "1", " YES "):
        assert environment.flag({name: text}, name) is True, text
    for text in ("false", "no", "Off", "0"):
        assert environment.flag({name: text}, name) is False, text
    for empty in ({}, {name: ""}, {name: " "}):
        assert environment.flag(empty, name) is environment.FLAGS[name]


@pytest.mark.parametrize(
    ("given", "encryption"),
    [
        ({}, (False, False)),
        ({"EMAIL_USE_TLS": "true"}, (True, False)),
        ({"EMAIL_PORT": "587", "EMAIL_USE_TLS": "yes"}, (True, False)),
        ({"EMAIL_PORT": "465"}, (False, True)),
        ({"EMAIL_PORT": "465", "EMAIL_USE_SSL": "on"}, (False, True)),
        ({"EMAIL_PORT": "465", "EMAIL_USE_TLS": "no"}, (False, True)),
        ({"EMAIL_PORT": "2465", "EMAIL_USE_SSL": "1"}, (False, True)),
    ],
)
def test_mail_is_encrypted_as_the_settings_say(given: dict[str, str], encryption: tuple[bool, bool]) -> None:
    assert environment.mail_encryption(given) == encryption
    assert not list(startup_checks.production_problems({**COMPLETE, **given}))


def test_a_mail_password_in_clear_is_warned_of() -> None:
    clear = {**COMPLETE, "EMAIL_HOST": "mail.example", "EMAIL_HOST_PASSWORD": "hidden"}
    (warning,) = environment.warnings(clear)
    assert warning.startswith("EMAIL_HOST_PASSWORD is sent to mail.example in clear")
    assert "hidden" not in warning
    for safe in ({"EMAIL_USE_TLS": "yes"}, {"EMAIL_PORT": "465"}, {"EMAIL_HOST": "localhost"}):
        assert not list(environment.warnings({**clear, **safe})), safe


@pytest.mark.slow
def test_the_warning_is_one_line_and_the_service_starts() -> None:
    said = [sys.executable, "manage.py", "diffsettings"]
    result = start(said, {**COMPLETE, "EMAIL_HOST": "mail.example", "EMAIL_HOST_PASSWORD": "hidden"})
    assert result.returncode == 0
    (line,) = result.stderr.splitlines()
    assert line.startswith("Parc Fermé warns: EMAIL_HOST_PASSWORD is sent to mail.example in clear")


@pytest.mark.slow
def test_the_settings_take_the_encryption_of_mail_and_what_browsers_keep() -> None:
    names = ("EMAIL_USE_TLS", "EMAIL_USE_SSL", "SECURE_HSTS_INCLUDE_SUBDOMAINS", "SECURE_HSTS_PRELOAD")
    show = f"from django.conf import settings; print(*(getattr(settings, name) for name in {names}))"
    said = [sys.executable, "-c", show]
    assert start(said, COMPLETE).stdout.split() == ["False", "False", "False", "False"]
    chosen = {"EMAIL_PORT": "465", "HSTS_INCLUDE_SUBDOMAINS": "yes", "HSTS_PRELOAD": "on"}
    assert start(said, {**COMPLETE, **chosen}).stdout.split() == ["False", "True", "True", "True"]
    assert start(said, {**COMPLETE, "EMAIL_USE_TLS": "true"}).stdout.split() == ["True", "False", "False", "False"]


DOORS = [
    (MANAGE, "DATABASE_URL"),
    (MANAGE, "SECRET_KEY"),
    (GUNICORN, "DATABASE_URL"),
    (GUNICORN, "CELERY_BROKER_URL"),
    (WORKER, "ALLOWED_HOSTS"),
    (BEAT, "DATABASE_URL"),
    (OWN_SCRIPT, "SECRET_KEY"),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "name"), DOORS, ids=lambda door: door if isinstance(door, str) else " ".join(door[1:])
)
def test_every_door_refuses_with_one_line_and_no_traceback(command: list[str], name: str) -> None:
    result = start(command, {**COMPLETE, name: ""})

    assert result.returncode == startup_checks.REFUSED
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"Parc Fermé does not start: {name} is not set.")


def test_all_wrong_settings_are_reported_at_once() -> None:
    result = start(MANAGE, {"DJANGO_SETTINGS_MODULE": "championship.settings.production"})

    assert [line.split()[5] for line in result.stderr.splitlines()] == [
        *("DATABASE_URL", "CELERY_BROKER_URL", "SECRET_KEY", "ALLOWED_HOSTS")
    ]


@pytest.mark.slow
@pytest.mark.parametrize("command", [GUNICORN, WORKER, BEAT], ids=lambda each: each[2][:8])
def test_without_a_word_on_settings_servers_take_productions(command: list[str]) -> None:
    result = start(command, {"SECRET_KEY": KEY})

    assert result.returncode == startup_checks.REFUSED
    assert "DATABASE_URL is not set." in result.stderr


FELL_BACK = [
    ({"DATABASE_URL": REAL}, "DATABASE_URL is"),
    ({"SECRET_KEY": KEY}, "SECRET_KEY is"),
    ({"ALLOWED_HOSTS": "rally.example"}, "ALLOWED_HOSTS is"),
    ({"CELERY_BROKER_URL": "redis://localhost/0", "ALLOWED_HOSTS": "x"}, "CELERY_BROKER_URL and ALLOWED_HOSTS are"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("environment", "named"), FELL_BACK)
def test_the_command_line_does_not_fall_back_to_the_demo_in_production(environment: dict[str, str], named: str) -> None:
    result = start([sys.executable, "manage.py", "migrate"], environment)

    assert result.returncode == startup_checks.REFUSED
    (line,) = result.stderr.splitlines()
    assert f"DJANGO_SETTINGS_MODULE is not set, but {named}" in line
    assert "DJANGO_SETTINGS_MODULE=championship.settings.production" in line


@pytest.mark.slow
@pytest.mark.parametrize("command", [MANAGE, GUNICORN, WORKER], ids=lambda each: each[2][:8])
def test_the_demo_refuses_a_database_that_is_not_its_own(command: list[str]) -> None:
    result = start(command, {**DEMO, "DATABASE_URL": REAL})

    assert result.returncode == startup_checks.REFUSED
    (line,) = result.stderr.splitlines()
    assert "DATABASE_URL names a database, but the settings are the demo's" in line
    assert "hidden" not in line


def test_the_demo_takes_its_own_databases() -> None:
    own = "postgresql://postgres@/parc_ferme?host=/some/where"
    assert not list(startup_checks.demo_problems({"DATABASE_URL": own, "PARC_FERME_EMBEDDED_URL": own}))
    assert not list(startup_checks.demo_problems({"DATABASE_URL": "postgresql://postgres@127.0.0.1/parc_ferme_demo"}))
    assert not list(startup_checks.demo_problems({}))
    assert list(startup_checks.demo_problems({"DATABASE_URL": REAL, "PARC_FERME_EMBEDDED_URL": own}))


@pytest.mark.slow
def test_old_secret_keys_still_verify_their_signatures() -> None:
    said = [sys.executable, "-c", "from django.core.signing import Signer;"]  # needs the settings, not the apps
    sign = [*said[:2], said[2] + "print(Signer().sign('ana'))"]
    signed = start(sign, {**COMPLETE, "SECRET_KEY": f"{KEY} of before"}).stdout.strip()
    unsign = [*said[:2], said[2] + f"print(Signer().unsign({signed!r}))"]

    assert start(unsign, {**COMPLETE, "SECRET_KEY_FALLBACKS": f"{KEY} of before"}).stdout.strip() == "ana"
    assert start(unsign, COMPLETE).returncode != 0


@pytest.mark.django_db
def test_pages_carry_the_headers_that_keep_browsers_safe(client: Client) -> None:
    headers = client.get("/").headers

    policy = headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"

"""Safe by default: production refuses to start half-configured, and every page carries its headers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client

ROOT = Path(__file__).resolve().parent.parent.parent
COMPLETE = {
    "DJANGO_SETTINGS_MODULE": "championship.settings.production",
    "DATABASE_URL": "postgresql://nobody@localhost/nothing",
    "SECRET_KEY": "a key of the test that is long enough, with 50 characters or more: 0123456789",
    "ALLOWED_HOSTS": "rally.example, www.rally.example",
}


def check(environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_production_passes_the_deployment_check() -> None:
    result = check(COMPLETE)

    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("name", ["SECRET_KEY", "ALLOWED_HOSTS"])
def test_production_does_not_start_without(name: str) -> None:
    result = check({key: value for key, value in COMPLETE.items() if key != name})

    assert result.returncode != 0
    assert f"Set the environment variable {name}." in result.stderr


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

"""The release is written once, and shown wherever somebody asks which release runs."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from django.test import Client

from championship.platform.version import __version__

ROOT = Path(__file__).parents[2]
NAME = f"Parc Fermé {__version__}"
DEMO = "championship.settings.demo"


def test_the_package_has_the_version_of_the_service() -> None:
    assert tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"] == __version__


def test_the_changelog_has_a_section_for_it() -> None:
    assert f"\n## {__version__}\n" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_probes_name_it(db: None) -> None:
    assert Client().get("/healthz").content.decode() == f"ok\n{NAME}\n"
    assert f'\nparc_ferme_build_info{{version="{__version__}"}} 1\n' in Client().get("/metrics").content.decode()


@pytest.mark.parametrize("language", ["en", "de", "pl"])
def test_the_footer_of_a_page_names_it(db: None, language: str) -> None:
    assert f"<strong>{NAME}</strong>" in Client(headers={"accept-language": language}).get("/").content.decode()


def test_the_command_line_names_it() -> None:
    result = subprocess.run([sys.executable, "manage.py", "version"], cwd=ROOT, capture_output=True, check=True)
    assert result.stdout.decode() == f"{NAME}\n"


FIRST_LINES = {
    "web": "import championship.wsgi",
    "worker": """
sys.argv = sys.orig_argv = ["celery", "worker"]
from championship.celery import app
app.Worker(loglevel="WARNING").setup_logging()
""",
    "beat": """
sys.argv = sys.orig_argv = ["celery", "beat"]
from championship.celery import app
app.Beat(loglevel="WARNING").setup_logging()
""",
}


@pytest.mark.parametrize("process", FIRST_LINES)
def test_the_first_line_that_a_process_logs_names_it(process: str, tmp_path: Path) -> None:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": DEMO, "PARC_FERME_VAR": str(tmp_path)}
    # Nothing connects to this database: its name alone lets the demo's settings start.
    environment["DATABASE_URL"] = "postgresql://nobody@localhost/nothing_demo"
    script = f"import sys\n{FIRST_LINES[process]}"
    result = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, timeout=240, check=False
    )
    logged = [line for line in result.stderr.decode().splitlines() if " INFO " in line or " WARNING " in line]
    assert result.returncode == 0, result.stderr.decode()
    assert logged and logged[0].endswith(f"{NAME}: {process}")

"""Every process imports what it starts with: what only some requests need stays out of all the others' memory."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
HEAVY = ("requests", "pygments", "PIL", "fpdf", "drf_spectacular", "aiohttp")
SHOW = f"import sys, championship.wsgi; print([name for name in {HEAVY!r} if name in sys.modules])"


def test_a_process_starts_without_what_only_some_requests_need() -> None:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "championship.settings.test"}
    ran = subprocess.run(
        [sys.executable, "-c", SHOW], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert ran.stdout.splitlines()[-1] == "[]"

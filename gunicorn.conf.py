"""Settings that gunicorn reads when it is started in this folder. Its command line overrides them."""

import gc
import os
from pathlib import Path

from championship.platform import startup_checks
from championship.platform.embedded import VAR_DIR

# Checked here, before any worker starts, so that a problem is printed once and not by every worker.
startup_checks.by_default(startup_checks.PRODUCTION)
startup_checks.check(os.environ)

# The default is in the home folder. A service's user may have none, and two services would share the socket.
control_socket = str(VAR_DIR / "gunicorn.ctl")

# The master loads the service once. The workers share its memory pages until something writes to them, so the objects
# are frozen for the garbage collector (when_ready). Each worker opens its own connections.
preload_app = True

# Threads, because each request waits for the database most of its time; few, because each has a connection to it. A
# client that is slow holds none of them (championship/platform/web/worker.py).
worker_class = "championship.platform.web.worker.Worker"


def when_ready(server: object) -> None:
    """Load what every worker would load with its first pages, before the first worker starts, so that they share it."""
    from django.conf import settings
    from django.template.loader import get_template
    from django.urls import get_resolver
    from django.utils.translation import trans_real

    del server
    for language, _name in settings.LANGUAGES:
        trans_real.translation(language)
    len(get_resolver().reverse_dict)
    ours = Path(settings.BASE_DIR)
    for folder in (ours / "templates", *ours.glob("championship/games/*/templates")):
        for page in folder.rglob("*.html"):
            get_template(str(page.relative_to(folder)))
    gc.collect()
    gc.freeze()
    # A page creates some ten thousand objects and drops them all. With the default thresholds the collector would run
    # several times a page and find nothing.
    gc.set_threshold(50_000, 50, 50)


if os.environ.get("LOG_FORMAT") == "json":
    # gunicorn escapes quotation marks in what a client sends.
    access_log_format = (
        '{"at": "%(t)s", "logger": "gunicorn.access", "client": "%(h)s", "request": "%(r)s", "status": "%(s)s", '
        '"bytes": "%(B)s", "seconds": "%(L)s", "request_id": "%({x-request-id}o)s"}'
    )

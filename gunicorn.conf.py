"""What gunicorn reads by itself when it is started in this folder; its command line goes before."""

import gc
import os
from pathlib import Path

from championship import startup_checks
from championship.embedded import VAR_DIR

# Asked here, before any worker is made: one line, not one from every worker.
startup_checks.by_default(startup_checks.PRODUCTION)
startup_checks.check(os.environ)

# By default it lies in the home folder, which a service's user may not have, and two services would share it.
control_socket = str(VAR_DIR / "gunicorn.ctl")

# The master loads the service once. What it has loaded is shared by its workers for as long as nothing writes to it; so
# the garbage collector leaves it alone. Connections are made by each worker for itself.
preload_app = True


def when_ready(server: object) -> None:
    """Before the first worker is made: what each would load with its first pages is loaded once, and shared."""
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
    # A page makes some ten thousand objects and drops them all: who looks through them several times a page finds none.
    gc.set_threshold(50_000, 50, 50)


if os.environ.get("LOG_FORMAT") == "json":
    # gunicorn escapes quotation marks in what a client sends.
    access_log_format = (
        '{"at": "%(t)s", "logger": "gunicorn.access", "client": "%(h)s", "request": "%(r)s", "status": "%(s)s", '
        '"bytes": "%(B)s", "seconds": "%(L)s", "request_id": "%({x-request-id}o)s"}'
    )

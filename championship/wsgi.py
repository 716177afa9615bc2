"""The entry point for a WSGI server: `gunicorn championship.wsgi`."""

import os

from championship.platform import database_timeouts, embedded, startup_checks

startup_checks.by_default(startup_checks.PRODUCTION)
startup_checks.check(os.environ)
embedded.ensure_running()
database_timeouts.process = database_timeouts.WEB

from django.core.wsgi import get_wsgi_application  # noqa: E402

from championship.platform.logs import log_version  # noqa: E402

application = get_wsgi_application()
log_version("web")

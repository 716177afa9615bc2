"""The door for a WSGI server: `gunicorn championship.wsgi`."""

import os

from django.core.wsgi import get_wsgi_application

from championship import embedded

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "championship.settings.production")
embedded.ensure_running()

application = get_wsgi_application()

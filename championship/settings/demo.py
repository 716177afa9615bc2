"""Settings of `make demo`: one machine, one command, nothing to configure."""

import os

from championship.platform.startup_checks import DEMO_KEY
from championship.settings.base import *  # noqa: F403
from championship.settings.base import INSTALLED_APPS, every

DEMO = True
# Public on purpose: a demo serves only its own machine and protects nothing.
SECRET_KEY = os.environ.get("SECRET_KEY", DEMO_KEY)
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
INSTALLED_APPS = [*INSTALLED_APPS, "championship.demo"]

STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
WEBHOOK_ALLOWED_ADDRESSES = os.environ.get("WEBHOOK_ALLOWED_ADDRESSES", "").split()  # "127.0.0.1:8900", to try webhooks
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = True
CELERY_BEAT_SCHEDULE = every(10)  # seconds, so that the codrivers answer while somebody watches

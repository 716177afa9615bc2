"""Settings for a real address, behind a proxy that ends TLS. All secrets come from the environment."""

import os
from email.utils import parseaddr
from urllib.parse import urlsplit

from championship.platform import environment, startup_checks

startup_checks.refuse_any(startup_checks.production_problems(os.environ))

from championship.settings.base import *  # noqa: E402, F403

SECRET_KEY = os.environ["SECRET_KEY"].strip()
SECRET_KEY_FALLBACKS = startup_checks.listed(os.environ, "SECRET_KEY_FALLBACKS")  # earlier keys, newest first
ALLOWED_HOSTS = startup_checks.listed(os.environ, "ALLOWED_HOSTS")
SITE_URL = (os.environ.get("SITE_URL", "").strip() or f"https://{ALLOWED_HOSTS[0]}").rstrip("/")
DEFAULT_FROM_EMAIL = (
    os.environ.get("DEFAULT_FROM_EMAIL", "").strip() or f"Parc Fermé <parc-ferme@{urlsplit(SITE_URL).hostname}>"
)
PUSH_CONTACT = os.environ.get("PUSH_CONTACT") or f"mailto:{parseaddr(DEFAULT_FROM_EMAIL)[1]}"
CSRF_TRUSTED_ORIGINS = [f"https://{host.lstrip('.')}" for host in ALLOWED_HOSTS if host != "*"]

SECURE_SSL_REDIRECT = True
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")  # only from trusted proxies: client_address.py
SECURE_HSTS_SECONDS = 60 * 60 * 24 * 365
# Both bind every other site of the domain to TLS, and cannot be taken back for a year.
SECURE_HSTS_INCLUDE_SUBDOMAINS = environment.flag(os.environ, "HSTS_INCLUDE_SUBDOMAINS")
SECURE_HSTS_PRELOAD = environment.flag(os.environ, "HSTS_PRELOAD")
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]  # they ask for the two lines above
SESSION_COOKIE_SECURE = True
SESSION_COOKIE_NAME = "__Host-sessionid"
CSRF_COOKIE_SECURE = True
CSRF_COOKIE_NAME = "__Host-csrftoken"
LANGUAGE_COOKIE_SECURE = True

STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

EMAIL_HOST = os.environ.get("EMAIL_HOST", "localhost")
EMAIL_PORT = environment.mail_port(os.environ)
EMAIL_HOST_USER = os.environ.get("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = os.environ.get("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS, EMAIL_USE_SSL = environment.mail_encryption(os.environ)

if sentry_dsn := os.environ.get("SENTRY_DSN", "").strip():
    from championship.platform.logs import report_errors_to

    report_errors_to(sentry_dsn)

"""For the tests: like the demo, but with plain static files and a server and tasks of their own."""

from championship.platform import broker, embedded

# Before the base settings read DATABASE_URL: pytest reads settings earlier than any conftest.
embedded.ensure_running(embedded.VAR_DIR / "postgres-test", durable=False)

from championship.platform.startup_checks import TESTS_KEY  # noqa: E402
from championship.settings.base import *  # noqa: E402, F403
from championship.settings.base import CELERY_BROKER_URL, INSTALLED_APPS, every  # noqa: E402

DEMO = True
SECRET_KEY = TESTS_KEY
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "testserver"]
INSTALLED_APPS = [*INSTALLED_APPS, "championship.demo"]

STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = True
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
ANONYMOUS_POSTS_A_MINUTE = 100_000  # all tests of a process share one count
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}

# Tasks run when they are sent, after the commit that sent them; a few tests send them to real workers.
CELERY_TASK_ALWAYS_EAGER = True
CELERY_TASK_EAGER_PROPAGATES = True
CELERY_BEAT_SCHEDULE = every(60)
if CELERY_BROKER_URL.startswith("folder:"):
    CELERY_BROKER_TRANSPORT_OPTIONS = broker.options(embedded.VAR_DIR / "broker-test")
WHITENOISE_AUTOREFRESH = True  # files come from static/ itself, nothing is collected
STATIC_ROOT = embedded.VAR_DIR

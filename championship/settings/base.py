"""What holds everywhere. Only the environment is read here; no server is started (see embedded.py)."""

import os
from pathlib import Path

import dj_database_url
from csp.constants import NONE, SELF
from django.utils.translation import gettext_lazy as _
from kombu import Queue

from championship import broker
from championship.embedded import VAR_DIR

BASE_DIR = Path(__file__).resolve().parent.parent.parent

SECRET_KEY = os.environ.get("SECRET_KEY", "")
DEBUG = False
DEMO = False
ALLOWED_HOSTS: list[str] = []

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "csp",
    "django_htmx",
    "rest_framework",
    "championship",
    "championship.accounts",
    "championship.audit",
    "championship.notices",
    "championship.clubs",
    "championship.stages",
    "championship.rallies",
    "championship.runs",
    "championship.seasons",
    "championship.stewards",
    "championship.archive",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",  # pages and maps; it pads answers at random, against guessing secrets
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "championship.accounts.middleware.ReaderMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "championship.refusals.RefusalMiddleware",
]

ROOT_URLCONF = "championship.urls"
WSGI_APPLICATION = "championship.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.template.context_processors.tz",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "championship.context.site",
            ],
        },
    },
]

# Database and cache. The cache holds what throttles count, so it is shared by all web processes.
DATABASES = {
    "default": dj_database_url.parse(
        os.environ.get("DATABASE_URL", "postgresql:///parc_ferme"),
        conn_max_age=60,
        conn_health_checks=True,
    )
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "cache",
    }
}

# People
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_ADAPTER = "championship.accounts.adapter.AccountAdapter"
ACCOUNT_FORMS = {
    "login": "championship.accounts.entrance.LoginForm",
    "signup": "championship.accounts.entrance.SignupForm",
    "add_email": "championship.accounts.entrance.AddEmailForm",
    "confirm_login_code": "championship.accounts.entrance.ConfirmLoginCodeForm",
    "confirm_email_verification_code": "championship.accounts.entrance.ConfirmAddressCodeForm",
}
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
ACCOUNT_LOGIN_BY_CODE_ENABLED = True
ACCOUNT_LOGIN_BY_CODE_MAX_ATTEMPTS = 3
ACCOUNT_LOGIN_BY_CODE_TIMEOUT = 600
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
# Allauth's own limits, made a little tighter where a code could be guessed or a mailbox flooded.
ACCOUNT_RATE_LIMITS = {
    "login": "30/m/ip",
    "login_failed": "10/m/ip,5/5m/key",
    "request_login_code": "20/m/ip,3/m/key",
    "signup": "10/m/ip",
    "confirm_email": "1/m/key",
}
MFA_ADAPTER = "championship.accounts.passkeys.PasskeyAdapter"
MFA_FORMS = {
    "add_webauthn": "championship.accounts.passkeys.AddPasskeyForm",
    "login_webauthn": "championship.accounts.passkeys.LoginPasskeyForm",
}
MFA_SUPPORTED_TYPES = ["webauthn"]
MFA_PASSKEY_LOGIN_ENABLED = True
SESSION_COOKIE_AGE = 60 * 60 * 24 * 30
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

# What a browser may do with our pages: nothing but our own files, no inline script or style.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024  # bytes; the largest form is a stage design

# Languages and times
LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("pl", _("Polish")), ("de", _("German"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = "championship.formats"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# Files
STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]

# Notices: every message is a row first (championship/notices). VAPID_PRIVATE_KEY: PEM, or base 64; without it one is
# made and kept in the database. MAIL_SERVER_DROPS_COPIES: whether a letter may be sent again when nobody knows if the
# mail server took it. WEBHOOK_ALLOWED_ADDRESSES: "127.0.0.1:8900" that may be posted to though they are not public.
EMAIL_BACKEND = "championship.notices.smtp.Backend"
EMAIL_TIMEOUT = 20  # seconds
DEFAULT_FROM_EMAIL = os.environ.get("DEFAULT_FROM_EMAIL", "Parc Fermé <parc-ferme@localhost>")
SITE_URL = os.environ.get("SITE_URL", "http://localhost:8000")  # for links in mail

MAIL_SERVER_DROPS_COPIES = os.environ.get("MAIL_SERVER_DROPS_COPIES", "") == "1"
VAPID_PRIVATE_KEY = os.environ.get("VAPID_PRIVATE_KEY", "")
PUSH_CONTACT = os.environ.get("PUSH_CONTACT") or f"mailto:{DEFAULT_FROM_EMAIL.rpartition('<')[2].rstrip('>')}"
WEBHOOK_ALLOWED_ADDRESSES: list[str] = []
WEBHOOK_CA_FILE = os.environ.get("WEBHOOK_CA_FILE", "")  # for certificates of an authority of one's own

REST_FRAMEWORK = {
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.SessionAuthentication"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_THROTTLE_CLASSES": ["rest_framework.throttling.UserRateThrottle"],
    "DEFAULT_THROTTLE_RATES": {"user": "120/min"},
}

# Clockwork. A task may run twice or never: each finds its work in the database and claims it by row lock,
# and beat asks again every minute. So no result is kept, no ETA used, and a lost worker loses nothing.
CELERY_BROKER_URL = os.environ.get("CELERY_BROKER_URL") or "folder://localhost"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_TIMEOUT = 3  # seconds; a page does not wait longer for a broker that is gone
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0, "interval_step": 0.2}
if CELERY_BROKER_URL.startswith("folder:"):
    CELERY_BROKER_TRANSPORT_OPTIONS = broker.options(VAR_DIR / "broker")
elif CELERY_BROKER_URL.startswith(("redis:", "rediss:")):
    # A message whose worker was lost is given to another after this time; tasks end long before.
    CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 600, "socket_connect_timeout": 3}
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_TIME_LIMIT = 120  # seconds
CELERY_TASK_SOFT_TIME_LIMIT = 90
# A worker started with --queues takes only from these; without, from all. Deadlines do not wait behind mail, mail not
# behind posts to addresses that people have typed, and nothing behind stages that are driven at random to rate them.
CELERY_TASK_QUEUES = tuple(Queue(name, routing_key=name) for name in ("clock", "mail", "posts", "simulation"))
CELERY_TASK_DEFAULT_QUEUE = "clock"
CELERY_TASK_ROUTES = {
    "championship.notices.tasks.deliver": {"queue": "mail"},
    "championship.notices.tasks.deliver_pushes": {"queue": "posts"},
    "championship.notices.tasks.deliver_posts": {"queue": "posts"},
    "championship.stages.tasks.*": {"queue": "simulation"},
    "championship.archive.tasks.*": {"queue": "simulation"},
}
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_RESULT_SERIALIZER = "json"
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"
CELERY_ENABLE_UTC = True
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "beat-schedule")


def every(seconds: int) -> dict[str, dict[str, object]]:
    """The beat schedule: each sweep once in so many seconds, forgotten when nobody takes it in that time."""
    sweeps = (
        "championship.runs.tasks.sweep_deadlines",
        "championship.rallies.tasks.close_overdue_time_controls",
        "championship.notices.tasks.deliver",
        "championship.notices.tasks.deliver_pushes",
        "championship.notices.tasks.deliver_posts",
        "championship.stages.tasks.rate_forgotten",
        "championship.archive.tasks.look_after_archives",
    )
    return {task: {"task": task, "schedule": seconds, "options": {"expires": seconds}} for task in sweeps}


CELERY_BEAT_SCHEDULE = every(60)

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "INFO"},
}

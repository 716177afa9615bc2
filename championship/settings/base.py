"""Settings for every environment. They only read environment variables and start no server (see embedded.py)."""

import os
from importlib import import_module
from math import inf
from pathlib import Path

import dj_database_url
from celery.schedules import crontab
from csp.constants import NONE, SELF
from django.utils.translation import gettext_lazy as _
from kombu.entity import Queue

from championship.platform import broker, cache, environment
from championship.platform.embedded import VAR_DIR
from championship.platform.web import client_address

BASE_DIR = Path(__file__).resolve().parent.parent.parent


def _flag(name: str) -> bool:
    return environment.flag(os.environ, name)


def _number(name: str) -> float:
    return environment.number(os.environ, name)


SECRET_KEY = os.environ.get("SECRET_KEY", "")
DEBUG = False
DEMO = False
ALLOWED_HOSTS: list[str] = []
TRUSTED_PROXIES = os.environ.get("TRUSTED_PROXIES", "")  # whose X-Forwarded-For is believed: client_address.py

INSTALLED_APPS = [
    "django.contrib.admin.apps.SimpleAdminConfig",  # urls.py looks for the pages: workers have none
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
    "championship.platform",
    "championship.lineage",
    "championship.failures",
    "championship.accounts",
    "championship.audit",
    "championship.legal",
    "championship.notices",
    "championship.clubs",
    "championship.deadlines",
    "championship.stages",
    "championship.rallies",
    "championship.papers",
    "championship.runs",
    "championship.evenings",
    "championship.openstage",
    "championship.tabletop",
    "championship.puzzles",
    "championship.films",
    "championship.seasons",
    "championship.profiles",
    "championship.stewards",
    "championship.moments",
    "championship.lists",
    "championship.archive",
    "championship.api",
    "championship.health",
]

# The games of the folder `games`. Pages list them by the `PLACE` in each package, and the weekly open stage takes them
# in turn; a game without a place comes after those. GAME_APPS adds games from anywhere.
GAME_APPS = [f"championship.games.{app.parent.name}" for app in (BASE_DIR / "championship" / "games").glob("*/apps.py")]
GAME_APPS.sort(key=lambda name: (getattr(import_module(name), "PLACE", inf), name))
GAME_APPS += [name.strip() for name in os.environ.get("GAME_APPS", "").split(",") if name.strip()]
INSTALLED_APPS += GAME_APPS

MIDDLEWARE = [
    "championship.health.probes.HealthMiddleware",  # before redirects and host checks; it calls client_address itself
    "championship.platform.web.client_address.ClientAddressMiddleware",  # all later ones see the client, not a proxy
    "championship.platform.tracing.RequestIdMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "championship.health.request_counters.CountingMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "championship.platform.web.headers.HeadersMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "championship.platform.web.live_streams.CompressionMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "championship.platform.web.large_posts.LargePostsMiddleware",  # before the check of the token reads the form
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "championship.accounts.middleware.SignInMiddleware",
    "championship.accounts.middleware.AnonymousPostsMiddleware",
    "championship.accounts.middleware.GuestMiddleware",  # before ReaderMiddleware, which may load the user
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "championship.accounts.middleware.ReaderMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "championship.platform.refusals.RefusalMiddleware",
    "championship.platform.database_timeouts.WaitMiddleware",
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
                "championship.home_views.site",
            ],
            # These replace Django's own tags, because pages have a hundred of them. No page of ours loads `i18n`.
            "builtins": ["championship.platform.templatetags.fast_tags"],
        },
    },
]

# Database and cache. The cache holds the counts of throttles, so all web processes share it.
DATABASE_URL = os.environ.get("DATABASE_URL", "postgresql:///parc_ferme")
DATABASES = {
    "default": dj_database_url.parse(
        DATABASE_URL, engine="championship.platform.postgresql", conn_max_age=60, conn_health_checks=True
    )
}
# TCP notices within half a minute that a machine has vanished, also in commands. The address may set other values.
KEEPALIVES = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}  # seconds, seconds, times
DATABASES["default"]["OPTIONS"] = {
    **KEEPALIVES,
    "tcp_user_timeout": 20_000,  # milliseconds
    **DATABASES["default"].get("OPTIONS", {}),
}
# A pooler may give each transaction another session, so session settings do not last from one to the next.
DATABASE_SESSIONS_ARE_SHARED = os.environ.get("DATABASE_POOLING", "").strip() == "transaction"
if DATABASE_SESSIONS_ARE_SHARED:
    DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"] = True
    DATABASES["default"]["OPTIONS"]["prepare_threshold"] = None
# How long each kind of process waits for the database (database_timeouts.py): for a connection, for a row that another
# transaction holds, for one statement, and idle within a transaction. Seconds; 0 means no limit. Where web processes
# share sessions, the pooler sets the limits of all sessions (connect_query in deploy/pgbouncer.ini).
DATABASE_WAITS = {
    "web": {
        "connect": _number("WEB_CONNECT_SECONDS"),
        "lock": _number("WEB_LOCK_SECONDS"),
        "statement": _number("WEB_STATEMENT_SECONDS"),
        "idle": _number("WEB_IDLE_SECONDS"),
    },
    "worker": {
        "connect": _number("WORKER_CONNECT_SECONDS"),
        "lock": _number("WORKER_LOCK_SECONDS"),
        "statement": _number("WORKER_STATEMENT_SECONDS"),
        "idle": _number("WORKER_IDLE_SECONDS"),
    },
    "command": {"connect": 0, "lock": _number("COMMAND_LOCK_SECONDS"), "statement": 0, "idle": 0},
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES: dict[str, dict[str, object]] = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "cache",
        "OPTIONS": {"MAX_ENTRIES": 20_000},  # expired rows are deleted at night; a full table drops throttle counts
    }
}
if CACHE_URL := os.environ.get(
    "CACHE_URL", ""
).strip():  # redis://: throttles count there, and the database has less to do
    CACHES = {
        "default": cache.settings_of(CACHE_URL, seconds=_number("CACHE_SECONDS")),
        cache.FALLBACK: CACHES["default"],
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
    "login": "championship.accounts.sign_in_views.LoginForm",
    "signup": "championship.accounts.sign_in_views.SignupForm",
    "add_email": "championship.accounts.sign_in_views.AddEmailForm",
    "confirm_login_code": "championship.accounts.sign_in_views.ConfirmLoginCodeForm",
    "confirm_email_verification_code": "championship.accounts.sign_in_views.ConfirmAddressCodeForm",
}
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_TIMEOUT = 900  # seconds
ACCOUNT_LOGIN_BY_CODE_ENABLED = True
ACCOUNT_LOGIN_BY_CODE_MAX_ATTEMPTS = 3
ACCOUNT_LOGIN_BY_CODE_TIMEOUT = 600
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_EMAIL_NOTIFICATIONS = True  # a letter when the address changes, or a passkey is added or removed
ANONYMOUS_POSTS_A_MINUTE = int(_number("ANONYMOUS_POSTS_A_MINUTE"))  # from one network (accounts/middleware.py)
GUESTS_AT_ONCE = int(_number("GUESTS_AT_ONCE"))  # strangers who drive without an account (accounts/guests.py); 0: none
# The limits for signing in; docs/signing-in.md tells operators the same. `key` is a mail address (a person for
# `login_failed`), `ip` the client's own address (platform/client_address.py). The limits by `ip` are generous: sixty
# people at a club night may sign up over one connection within minutes. The limits by `key` are tight, so that nobody's
# mailbox is flooded and no code is guessed. The rates by `key` come first: a request that they refuse does not count
# against its `ip`.
ACCOUNT_RATE_LIMITS = {
    "login": "120/m/ip,900/h/ip",  # the sign-in form, submitted
    "request_login_code": "3/m/key,10/h/key,120/m/ip,600/h/ip",  # a code to sign in, or to reauthenticate
    "signup": "90/m/ip,400/h/ip",  # the form for a new account, submitted
    "confirm_email": "2/m/key,10/h/key",  # a code to a new address
    "login_failed": "5/5m/key,60/m/ip",  # a passkey to reauthenticate
    "manage_email": "10/m/user,40/h/user",  # the page to change the address
    "reauthenticate": "10/m/user,40/h/user",  # the page to reauthenticate, submitted
}
MFA_RATE_LIMITS = {"webauthn_login": "60/m/ip,600/h/ip"}  # a passkey to sign in
ALLAUTH_RATE_LIMIT_IPV6_PREFIX = client_address.SAME_CLIENT_BITS
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

# What our pages may load in a browser: only our own files, no inline script or style.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "media-src": [SELF],
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
DATA_UPLOAD_MAX_NUMBER_FIELDS = 21_000  # two for each of the 10,000 names that a list may have, and some

# Languages and times
LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("pl", _("Polish")), ("de", _("German"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = "championship.platform.formats"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# Files
STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
# Folders on the disks whose free space is reported. Folders that do not exist belong to other machines.
_FOLDERS = os.environ.get("DISK_FOLDERS") or f"{VAR_DIR},/var/lib/postgresql,/var/backups/parc-ferme"
DISK_FOLDERS = [folder.strip() for folder in _FOLDERS.split(",") if folder.strip()]
STATICFILES_DIRS = [BASE_DIR / "static"]

# Notices: every message is a row first (championship/notices). VAPID_PRIVATE_KEY: PEM, or base 64; without it a key is
# created and stored in the database. MAIL_SERVER_DROPS_COPIES: whether a letter may be sent again when it is unknown
# whether the mail server took it. WEBHOOK_ALLOWED_ADDRESSES: addresses such as "127.0.0.1:8900" that webhooks may post
# to although they are not public.
EMAIL_BACKEND = "championship.notices.smtp.Backend"
EMAIL_TIMEOUT = 20  # seconds
DEFAULT_FROM_EMAIL = os.environ.get("DEFAULT_FROM_EMAIL", "Parc Fermé <parc-ferme@localhost>")
SITE_URL = os.environ.get("SITE_URL", "http://localhost:8000")  # for links in mail

# How long the mail of a turn waits when the turn came while its driver had the page open (runs/play/turn_notices.py).
SEEN_TURN_MAIL_MINUTES = _number("SEEN_TURN_MAIL_MINUTES")
MAIL_SERVER_DROPS_COPIES: bool = _flag("MAIL_SERVER_DROPS_COPIES")
VAPID_PRIVATE_KEY = os.environ.get("VAPID_PRIVATE_KEY", "")
PUSH_CONTACT = os.environ.get("PUSH_CONTACT") or f"mailto:{DEFAULT_FROM_EMAIL.rpartition('<')[2].rstrip('>')}"
WEBHOOK_ALLOWED_ADDRESSES: list[str] = []
WEBHOOK_CA_FILE = os.environ.get("WEBHOOK_CA_FILE", "")  # for certificates of a private authority

# Papers (papers/services.py). PAPER_CELLS_AT_ONCE: a rally with more cars times stages has its papers made by a
# worker, once. PAPERS_A_MINUTE: how many a signed-in person may have made in a minute; an address twice as many.
# PAPER_FONTS: a folder with more TrueType fonts (*.ttf), for names in scripts that the fonts of papers lack.
PAPER_FONTS = os.environ.get("PAPER_FONTS", "")
PAPER_CELLS_AT_ONCE = int(_number("PAPER_CELLS_AT_ONCE"))
PAPERS_A_MINUTE = int(_number("PAPERS_A_MINUTE"))

# The operator of this service, for the pages that the law requires (championship/legal). "|" separates the lines of
# the address.
OPERATOR_NAME = os.environ.get("OPERATOR_NAME", "")
OPERATOR_MAIL = os.environ.get("OPERATOR_MAIL", "")
OPERATOR_ADDRESS = os.environ.get("OPERATOR_ADDRESS", "").replace("|", "\n")

# When data is deleted (retention.py, docs/clockwork.md): days after it was settled, expired or last changed.
RETENTION_DAYS = {
    "sessions": 0,
    "throttles": 0,
    "words of letters": _number("KEEP_WORDS_DAYS"),
    "letters": _number("KEEP_LETTERS_DAYS"),
    "letters about signing in": _number("KEEP_ENTRANCE_LETTERS_DAYS"),
    "kept mail": _number("KEEP_MAILBOX_DAYS"),
    "drafts": _number("KEEP_DRAFTS_DAYS"),
    "lists": _number("KEEP_DRAFTS_DAYS"),
    "papers": _number("KEEP_PAPERS_DAYS"),
    "kept answers": 1,
    "closed accounts": _number("KEEP_CLOSED_ACCOUNTS_DAYS"),
    "reports": _number("KEEP_REPORTS_DAYS"),
    "guests": _number("KEEP_GUESTS_DAYS"),
    "failures": 2,
}

# The API (championship/api): tokens only, no session. API_LIMITS: requests per minute, by token; by network address for
# clients without a token.
REST_FRAMEWORK = {
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_AUTHENTICATION_CLASSES": ["championship.api.authentication.TokenAuthentication"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["championship.api.parsing.PlainJsonParser"],
    "EXCEPTION_HANDLER": "championship.api.problems.answer_to",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
API_LIMITS = {"read": 300, "write": 60, "address": 60}

# Clockwork. A task may run twice or never: it finds its work in the database and claims it with a row lock, and beat
# sends it again every minute. So no result is kept, no ETA used, and a lost worker loses nothing.
CELERY_BROKER_URL = os.environ.get("CELERY_BROKER_URL") or "folder://localhost"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
BROKER_SECONDS = _number("BROKER_SECONDS")  # a page waits at most this long (task_dispatch.py)
CELERY_BROKER_CONNECTION_TIMEOUT = BROKER_SECONDS
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0, "interval_step": 0.2}
CELERY_BROKER_TRANSPORT_OPTIONS = broker.transport_options(
    CELERY_BROKER_URL, folder=VAR_DIR / "broker", seconds=BROKER_SECONDS
)
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_TIME_LIMIT = 120  # seconds
CELERY_TASK_SOFT_TIME_LIMIT = 90
# A worker that is started with --queues takes tasks only from those; without it, from all. So deadlines do not wait for
# mail, mail does not wait for webhooks to addresses that people have typed, and nothing waits for the random drives
# that rate stages.
CELERY_TASK_QUEUES = tuple(Queue(name, routing_key=name) for name in ("clock", "mail", "posts", "simulation"))
CELERY_TASK_DEFAULT_QUEUE = "clock"
CELERY_TASK_ROUTES = {
    "championship.accounts.tasks.*": {"queue": "mail"},
    "championship.platform.tasks.delete_expired": {"queue": "simulation"},
    "championship.notices.tasks.deliver": {"queue": "mail"},
    "championship.notices.tasks.deliver_pushes": {"queue": "posts"},
    "championship.notices.tasks.deliver_posts": {"queue": "posts"},
    "championship.runs.tasks.forecast_stages": {"queue": "simulation"},
    "championship.runs.tasks.keep_missing_ledgers": {"queue": "simulation"},
    "championship.seasons.tasks.*": {"queue": "simulation"},
    "championship.stages.tasks.*": {"queue": "simulation"},
    "championship.papers.tasks.make_*": {"queue": "simulation"},
    "championship.archive.tasks.*": {"queue": "simulation"},
    "championship.lists.tasks.*": {"queue": "simulation"},
    "championship.puzzles.tasks.*": {"queue": "simulation"},
}
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_RESULT_SERIALIZER = "json"
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"
CELERY_ENABLE_UTC = True
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "beat-schedule")


NIGHTLY = {
    "championship.platform.tasks.delete_expired": {
        "task": "championship.platform.tasks.delete_expired",
        "schedule": crontab(hour="3", minute="20"),
        "options": {"expires": 6 * 60 * 60},
    }
}


def every(seconds: int) -> dict[str, dict[str, object]]:
    """The beat schedule: each sweep once every `seconds`, dropped when no worker takes it in that time; and the nightly
    deletion of old data.
    """
    sweeps = (
        "championship.accounts.tasks.send_entrance_letters",
        "championship.deadlines.tasks.sweep",
        "championship.runs.tasks.end_forgotten",
        "championship.runs.tasks.keep_missing_ledgers",
        "championship.runs.tasks.forecast_stages",
        "championship.seasons.tasks.forecast_titles",
        "championship.papers.tasks.make_forgotten_papers",
        "championship.notices.tasks.deliver",
        "championship.notices.tasks.deliver_pushes",
        "championship.notices.tasks.deliver_posts",
        "championship.stages.tasks.rate_forgotten",
        "championship.archive.tasks.look_after_archives",
        "championship.lists.tasks.look_after_lists",
        "championship.puzzles.tasks.look_for_puzzles",
        "championship.health.tasks.look",
    )
    each = {task: {"task": task, "schedule": seconds, "options": {"expires": seconds}} for task in sweeps}
    return {**each, **NIGHTLY}


CELERY_BEAT_SCHEDULE = every(60)
SECOND_CLOCK = "championship.deadlines.second_clock.run"
"""What the background process `seconds` runs."""

# OPEN_STAGE: each week a stage for everybody (championship/openstage); 0 turns it off.
OPEN_STAGE: bool = _flag("OPEN_STAGE")

# LOG_FORMAT: "line" for people, "json" for programs (tracing.py). METRICS_FROM: networks that may read /metrics.
LOG_FORMAT = os.environ.get("LOG_FORMAT", "line")
METRICS_FROM = os.environ.get("METRICS_FROM", "127.0.0.1,::1")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"request": {"()": "championship.platform.tracing.WithRequestId"}},
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
        "json": {"()": "championship.platform.tracing.JsonLines"},
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["request"]}},
    "root": {"handlers": ["console"], "level": "INFO"},
}

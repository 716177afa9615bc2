"""Production, with a header that tells how long a thread has worked on a request, and a bare page beside the others."""

from championship.settings.production import *  # noqa: F403
from championship.settings.production import MIDDLEWARE

MIDDLEWARE = ["tests.load.timing.ServerTiming", *MIDDLEWARE]
ROOT_URLCONF = "tests.load.urls"

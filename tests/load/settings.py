"""Production settings, plus a header with the processor time of each request, and a bare page to compare with."""

from championship.settings.production import *  # noqa: F403
from championship.settings.production import MIDDLEWARE

MIDDLEWARE = ["tests.load.timing.ServerTiming", *MIDDLEWARE]
ROOT_URLCONF = "tests.load.urls"

"""Addresses: each app keeps its own; this only puts them side by side. Runs have pages of their own at a rally's desk,
where rallies take any other word for a button: runs come first.
"""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path

from championship import pages

urlpatterns = [
    path("", pages.home, name="home"),
    path("language/", pages.set_language, name="set_language"),
    path("", include("championship.accounts.urls")),
    path("", include("championship.audit.urls")),
    path("", include("championship.notices.urls")),
    path("", include("championship.clubs.urls")),
    path("", include("championship.stages.urls")),
    path("", include("championship.runs.urls")),
    path("", include("championship.rallies.urls")),
    path("", include("championship.seasons.urls")),
    path("", include("championship.stewards.urls")),
    path("", include("championship.archive.urls")),
    path("account/", include("championship.accounts.entrance_urls")),
    path("admin/", admin.site.urls),
]

if settings.DEMO:
    urlpatterns.append(path("demo/", include("championship.demo.urls")))

"""URL routes. Each app defines its own; this module only combines them. Runs come before rallies: some of their pages
are at a rally's desk, where rallies match any other word as the name of a button.
"""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path

from championship import catalogue, home_views

admin.autodiscover()
urlpatterns = [
    path("", home_views.home, name="home"),
    path("language/", home_views.set_language, name="set_language"),
    path("robots.txt", home_views.robots, name="robots"),
    path("app.webmanifest", home_views.manifest, name="manifest"),
    path("offline/", home_views.offline, name="offline"),
    path("", include("championship.api.urls")),
    path("", include("championship.accounts.urls")),
    path("", include("championship.audit.urls")),
    path("", include("championship.legal.urls")),
    path("", include("championship.notices.urls")),
    path("", include("championship.clubs.urls")),
    path("", include("championship.stages.urls")),
    path("", include("championship.tabletop.urls")),
    path("", include("championship.runs.urls")),
    path("", include("championship.films.urls")),
    path("", include("championship.papers.urls")),
    path("", include("championship.rallies.urls")),
    path("", include("championship.evenings.urls")),
    path("", include("championship.openstage.urls")),
    path("", include("championship.puzzles.urls")),
    path("", include("championship.seasons.urls")),
    path("", include("championship.profiles.urls")),
    path("", include("championship.stewards.urls")),
    path("", include("championship.moments.urls")),
    path("", include("championship.lists.urls")),
    path("", include("championship.archive.urls")),
    path("", include("championship.health.urls")),
    path("account/", include("championship.accounts.sign_in_urls")),
    path("admin/", admin.site.urls),
    *(path(f"{name}/", include(catalogue.get(name).urls)) for name in catalogue.names() if catalogue.get(name).urls),
]

handler429 = "championship.accounts.rate_limit_answers.refused"  # allauth looks for it by this name
handler500 = "championship.platform.database_timeouts.server_error"

if settings.DEMO:
    urlpatterns.append(path("demo/", include("championship.demo.urls")))

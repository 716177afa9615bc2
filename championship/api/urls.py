"""URLs of the API, and of the pages about it."""

from django.urls import include, path, re_path

from championship.api import atom_feed, embeds, schema, token_views
from championship.api.operations import OPERATIONS

app_name = "api"

"""The URLs that the schema describes."""

urlpatterns = [
    path("api/v1/", include(OPERATIONS)),
    path("api/v1/openapi.json", schema.schema, name="schema"),
    re_path(r"^api/v1/(?P<rest>(?s:.*))\Z", schema.UnknownAddress.as_view(), name="nowhere"),
    path("api/", token_views.guide, name="guide"),
    path("api/problems/<slug:kind>/", token_views.problem, name="problem"),
    path("embed/standings/<slug:key>/", embeds.standings, name="embed_standings"),
    path("embed/rallies/<slug:key>/", embeds.rally, name="embed_rally"),
    path("embed/podium/<slug:key>/", embeds.podium, name="embed_podium"),
    path("embed/clubs/<slug:slug>/", embeds.club, name="embed_club"),
    path("feeds/<slug:key>.atom", atom_feed.club, name="atom"),
    path("oembed", embeds.oembed, name="oembed"),
    path("me/programs/", token_views.programs, name="programs"),
    path("me/programs/bot/", token_views.become_bot, name="become_bot"),
    path("me/programs/<int:pk>/revoke/", token_views.revoke, name="revoke"),
]

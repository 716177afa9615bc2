"""URLs of the game's own pages, below the game's name."""

from django.urls import path, re_path

from championship.games.dust import sets_views

app_name = "dust_sets"

urlpatterns = [
    path("clubs/<slug:slug>/sets/", sets_views.all_sets, name="all"),
    path("clubs/<slug:slug>/sets/ours/", sets_views.own_set, name="own"),
    path("clubs/<slug:slug>/sets/ours/cards.toml", sets_views.own_text, name="own_text"),
    re_path(r"^clubs/(?P<slug>[-\w]+)/sets/ours/cards\.(?P<kind>csv|xlsx)$", sets_views.own_table, name="own_table"),
    path("clubs/<slug:slug>/sets/new/", sets_views.bring, name="new"),
    path("clubs/<slug:slug>/sets/<slug:key>/", sets_views.one_set, name="set"),
    path("clubs/<slug:slug>/sets/<slug:key>/change/", sets_views.renew, name="change"),
    path("clubs/<slug:slug>/sets/<slug:key>/remove/", sets_views.remove, name="remove"),
    path("clubs/<slug:slug>/sets/<slug:key>/<int:number>/", sets_views.one_set, name="version"),
    path("clubs/<slug:slug>/sets/<slug:key>/<int:number>/cards.toml", sets_views.text, name="text"),
    re_path(
        r"^clubs/(?P<slug>[-\w]+)/sets/(?P<key>[-\w]+)/(?P<number>[0-9]{1,6})/cards\.(?P<kind>csv|xlsx)$",
        sets_views.table,
        name="table",
    ),
]

"""URLs of a list after its columns, of imports, and of names without an account."""

from django.urls import path
from django.views.generic import RedirectView

from championship.lists.views import names, steps

urlpatterns = [
    path("lists/<slug:key>/people/", steps.who, name="who"),
    path("lists/<slug:key>/look/", steps.look, name="look"),
    path("lists/<slug:key>/done/", steps.done, name="done"),
    path("lists/<slug:key>/undo/", steps.undo, name="undo"),
    path("lists/<slug:key>/away/", steps.throw_away, name="throw_away"),
    path("clubs/<slug:slug>/lists/", steps.imports, name="imports"),
    path("clubs/<slug:slug>/names/", names.names, name="names"),
    path("clubs/<slug:slug>/names/<int:pk>/", names.person, name="person"),
    # Where lists were brought before; people have these addresses in their notes.
    path("rallies/<slug:key>/entries/list/", RedirectView.as_view(pattern_name="lists:rally_entries")),
    path("championships/<slug:key>/registrations/list/", RedirectView.as_view(pattern_name="lists:registrations")),
    path("championships/<slug:key>/past/", RedirectView.as_view(pattern_name="lists:past")),
    path("championships/<slug:key>/imported/", names.rounds, name="rounds"),
    path("championships/<slug:key>/imported/<slug:rally>/remove/", names.remove_round, name="remove_round"),
]

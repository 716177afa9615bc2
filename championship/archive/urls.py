"""Addresses of what comes in and goes out: archives, lists of entries, past results."""

from django.urls import path

from championship.archive.views import archives, lists

app_name = "archive"

urlpatterns = [
    path("clubs/<slug:slug>/archive/", archives.archive, name="archive"),
    path("clubs/<slug:slug>/archive/state/", archives.state, name="state"),
    path("clubs/<slug:slug>/archive/<int:pk>/download/", archives.download, name="download"),
    path("rallies/<slug:key>/entries/list/", lists.rally_entries, name="entries"),
    path("championships/<slug:key>/registrations/list/", lists.registrations, name="registrations"),
    path("championships/<slug:key>/past/", lists.past_results, name="past"),
    path("championships/<slug:key>/past/<slug:rally>/remove/", lists.take_out, name="take_out"),
    path("clubs/<slug:slug>/names/", lists.names, name="names"),
    path("operator/restore/", archives.restore, name="restore"),
]

"""URLs of archives."""

from django.urls import path

from championship.archive.views import archives

app_name = "archive"

urlpatterns = [
    path("clubs/<slug:slug>/archive/", archives.archive, name="archive"),
    path("clubs/<slug:slug>/archive/state/", archives.state, name="state"),
    path("clubs/<slug:slug>/archive/<int:pk>/download/", archives.download, name="download"),
    path("me/data/", archives.own_data, name="own_data"),
    path("operator/restore/", archives.restore, name="restore"),
    path("operator/restore/state/", archives.restore_state, name="restore_state"),
]

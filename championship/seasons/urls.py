"""Addresses of championships. The key is unguessable: whoever has it may read the table."""

from django.urls import path

from championship.seasons import views

app_name = "seasons"

urlpatterns = [
    path("clubs/<slug:slug>/championships/new/", views.create, name="create"),
    path("championships/<slug:key>/", views.championship, name="championship"),
    path("championships/<slug:key>/edit/", views.edit, name="edit"),
    path("championships/<slug:key>/rounds/new/", views.new_round, name="new_round"),
    path("championships/<slug:key>/rounds/add/", views.add_round, name="add_round"),
]

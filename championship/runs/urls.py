"""Addresses of stages being driven. The key is unguessable: whoever has it may look on."""

from django.urls import path

from championship.runs import views

app_name = "runs"

urlpatterns = [
    path("turns/", views.mine, name="mine"),
    path("runs/<slug:key>/", views.run, name="run"),
    path("runs/<slug:key>/turn/", views.turn, name="turn"),
    path("runs/<slug:key>/log/", views.log, name="log"),
]

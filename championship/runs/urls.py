"""Addresses of stages being driven. The key is unguessable: whoever has it may look on."""

from django.urls import path

from championship.runs import chance_views, views

app_name = "runs"

urlpatterns = [
    path("turns/", views.mine, name="mine"),
    path("runs/<slug:key>/", views.run, name="run"),
    path("runs/<slug:key>/turn/", views.turn, name="turn"),
    path("runs/<slug:key>/log/", views.log, name="log"),
    path("runs/<slug:key>/proof/", chance_views.proof, name="proof"),
    path("runs/<slug:key>/record.json", chance_views.download, name="record"),
    path("rallies/<slug:key>/stages/<int:number>/chance/", chance_views.phrase, name="phrase"),
    path("records/", chance_views.look, name="look"),
]

from django.urls import path

from championship.stages.views import bench, shelf

app_name = "stages"

urlpatterns = [
    path("clubs/<slug:slug>/stages/", shelf.club_stages, name="club"),
    path("clubs/<slug:slug>/stages/build/", bench.build, name="build"),
    path("clubs/<slug:slug>/stages/build/save/", bench.save, name="save"),
    path("clubs/<slug:slug>/stages/build/list/", bench.as_list, name="list"),
    path("clubs/<slug:slug>/stages/build/import/", bench.bring, name="import"),
    path("clubs/<slug:slug>/stages/build/random/", bench.by_lot, name="random"),
    path("clubs/<slug:slug>/stages/build/templates/", bench.templates, name="templates"),
    path("clubs/<slug:slug>/stages/build/stage.toml", bench.export, name="export"),
    path("land/<slug:game>/<slug:edition>/<slug:language>/<str:road>.svg", shelf.land, name="land"),
    path("stages/<slug:key>/", shelf.design, name="design"),
    path("stages/<slug:key>/notes/", shelf.notes, name="notes"),
    path("stages/<slug:key>/stage.toml", shelf.toml, name="toml"),
    path("stages/<slug:key>/copy/", shelf.copy, name="copy"),
    path("stages/<slug:key>/rename/", shelf.rename, name="rename"),
    path("stages/<slug:key>/remove/", shelf.remove, name="remove"),
    path("stages/<slug:key>/rate/", shelf.rate, name="rate"),
    path("stages/<slug:key>/rating/", shelf.rating_part, name="rating"),
]

from django.urls import path

from championship.stages.views import builder, library, plain_import

app_name = "stages"

BUILDER = (
    ("", builder.build, "build"),
    ("save/", builder.save, "save"),
    ("list/", builder.as_list, "list"),
    ("import/", builder.import_stage, "import"),
    ("random/", builder.random_stage, "random"),
    ("templates/", builder.templates, "templates"),
    ("stage.toml", builder.export, "export"),
)
"""Pages of the builder: the end of the URL, the view, the URL name."""

urlpatterns = [
    path("clubs/<slug:slug>/stages/", library.club_stages, name="club"),
    *(path(f"clubs/<slug:slug>/stages/build/{end}", view, name=name) for end, view, name in BUILDER),
    *(path(f"clubs/<slug:slug>/stages/<slug:game>/build/{end}", view, name=name) for end, view, name in BUILDER),
    path("clubs/<slug:slug>/stages/<slug:game>/import/", plain_import.import_course, name="import_course"),
    path("land/<slug:game>/<slug:edition>/<slug:language>/<str:road>.svg", library.land, name="land"),
    path("stages/<slug:key>/", library.design, name="design"),
    path("stages/<slug:key>/notes/", library.notes, name="notes"),
    path("stages/<slug:key>/stage.toml", library.toml, name="toml"),
    path("stages/<slug:key>/copy/", library.copy, name="copy"),
    path("stages/<slug:key>/rename/", library.rename, name="rename"),
    path("stages/<slug:key>/remove/", library.remove, name="remove"),
    path("stages/<slug:key>/rate/", library.rate, name="rate"),
    path("stages/<slug:key>/rating/", library.rating_part, name="rating"),
]

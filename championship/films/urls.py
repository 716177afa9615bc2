"""URLs of films. Who may read the page of a run or a stage may have its film, when all cars have finished."""

from django.urls import path

from championship.films import views

app_name = "films"

urlpatterns = [
    path("runs/<slug:key>/film/", views.film, name="film"),
    path("runs/<slug:key>/film.mp4", views.video, name="video"),
    path("runs/<slug:key>/film.png", views.poster, name="poster"),
    path("rallies/<slug:key>/stages/<int:number>/film/", views.stage_film, name="stage_film"),
    path("rallies/<slug:key>/stages/<int:number>/film.mp4", views.stage_video, name="stage_video"),
    path("rallies/<slug:key>/stages/<int:number>/film.png", views.stage_poster, name="stage_poster"),
]

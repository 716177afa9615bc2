"""Addresses of the stewards' room. The keys are unguessable: everybody who has them may read."""

from django.urls import path

from championship.stewards import organiser_home, views

app_name = "stewards"

urlpatterns = [
    path("organising/", organiser_home.overview, name="organising"),
    path("rallies/<slug:key>/stewards/", views.room, name="room"),
    path("rallies/<slug:key>/stewards/protest/", views.file_protest, name="file"),
    path("rallies/<slug:key>/stewards/decide/", views.decide, name="decide"),
    path("rallies/<slug:key>/stewards/terms/", views.terms, name="terms"),
    path("protests/<slug:key>/", views.protest, name="protest"),
    path("protests/<slug:key>/answer/", views.answer, name="answer"),
    path("championships/<slug:key>/decisions/", views.notice_board, name="notice_board"),
    path("protests/<slug:key>/decide/", views.decide_protest, name="decide_protest"),
    path("protests/<slug:key>/withdraw/", views.withdraw, name="withdraw"),
    path("championships/<slug:key>/by-hand/<int:pk>/appeal/", views.appeal_points, name="appeal_points"),
    path("decisions/<slug:key>/appeal/", views.appeal, name="appeal"),
]

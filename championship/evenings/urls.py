from django.urls import path

from championship.evenings import views
from championship.evenings.talk import views as talk_views

app_name = "evenings"

urlpatterns = [
    path("rallies/<slug:key>/evening/", views.evening, name="evening"),
    path("rallies/<slug:key>/evening/pace/", views.pace, name="pace"),
    path("rallies/<slug:key>/evening/stop/", views.stop, name="stop"),
    path("rallies/<slug:key>/evening/rules/", views.rules, name="rules"),
    path("rallies/<slug:key>/evening/check-in/", views.check_in_hour, name="check_in_hour"),
    path("me/presence/", views.presence, name="presence"),
    path("rallies/<slug:key>/evening/live/", views.stream, name="live"),
    path("rallies/<slug:key>/evening/board/", views.board, name="board"),
    path("rallies/<slug:key>/evening/do/<slug:act>/", views.act, name="act"),
    path("runs/<slug:key>/more/", views.more, name="more"),
    path("runs/<slug:key>/talk/", talk_views.talk, name="talk"),
    path("runs/<slug:key>/talk/live/", talk_views.stream, name="talk_live"),
    path("words/<int:pk>/take-back/", talk_views.take_back, name="take_back_word"),
    path("words/<int:pk>/hide/", talk_views.hide, name="hide_word"),
    path("evenings/<str:name>/", views.secret_board, name="secret_board"),
    path("evenings/<str:name>/live/", views.secret_stream, name="secret_live"),
]

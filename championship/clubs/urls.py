from django.urls import path

from championship.clubs import views

app_name = "clubs"

urlpatterns = [
    path("clubs/", views.mine, name="mine"),
    path("clubs/new/", views.new, name="new"),
    path("clubs/<slug:slug>/", views.club, name="club"),
    path("clubs/<slug:slug>/members/", views.members, name="members"),
    path("clubs/<slug:slug>/members/<int:pk>/", views.member, name="member"),
    path("clubs/<slug:slug>/members/<int:pk>/remove/", views.remove, name="remove"),
    path("clubs/<slug:slug>/leave/", views.leave, name="leave"),
    path("clubs/<slug:slug>/invitations/", views.invitations, name="invitations"),
    path("clubs/<slug:slug>/invitations/<int:pk>/revoke/", views.revoke, name="revoke"),
    path("clubs/<slug:slug>/log/", views.log, name="log"),
    path("join/<str:token>/", views.join, name="join"),
]

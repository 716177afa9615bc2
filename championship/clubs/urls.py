from django.urls import path

from championship.clubs import holiday_views, views, webhook_views

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
    path("holidays/", holiday_views.mine, name="my_holidays"),
    path("clubs/<slug:slug>/holidays/", holiday_views.club, name="holidays"),
    path("clubs/<slug:slug>/holidays/allowance/", holiday_views.allowance, name="allowance"),
    path("clubs/<slug:slug>/holidays/<int:pk>/end/", holiday_views.end, name="end_holiday"),
    path("clubs/<slug:slug>/webhook/", webhook_views.webhook, name="webhook"),
    path("clubs/<slug:slug>/log/", views.log, name="log"),
    path("join/<str:token>/", views.join, name="join"),
]

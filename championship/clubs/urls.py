from django.urls import path

from championship.clubs import holiday_views, logo_views, moderation_views, public_views, views

app_name = "clubs"

urlpatterns = [
    path("clubs/", views.mine, name="mine"),
    path("clubs/new/", views.new, name="new"),
    path("clubs/<slug:slug>/", public_views.club, name="club"),
    path("clubs/<slug:slug>/members/", views.members, name="members"),
    path("clubs/<slug:slug>/members/<int:pk>/", views.member, name="member"),
    path("clubs/<slug:slug>/members/<int:pk>/remove/", moderation_views.remove, name="remove"),
    path("open/", public_views.open_clubs, name="open"),
    path("ask/<slug:key>/", public_views.request_to_join, name="ask"),
    path("clubs/<slug:slug>/face/", public_views.edit_profile, name="edit_face"),
    path("clubs/<slug:slug>/logo/", logo_views.change, name="change_logo"),
    path("logos/<slug:key>/<slug:tag>.png", logo_views.picture, name="logo"),
    path("clubs/<slug:slug>/requests/", public_views.requests, name="requests"),
    path("clubs/<slug:slug>/bans/<int:pk>/lift/", moderation_views.lift_ban, name="lift_ban"),
    path("clubs/<slug:slug>/reports/", moderation_views.reports, name="reports"),
    path("report/", moderation_views.report, name="report"),
    path("reports/<int:pk>/answer/", moderation_views.answer, name="answer_report"),
    path("operator/reports/", moderation_views.operator_reports, name="operator_reports"),
    path("clubs/<slug:slug>/close/", views.close, name="close"),
    path("clubs/<slug:slug>/leave/", views.leave, name="leave"),
    path("clubs/<slug:slug>/invitations/", views.invitations, name="invitations"),
    path("clubs/<slug:slug>/invitations/mail/", views.invite_by_mail, name="invite_by_mail"),
    path("clubs/<slug:slug>/invitations/<int:pk>/revoke/", views.revoke, name="revoke"),
    path("holidays/", holiday_views.mine, name="my_holidays"),
    path("clubs/<slug:slug>/holidays/", holiday_views.club, name="holidays"),
    path("clubs/<slug:slug>/holidays/allowance/", holiday_views.allowance, name="allowance"),
    path("clubs/<slug:slug>/holidays/<int:pk>/end/", holiday_views.end, name="end_holiday"),
    path("clubs/<slug:slug>/webhook/", views.webhook, name="webhook"),
    path("clubs/<slug:slug>/webhook/<int:pk>/", views.one_webhook, name="one_webhook"),
    path("clubs/<slug:slug>/manage/", views.manage, name="manage"),
    path("clubs/<slug:slug>/log/", views.log, name="log"),
    path("join/<str:token>/", views.join, name="join"),
]

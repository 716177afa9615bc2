from django.urls import path

from championship.notices.views import channels, settings, webhooks

app_name = "notices"

urlpatterns = [
    path("me/notices/", settings.settings, name="settings"),
    path("me/notices/address/", settings.trust_address, name="trust"),
    path("me/notices/browsers/", channels.add_browser, name="add_browser"),
    path("me/notices/browsers/renewed/", channels.renew_browser, name="renew_browser"),
    path("me/notices/browsers/<int:pk>/remove/", channels.remove_browser, name="remove_browser"),
    path("me/notices/webhook/", webhooks.mine, name="webhook"),
    path("me/notices/webhook/<int:pk>/", webhooks.my_one, name="one_webhook"),
    path("me/notices/calendar/", channels.renew_calendar, name="renew_calendar"),
    path("calendar/<slug:key>.ics", channels.calendar, name="calendar"),
    path("mail/off/<str:token>/", settings.unsubscribe, name="off"),
    path("operator/letters/", settings.letters, name="letters"),
    path("push-worker.js", channels.push_worker, name="push_worker"),
]

from django.apps import AppConfig


class NoticesConfig(AppConfig):
    name = "championship.notices"
    label = "notices"

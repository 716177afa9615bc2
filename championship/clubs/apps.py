from django.apps import AppConfig


class ClubsConfig(AppConfig):
    name = "championship.clubs"
    label = "clubs"

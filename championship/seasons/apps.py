from django.apps import AppConfig


class SeasonsConfig(AppConfig):
    name = "championship.seasons"
    label = "seasons"

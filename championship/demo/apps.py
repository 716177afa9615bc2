from django.apps import AppConfig


class DemoConfig(AppConfig):
    name = "championship.demo"
    label = "demo"

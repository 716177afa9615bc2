"""Secret addresses are in no log."""

import io
import logging
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.test import Client
from gunicorn.config import Config
from gunicorn.glogging import Logger

from championship.health import probes
from championship.platform.logs import without_secrets


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ("GET /calendar/Zb3_x-9.ics HTTP/1.1", "GET /calendar/... HTTP/1.1"),
        ("/mail/off/a:b:c/?kind=news", "/mail/off/.../?kind=news"),
        ("https://club.example/join/s3cr3t/", "https://club.example/join/.../"),
        ("/turns/changes/7.abc/", "/turns/changes/.../"),
        ("/demo/as/token/", "/demo/as/.../"),
        ("/calendar/", "/calendar/"),
        ("/runs/abc/changes/", "/runs/abc/changes/"),
    ],
)
def test_only_the_secret_part_of_a_path_is_left_out(asked, kept):
    assert without_secrets(asked) == kept


def test_gunicorns_access_log_contains_no_secret_paths_and_no_referrers_with_them():
    config = Config()
    config.set("accesslog", "-")
    log, told = Logger(config), io.StringIO()
    log.access_log.addHandler(logging.StreamHandler(told))
    request = SimpleNamespace(headers=[("REFERER", "https://club.example/join/s3cr3t/")])
    environ = {
        "REQUEST_METHOD": "GET",
        "RAW_URI": "/mail/off/t0ken/?now=1",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "PATH_INFO": "/mail/off/t0ken/",
        "HTTP_REFERER": "https://club.example/join/s3cr3t/",
    }
    answer = SimpleNamespace(status="200 OK", sent=5, headers=[])
    log.access(answer, request, environ, timedelta(milliseconds=3))
    assert "GET /mail/off/.../?now=1 HTTP/1.1" in told.getvalue()
    assert "t0ken" not in told.getvalue() and "s3cr3t" not in told.getvalue()


@pytest.mark.django_db
def test_a_secret_address_that_leads_nowhere_is_not_in_djangos_log(caplog):
    with caplog.at_level(logging.WARNING, logger="django.request"):
        assert Client().get("/calendar/n0body.ics").status_code == 404
    assert "/calendar/..." in caplog.text
    assert "n0body" not in caplog.text


@pytest.mark.django_db
def test_a_service_that_is_not_ready_is_a_warning_and_a_fault_an_error(caplog, monkeypatch):
    """Sentry, too, gets only errors."""
    with caplog.at_level(logging.WARNING, logger="django.request"):
        assert Client().get("/readyz").status_code == 503, "there was no sweep"
    [record] = [record for record in caplog.records if record.name == "django.request"]
    assert (record.levelname, record.status_code) == ("WARNING", 503)

    def fails(request):
        raise ZeroDivisionError

    caplog.clear()
    monkeypatch.setitem(probes.PROBES, "/healthz", fails)
    assert Client(raise_request_exception=False).get("/healthz").status_code == 500
    assert [record.levelname for record in caplog.records if record.name == "django.request"] == ["ERROR"]

"""The responses to probes, and who may read metrics."""

import shutil
from functools import partial

import pytest
from django.db import DatabaseError, connection
from django.test import Client

from championship.deadlines.models import Sweep
from championship.deadlines.tasks import sweep
from championship.health import checks
from championship.platform import clock
from tests.championship.faults import HOST, dead_port, sent_to

pytestmark = pytest.mark.django_db

ODD_HOST = {"HTTP_HOST": "10.0.0.7:8000"}
ELSEWHERE = {"HTTP_X_FORWARDED_FOR": "203.0.113.9"}


@pytest.fixture
def in_earnest(settings):
    """A site with TLS and one host, as in production."""
    settings.SECURE_SSL_REDIRECT = True
    settings.ALLOWED_HOSTS = ["rally.example"]
    return Client()


@pytest.mark.parametrize("door", ["/healthz", "/readyz", "/readyz/web", "/metrics"])
def test_a_probe_knows_neither_host_nor_tls(in_earnest, door):
    sweep.delay()
    answer = in_earnest.get(door, **ODD_HOST)
    assert answer.status_code == 200, answer.content
    assert answer.headers["Cache-Control"] == "no-store"
    assert "sessionid" not in answer.cookies
    assert in_earnest.get("/turns/", **ODD_HOST).status_code == 400, "the host check still stands for pages"


def test_a_process_that_answers_is_alive_without_a_query(client, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert client.get("/healthz").content.startswith(b"ok\n")


def test_doors_are_only_looked_at(client):
    assert client.post("/healthz").status_code == 404


@pytest.mark.usefixtures("at")
class TestReadiness:
    def test_all_is_there_after_a_sweep(self, client):
        sweep.delay()
        assert client.get("/readyz").json() == {"ready": True, "problems": {}}

    def test_a_missing_sweep_is_reported_but_the_service_is_ready(self, client):
        answer = client.get("/readyz")
        assert answer.status_code == 503
        assert answer.json()["problems"] == {"sweep": "there was no sweep of deadlines yet"}
        assert client.get("/readyz/web").status_code == 200

    @pytest.mark.parametrize(
        ("heard", "said"),
        [("2026-11-19T11:57", "0:03:00 ago"), ("2026-11-19T12:03", "the machine's clock was set back")],
    )
    def test_a_sweep_too_long_ago_or_in_the_future_is_reported(self, client, at, heard, said):
        Sweep.objects.create(name="deadlines", at=clock.now(), heard_at=at(heard))
        at("2026-11-19T12:00")
        assert said in client.get("/readyz").json()["problems"]["sweep"]

    def test_a_missing_migration_is_named(self, client, monkeypatch):
        monkeypatch.setattr(checks, "_migrated", False)
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM django_migrations WHERE app = 'health'")
        assert "health.0001_version_0_1_0" in client.get("/readyz/web").json()["problems"]["migrations"]

    def test_a_broker_that_is_down_is_reported_without_its_address(self, client):
        sweep.delay()
        with dead_port() as port, sent_to(f"redis://:s3cret@{HOST}:{port}/0"):
            answer = client.get("/readyz")
        assert answer.json()["problems"] == {"broker": "no answer"}
        assert b"s3cret" not in answer.content

    def test_without_a_database_only_the_checks_that_query_it_are_skipped(self, client, monkeypatch):
        def fails():
            raise DatabaseError("host=s3cret")

        ran = []
        for name in checks.ALL:
            monkeypatch.setitem(checks.ALL, name, fails if name == "database" else partial(ran.append, name))
        assert client.get("/readyz").json()["problems"] == {"database": "no answer"}
        assert ran == ["static files", "broker", "cache"]

    def test_a_broker_that_is_away_is_named_beside_a_database_that_is_away(self, client, monkeypatch):
        monkeypatch.setitem(checks.ALL, "database", lambda: connection.cursor().execute("SELECT 1 / 0"))
        with dead_port() as port, sent_to(f"redis://{HOST}:{port}/0"):
            assert client.get("/readyz").json()["problems"] == {"database": "no answer", "broker": "no answer"}

    def test_missing_static_files_are_reported(self, client, monkeypatch, folder):
        from django.contrib.staticfiles import storage
        from whitenoise.storage import CompressedManifestStaticFilesStorage

        monkeypatch.setattr(storage.staticfiles_storage, "_wrapped", CompressedManifestStaticFilesStorage(folder))
        shutil.rmtree(folder / "static", ignore_errors=True)
        assert "collectstatic" in client.get("/readyz/web").json()["problems"]["static files"]


def test_metrics_are_for_this_machine_alone(client, settings):
    assert client.get("/metrics").status_code == 200
    assert client.get("/metrics", **ELSEWHERE).status_code == 404
    settings.METRICS_FROM = "203.0.113.0/24"
    assert client.get("/metrics", **ELSEWHERE).status_code == 200

"""The client of a request, and whether it came over TLS: behind proxies, on a unix socket, with forged headers."""

import http.client
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlencode, urlsplit, urlunsplit

import pytest
from django.core.cache import cache
from django.test import Client

from championship.platform.web import client_address
from championship.platform.web.client_address import Proxies

ROOT = Path(__file__).resolve().parents[3]
BESIDE = "127.0.0.1,::1,unix"

SEEN = [  # TRUSTED_PROXIES, the peer, X-Forwarded-For, the client
    (BESIDE, "203.0.113.7", "", "203.0.113.7"),
    (BESIDE, "203.0.113.7", "198.51.100.1", "203.0.113.7"),  # not a proxy of ours: the header is forged
    (BESIDE, "127.0.0.1", "198.51.100.1", "198.51.100.1"),
    (BESIDE, "127.0.0.1", "9.9.9.9, 198.51.100.1", "198.51.100.1"),  # the client wrote the first part itself
    (BESIDE, "127.0.0.1", "127.0.0.1, 198.51.100.1", "198.51.100.1"),
    (BESIDE, "127.0.0.1", "", "127.0.0.1"),
    (BESIDE, "127.0.0.1", "unknown", "127.0.0.1"),
    (BESIDE, "127.0.0.1", "198.51.100.1, nonsense", "127.0.0.1"),
    (BESIDE, "::1", "2001:db8::5", "2001:db8::5"),
    (BESIDE, "::ffff:127.0.0.1", "198.51.100.1:4711", "198.51.100.1"),
    (BESIDE, "127.0.0.1", "[2001:db8::5]:4711", "2001:db8::5"),
    (BESIDE, "", "198.51.100.1", "198.51.100.1"),  # a unix socket
    (BESIDE, "", "", "127.0.0.1"),
    ("10.0.0.0/8", "", "198.51.100.1", "127.0.0.1"),  # a unix socket that is not trusted
    ("10.0.0.0/8,127.0.0.1", "127.0.0.1", "9.9.9.9, 198.51.100.1, 10.1.2.3", "198.51.100.1"),  # two proxies
    ("10.0.0.0/8", "10.1.2.3", "10.1.2.4", "10.1.2.4"),  # a client on the internal network
    ("10.0.0.0/8", "127.0.0.1", "198.51.100.1", "127.0.0.1"),
    ("none", "127.0.0.1", "198.51.100.1", "127.0.0.1"),
    ("1", "203.0.113.7", "9.9.9.9, 198.51.100.1", "198.51.100.1"),
    ("2", "203.0.113.7", "9.9.9.9, 198.51.100.1, 10.1.2.3", "198.51.100.1"),
    ("2", "", "198.51.100.1", "198.51.100.1"),
    ("1", "203.0.113.7", "", "203.0.113.7"),
    ("1", "203.0.113.7", "nonsense", "203.0.113.7"),
    ("", "127.0.0.1", "198.51.100.1", "198.51.100.1"),  # unset: proxies on this machine
    ("", "nonsense", "nonsense", "127.0.0.1"),
]


@pytest.mark.parametrize(("trusted", "peer", "forwarded", "client"), SEEN)
def test_the_client_is_the_one_that_a_trusted_proxy_names(trusted, peer, forwarded, client):
    assert Proxies.read(trusted).client(peer, forwarded) == client


@pytest.mark.parametrize("nonsense", ["the proxy", "127.0.0.1,", "300.1.1.1", "10.0.0.1/8", "::/0", "11", "-1", "1.5"])
def test_nonsense_for_proxies_is_refused(nonsense):
    with pytest.raises(ValueError, match="'"):
        Proxies.read(nonsense)


@pytest.fixture
def narrow(settings):
    """A limit of two tries to sign in from one address."""
    cache.clear()
    settings.ACCOUNT_RATE_LIMITS = {"login": "2/m/ip"}


def tries(count, **told):
    return [Client(**told).post("/account/login/", {"login": "nonsense"}).status_code for _time in range(count)]


@pytest.mark.django_db
def test_two_clients_behind_a_proxy_have_limits_of_their_own(narrow):
    assert tries(3, HTTP_X_FORWARDED_FOR="198.51.100.1") == [422, 422, 429]
    assert tries(3, HTTP_X_FORWARDED_FOR="198.51.100.2") == [422, 422, 429]


@pytest.mark.django_db
def test_another_address_of_the_same_ipv6_network_wins_no_further_try(narrow):
    answers = [tries(1, HTTP_X_FORWARDED_FOR=f"2001:db8:5:7:{each}::1")[0] for each in range(3)]
    assert answers == [422, 422, 429]
    assert tries(3, HTTP_X_FORWARDED_FOR="2001:db8:5:8::1") == [422, 422, 429], "the neighbour's network"


NETWORKS = [
    ("203.0.113.7", "203.0.113.7"),
    ("::ffff:203.0.113.7", "203.0.113.7"),
    ("2001:db8:5:7:1:2:3:4", "2001:db8:5:7::"),
    ("2001:db8:5:7::", "2001:db8:5:7::"),
    ("::1", "::"),
]


@pytest.mark.parametrize(("peer", "counted"), NETWORKS)
def test_limits_count_an_ipv6_address_as_its_network_of_64_bits(settings, peer, counted):
    settings.TRUSTED_PROXIES = "none"
    assert client_address.network_of({"REMOTE_ADDR": peer}) == counted


@pytest.mark.django_db
def test_an_invented_header_wins_no_further_try(narrow):
    answers = [tries(1, HTTP_X_FORWARDED_FOR=f"9.9.9.{each}, 198.51.100.1")[0] for each in range(3)]
    assert answers == [422, 422, 429], "behind the proxy"
    answers = [tries(1, HTTP_X_FORWARDED_FOR=f"9.9.9.{each}", REMOTE_ADDR="203.0.113.7")[0] for each in range(3)]
    assert answers == [422, 422, 429], "past the proxy"


@pytest.mark.django_db
def test_later_middleware_sees_the_client_and_no_header(rf):
    seen = []
    request = rf.get("/", headers={"X-Forwarded-For": "198.51.100.1"})
    client_address.ClientAddressMiddleware(lambda asked: seen.append(dict(asked.META)))(request)
    assert seen[0]["REMOTE_ADDR"] == "198.51.100.1"
    assert "HTTP_X_FORWARDED_FOR" not in seen[0]


TLS = [  # TRUSTED_PROXIES, the peer, X-Forwarded-Proto, whether the request counts as one over TLS
    (BESIDE, "127.0.0.1", "https", True),
    (BESIDE, "127.0.0.1", "http", False),
    (BESIDE, "", "https", True),  # a unix socket
    (BESIDE, "203.0.113.7", "https", False),  # not a proxy of ours: the header is forged
    ("10.0.0.0/8", "10.1.2.3", "https", True),
    ("10.0.0.0/8", "127.0.0.1", "https", False),
    ("10.0.0.0/8", "", "https", False),
    ("none", "127.0.0.1", "https", False),
    ("1", "203.0.113.7", "https", True),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("trusted", "peer", "scheme", "secure"), TLS)
def test_only_a_trusted_proxy_says_that_a_request_came_over_tls(settings, client, trusted, peer, scheme, secure):
    settings.TRUSTED_PROXIES = trusted
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.SECURE_SSL_REDIRECT = True
    answer = client.get("/account/login/", REMOTE_ADDR=peer, HTTP_X_FORWARDED_PROTO=scheme)
    assert answer.status_code == (200 if secure else 301)
    assert answer.wsgi_request.is_secure() is secure


class OverSocketFile(http.client.HTTPConnection):
    """A proxy that sends requests over a socket file."""

    def __init__(self, path: Path) -> None:
        super().__init__("rally.example", timeout=120)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(30)
        self.sock.connect(str(self.path))


@pytest.fixture
def on_a_socket_file(folder, transactional_db):
    """gunicorn with production settings on a socket file. Yields a function to send requests, and one to stop it and
    read its access log.
    """
    from django.db import connection

    parts = urlsplit(os.environ["DATABASE_URL"])
    database = urlunsplit(parts._replace(path=f"/{connection.settings_dict['NAME']}"))
    door, log = folder / "web.sock", folder / "access.log"
    environment = {
        "PATH": os.environ["PATH"],
        "DJANGO_SETTINGS_MODULE": "championship.settings.production",
        "PARC_FERME_VAR": str(folder),
        "DATABASE_URL": database,
        "CELERY_BROKER_URL": "folder://localhost",
        "SECRET_KEY": "a key of the test that is long enough: with 50 characters or more: 0123456789",
        "ALLOWED_HOSTS": "rally.example",
    }
    for prepare in (["collectstatic", "--no-input"], ["createcachetable"]):  # the settings of tests need neither
        subprocess.run([sys.executable, "manage.py", *prepare], cwd=ROOT, env=environment, check=True, timeout=120)
    command = [sys.executable, "-m", "gunicorn", "championship.wsgi", "--bind", f"unix:{door}"]
    server = subprocess.Popen([*command, "--access-logfile", str(log)], cwd=ROOT, env=environment)

    def ask(client: str, form: dict[str, str] | None = None) -> http.client.HTTPResponse:
        line = OverSocketFile(door)
        headers = {"X-Forwarded-For": client, "X-Forwarded-Proto": "https", "Referer": "https://rally.example/"}
        if form is not None:
            token = "a" * 32
            form, headers["Cookie"] = {**form, "csrfmiddlewaretoken": token}, f"__Host-csrftoken={token}"
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        line.request("GET" if form is None else "POST", "/account/login/", urlencode(form or {}), headers)
        answer = line.getresponse()
        answer.read()
        line.close()
        return answer

    def end() -> None:
        server.terminate()
        server.wait(timeout=60)

    try:
        deadline = time.monotonic() + 60
        while not door.exists():
            assert server.poll() is None and time.monotonic() < deadline, "gunicorn did not start"
            time.sleep(0.1)
        yield ask, lambda: end() or log.read_text()
    finally:
        end()
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE cache")


@pytest.mark.slow
def test_on_a_socket_file_pages_are_served_and_the_log_names_the_client(on_a_socket_file):
    ask, log_at_the_end = on_a_socket_file
    assert ask("198.51.100.1").status == 200
    assert ask("2001:db8::5").status == 200
    assert ask("198.51.100.1", {"login": "nonsense"}).status == 422, "the way to sign in is open"
    assert [line.split()[0] for line in log_at_the_end().splitlines()] == [
        *("198.51.100.1", "2001:db8::5", "198.51.100.1")
    ]

"""Checks whether the service can start in this environment, before it touches a database, a worker or a page.

Each problem is one line: the variable, what is wrong with it, what to set, an example. No line repeats a secret.
The three entry points (manage.py, wsgi.py, celery.py) and gunicorn.conf.py run these checks. The production settings
run them again.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from email.utils import parseaddr
from ipaddress import ip_network
from typing import NoReturn
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.http.request import split_domain_port, validate_host

from championship.platform import embedded
from championship.platform import environment as environment_settings
from championship.platform.web import client_address

PRODUCTION = "championship.settings.production"
DEMO = "championship.settings.demo"
DEMO_KEY = "the demo's key; it guards nothing and is known to everybody"
TESTS_KEY = "the tests' key"
KNOWN_KEYS = frozenset({DEMO_KEY, TESTS_KEY})
SHORTEST_KEY = 50  # characters, as in Django's own check
FEWEST_DIFFERENT = 10  # characters; random text of that length has far more
REFUSED = 3
"""The exit code. When a worker exits with it, gunicorn knows that no other worker would start either."""

POOLINGS = ("", "transaction")
DATABASE_SCHEMES = ("postgres", "postgresql")
LOG_FORMATS = ("line", "json")
CACHE_SCHEMES = ("redis", "rediss", "unix")
BROKER_SCHEMES = ("redis", "rediss", "amqp", "amqps", "folder")
NEW_KEY = "python3 -c 'import secrets; print(secrets.token_urlsafe(50))'"
EXAMPLE_DATABASE = "DATABASE_URL=postgresql://parc_ferme:password@127.0.0.1:5432/parc_ferme"
EXAMPLE_BROKER = "CELERY_BROKER_URL=redis://127.0.0.1:6379/0"
EXAMPLE_CACHE = "CACHE_URL=redis://127.0.0.1:6379/1"
EXAMPLE_HOSTS = "ALLOWED_HOSTS=rally.example,www.rally.example"
EXAMPLE_SITE = "SITE_URL=https://rally.example"


def check(environment: Mapping[str, str]) -> None:
    """End the process, with one line for each problem, when its settings must not start in this environment."""
    settings = environment.get("DJANGO_SETTINGS_MODULE", "")
    if settings == PRODUCTION:
        refuse_any(production_problems(environment))
        warn(environment)
    elif settings == DEMO:
        refuse_any(demo_problems(environment))


def check_settings_named(environment: Mapping[str, str]) -> None:
    """End the process when no settings are named although the environment looks like production."""
    if not environment.get("DJANGO_SETTINGS_MODULE"):
        refuse_any(unnamed_problems(environment))


def refuse_any(problems: Iterator[str]) -> None:
    """End the process with exit code REFUSED when there is a problem; else do nothing."""
    found = list(problems)
    if found:
        _refuse(found)


def warn(environment: Mapping[str, str]) -> None:
    """Write one line for each setting that works but harms, once in a process."""
    for warning in environment_settings.warnings(environment):
        if warning not in _warned:
            _warned.add(warning)
            sys.stderr.write(f"Parc Fermé warns: {warning}\n")
            sys.stderr.flush()


_warned: set[str] = set()


def _refuse(problems: list[str]) -> NoReturn:
    for problem in problems:
        sys.stderr.write(f"Parc Fermé does not start: {problem}\n")
    sys.stderr.flush()
    raise SystemExit(REFUSED)


def production_problems(environment: Mapping[str, str]) -> Iterator[str]:
    """The problems that keep the production settings from starting."""
    yield from _database_problems(environment)
    yield from _broker_problems(environment)
    yield from _cache_problems(environment)
    yield from _key_problems(environment)
    yield from _host_problems(environment)
    yield from _mail_problems(environment)
    yield from _proxy_problems(environment)
    yield from _monitoring_problems(environment)
    yield from environment_settings.problems(environment)


def demo_problems(environment: Mapping[str, str]) -> Iterator[str]:
    """The problems that keep the demo's settings from starting: above all a database that is not the demo's own."""
    url = environment.get("DATABASE_URL", "")
    if url and not _is_demos_own(url, environment):
        yield (
            "DATABASE_URL names a database, but the settings are the demo's, and everybody knows the demo's SECRET_KEY."
            f" For a real service set DJANGO_SETTINGS_MODULE={PRODUCTION}. For a demo remove DATABASE_URL from the"
            " environment (unset DATABASE_URL), or name a database that ends in _demo."
        )
    yield from _proxy_problems(environment)
    yield from environment_settings.problems(environment)


def unnamed_problems(environment: Mapping[str, str]) -> Iterator[str]:
    """The reasons not to fall back to the demo's settings when no settings are named."""
    url = environment.get("DATABASE_URL", "")
    names = [name for name in ("CELERY_BROKER_URL", "SECRET_KEY", "ALLOWED_HOSTS") if environment.get(name)]
    if url and not _is_demos_own(url, environment):
        names.insert(0, "DATABASE_URL")
    if names:
        yield (
            f"DJANGO_SETTINGS_MODULE is not set, but {' and '.join(names)} {'is' if len(names) == 1 else 'are'}: the"
            f" demo's settings would be used. Set DJANGO_SETTINGS_MODULE={PRODUCTION}, or {DEMO}."
        )


def _is_demos_own(url: str, environment: Mapping[str, str]) -> bool:
    """Whether it is the embedded server's database, or one whose name says that it is a demo's."""
    return url == environment.get(embedded.OWN_URL) or urlsplit(url).path.endswith("_demo")


def _database_problems(environment: Mapping[str, str]) -> Iterator[str]:
    url = environment.get("DATABASE_URL", "").strip()
    if not url:
        yield f"DATABASE_URL is not set. Name a PostgreSQL database, for example {EXAMPLE_DATABASE}"
    elif _scheme(url) not in DATABASE_SCHEMES or not urlsplit(url).path.strip("/"):
        yield f"DATABASE_URL does not name a PostgreSQL database. Set it like {EXAMPLE_DATABASE}"
    pooling = environment.get("DATABASE_POOLING", "").strip()
    if pooling not in POOLINGS:
        yield f"DATABASE_POOLING {pooling!r} is unknown. Set DATABASE_POOLING=transaction, or leave it empty"


def _broker_problems(environment: Mapping[str, str]) -> Iterator[str]:
    url = environment.get("CELERY_BROKER_URL", "").strip()
    if not url:
        yield f"CELERY_BROKER_URL is not set. Name a Redis or RabbitMQ, for example {EXAMPLE_BROKER}"
    elif _scheme(url) not in BROKER_SCHEMES:
        yield f"CELERY_BROKER_URL names neither Redis nor RabbitMQ. Set it like {EXAMPLE_BROKER}"


def _cache_problems(environment: Mapping[str, str]) -> Iterator[str]:
    url = environment.get("CACHE_URL", "").strip()
    if url and _scheme(url) not in CACHE_SCHEMES:
        yield f"CACHE_URL does not name a Redis. Set it like {EXAMPLE_CACHE}, or leave it empty"


def _scheme(url: str) -> str:
    try:
        return urlsplit(url).scheme
    except ValueError:
        return ""


def _key_problems(environment: Mapping[str, str]) -> Iterator[str]:
    key = environment.get("SECRET_KEY", "").strip()
    if not key:
        yield f"SECRET_KEY is not set. Set it to {SHORTEST_KEY} random characters or more, for example from {NEW_KEY}"
    elif weakness := _weakness_of(key):
        yield f"SECRET_KEY {weakness}. Set it to {SHORTEST_KEY} random characters or more, for example from {NEW_KEY}"
    for number, old in enumerate(listed(environment, "SECRET_KEY_FALLBACKS"), start=1):
        if weakness := _weakness_of(old):
            yield (
                f"SECRET_KEY_FALLBACKS: key {number} {weakness}; what it signed can be forged. Take it out of the list,"
                " for example SECRET_KEY_FALLBACKS= ; people then sign in again."
            )


def _weakness_of(key: str) -> str:
    """What is wrong with a key, as the end of a sentence; empty for a good one."""
    if key in KNOWN_KEYS or key.startswith("django-insecure-"):
        return "is a key that everybody knows"
    if len(key) < SHORTEST_KEY:
        return f"has {len(key)} characters, which is too short"
    if len(set(key)) < FEWEST_DIFFERENT:
        return f"has only {len(set(key))} different characters"
    return ""


def _host_problems(environment: Mapping[str, str]) -> Iterator[str]:
    hosts = listed(environment, "ALLOWED_HOSTS")
    if not hosts:
        yield f"ALLOWED_HOSTS is not set. Name the hosts that pages are asked for at, for example {EXAMPLE_HOSTS}"
        return
    wrong = [host for host in hosts if not _is_host(host)]
    if wrong:
        yield f"ALLOWED_HOSTS: {wrong[0]!r} is not a host's name. Set names without https:// and port, {EXAMPLE_HOSTS}"
        return
    site = environment.get("SITE_URL", "").strip()
    if not site and hosts[0].startswith(("*", ".")):
        yield f"SITE_URL is not set, and {hosts[0]!r} names no one host. Set where links in mail lead, {EXAMPLE_SITE}"
    elif site and not _is_site(site):
        yield f"SITE_URL {site!r} is not https:// and a host, nothing behind it. Set it like {EXAMPLE_SITE}"
    elif site and not validate_host(split_domain_port(urlsplit(site).netloc)[0], hosts):
        yield f"SITE_URL {site!r} names a host that ALLOWED_HOSTS does not. Add it there, for example {EXAMPLE_HOSTS}"


def _is_host(host: str) -> bool:
    try:
        plain = urlsplit(f"//{host}")
    except ValueError:
        return False
    return host == "*" or (plain.netloc == host and not set(host) & set(" @\\*") and _port_of(host) is None)


def _port_of(host: str) -> str | None:
    """The text after a colon that is no part of an IPv6 address in brackets; None without such a colon."""
    rest = host.rpartition("]")[2]
    return rest.partition(":")[2] if ":" in rest else None


def _is_site(site: str) -> bool:
    try:
        parts = urlsplit(site)
        _port = parts.port
    except ValueError:
        return False
    behind = parts.path.strip("/") or parts.query or parts.fragment
    return parts.scheme == "https" and bool(parts.hostname) and "@" not in parts.netloc and not behind


def _mail_problems(environment: Mapping[str, str]) -> Iterator[str]:
    sender = environment.get("DEFAULT_FROM_EMAIL", "").strip()
    if sender and not _is_address(sender):
        yield (
            f"DEFAULT_FROM_EMAIL {sender!r} is no mail address. Set it like"
            " DEFAULT_FROM_EMAIL='Parc Fermé <parc-ferme@rally.example>'"
        )


def _is_address(sender: str) -> bool:
    _name, address = parseaddr(sender)
    try:
        validate_email(address)
    except ValidationError:
        return False
    return "\n" not in sender


def _proxy_problems(environment: Mapping[str, str]) -> Iterator[str]:
    try:
        client_address.Proxies.read(environment.get("TRUSTED_PROXIES", ""))
    except ValueError as error:
        yield (
            f"TRUSTED_PROXIES: {error}. Set addresses and networks like TRUSTED_PROXIES=127.0.0.1,10.0.0.0/8,unix or"
            " the number of proxies like TRUSTED_PROXIES=1"
        )


def _monitoring_problems(environment: Mapping[str, str]) -> Iterator[str]:
    form = environment.get("LOG_FORMAT", "line")
    if form not in LOG_FORMATS:
        yield f"LOG_FORMAT {form!r} is neither {' nor '.join(LOG_FORMATS)}. Set it like LOG_FORMAT=json"
    for part in listed(environment, "METRICS_FROM"):
        try:
            ip_network(part)
        except ValueError:
            yield f"METRICS_FROM: {part!r} is neither an address nor a network. Set it like METRICS_FROM=127.0.0.1,::1"


def listed(environment: Mapping[str, str], name: str) -> list[str]:
    """The parts of a variable that holds a comma-separated list."""
    return [part.strip() for part in environment.get(name, "").split(",") if part.strip()]


def by_default(settings: str) -> None:
    """Use these settings when the environment names none."""
    if not os.environ.get("DJANGO_SETTINGS_MODULE"):
        os.environ["DJANGO_SETTINGS_MODULE"] = settings

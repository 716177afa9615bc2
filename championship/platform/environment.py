"""Reads yes-or-no settings, numbers and the encryption of mail from environment variables.

A value that cannot be read is refused, never guessed.

Each function takes the environment and the name of a variable. It raises ValueError with one line that names the
variable, what is wrong with its value, and an example.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

YES = ("true", "yes", "on", "1")
NO = ("false", "no", "off", "0")
SMTPS = 465
"""The port on which mail servers speak TLS from the first byte (RFC 8314)."""
HIGHEST_PORT = 65535
THIS_MACHINE = ("localhost", "127.0.0.1", "::1")

FLAGS = {
    "EMAIL_USE_TLS": False,
    "EMAIL_USE_SSL": False,
    "HSTS_INCLUDE_SUBDOMAINS": False,
    "HSTS_PRELOAD": False,
    "MAIL_SERVER_DROPS_COPIES": False,
    "OPEN_STAGE": True,
}
"""Every variable that says yes or no, and its value if it is not set or empty."""


@dataclass(frozen=True, slots=True)
class Number:
    """A variable that holds a number: its value if it is not set or empty, and the smallest it may have."""

    default: float
    least: float = 0
    whole: bool = False


NUMBERS = {
    "WEB_CONNECT_SECONDS": Number(2, least=2, whole=True),  # libpq waits two seconds at least
    "WEB_LOCK_SECONDS": Number(2),
    "WEB_STATEMENT_SECONDS": Number(3.5),
    "WEB_IDLE_SECONDS": Number(15),
    "WORKER_CONNECT_SECONDS": Number(10, least=2, whole=True),
    "WORKER_LOCK_SECONDS": Number(30),
    "WORKER_STATEMENT_SECONDS": Number(110),
    "WORKER_IDLE_SECONDS": Number(590),
    "COMMAND_LOCK_SECONDS": Number(60),
    "BROKER_SECONDS": Number(1, least=0.1),
    "CACHE_SECONDS": Number(0.5, least=0.1),
    "ANONYMOUS_POSTS_A_MINUTE": Number(300, least=1, whole=True),
    "GUESTS_AT_ONCE": Number(2000, whole=True),
    "PAPER_CELLS_AT_ONCE": Number(250, whole=True),
    "PAPERS_A_MINUTE": Number(30, least=1, whole=True),
    "SEEN_TURN_MAIL_MINUTES": Number(10),
    "KEEP_WORDS_DAYS": Number(30),
    "KEEP_LETTERS_DAYS": Number(365),
    "KEEP_ENTRANCE_LETTERS_DAYS": Number(7),
    "KEEP_MAILBOX_DAYS": Number(90),
    "KEEP_DRAFTS_DAYS": Number(30),
    "KEEP_PAPERS_DAYS": Number(7),
    "KEEP_CLOSED_ACCOUNTS_DAYS": Number(14),
    "KEEP_REPORTS_DAYS": Number(365),
    "KEEP_GUESTS_DAYS": Number(7),
}
"""Every variable that holds a number, except EMAIL_PORT."""


def flag(environment: Mapping[str, str], name: str) -> bool:
    """Whether the variable says yes. In upper or lower case."""
    text = environment.get(name, "").strip()
    if not text:
        return FLAGS[name]
    if text.lower() not in YES + NO:
        raise ValueError(f"{name} {text!r} is neither yes nor no. Set it like {name}=yes or {name}=no")
    return text.lower() in YES


def number(environment: Mapping[str, str], name: str) -> float:
    """The number in the variable."""
    allowed, text = NUMBERS[name], environment.get(name, "").strip()
    if not text:
        return allowed.default
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not math.isfinite(found) or (allowed.whole and found != int(found)):
        kind = "whole number" if allowed.whole else "number"
        raise ValueError(f"{name} {text!r} is no {kind}. Set it like {name}={allowed.default:g}")
    if found < allowed.least:
        raise ValueError(f"{name} {text!r} is less than {allowed.least:g}. Set it like {name}={allowed.default:g}")
    return found


def mail_port(environment: Mapping[str, str]) -> int:
    """The port of the mail server."""
    text = environment.get("EMAIL_PORT", "").strip() or "25"
    if not (text.isascii() and text.isdigit() and 0 < int(text[:6]) <= HIGHEST_PORT):
        raise ValueError(f"EMAIL_PORT {text!r} is no port number. Set it like EMAIL_PORT=587")
    return int(text)


def mail_encryption(environment: Mapping[str, str]) -> tuple[bool, bool]:
    """How the session with the mail server is encrypted: whether it begins TLS with STARTTLS, and whether it speaks TLS
    from the first byte. Neither means that it is not encrypted. Port 465 speaks TLS without a setting.
    """
    starttls, smtps = flag(environment, "EMAIL_USE_TLS"), flag(environment, "EMAIL_USE_SSL")
    if starttls and smtps:
        raise ValueError(
            "EMAIL_USE_TLS and EMAIL_USE_SSL exclude each other. Set EMAIL_USE_TLS=yes for STARTTLS, mostly on port"
            " 587, or EMAIL_USE_SSL=yes for TLS from the first byte, mostly on port 465"
        )
    if mail_port(environment) == SMTPS and not smtps:
        if starttls or environment.get("EMAIL_USE_SSL", "").strip():
            raise ValueError(
                "EMAIL_PORT 465 speaks TLS from the first byte. Set EMAIL_USE_SSL=yes and EMAIL_USE_TLS=no"
            )
        return False, True
    return starttls, smtps


def problems(environment: Mapping[str, str]) -> Iterator[str]:
    """One line for each variable of this module that cannot be read, or contradicts another."""
    readers: list[Callable[[], object]] = [partial(flag, environment, name) for name in FLAGS]
    readers += [partial(number, environment, name) for name in NUMBERS]
    readers.append(partial(mail_encryption, environment))
    found: dict[str, None] = {}
    for read in readers:
        try:
            read()
        except ValueError as problem:
            found[str(problem)] = None  # each line once
    yield from found


def warnings(environment: Mapping[str, str]) -> Iterator[str]:
    """One line for each setting that works but harms. The environment has no problems."""
    host = environment.get("EMAIL_HOST", "").strip() or "localhost"
    if environment.get("EMAIL_HOST_PASSWORD") and host not in THIS_MACHINE and not any(mail_encryption(environment)):
        yield (
            f"EMAIL_HOST_PASSWORD is sent to {host} in clear, and so are letters with codes. Set EMAIL_USE_TLS=yes for"
            " STARTTLS on port 587, or EMAIL_PORT=465"
        )

"""The request id is the same in the request, the worker and the letter."""

import json
import logging
import re
import sys

import pytest
from celery import current_app
from django.test import Client

from championship.health.tasks import look
from championship.notices.mail_content import write_letter
from championship.notices.models import Notice
from championship.platform import tracing
from tests.championship.runs.factories import careful_turn, on_the_road, play

SENT_BY_PROXY = "0af7651916cd43dd8448eb211c80319c"


def record(message: str, *args: object, error: bool = False) -> logging.LogRecord:
    made = logging.LogRecord("parc", logging.INFO, "", 0, message, args, sys.exc_info() if error else None)
    tracing.WithRequestId().filter(made)
    return made


@pytest.mark.parametrize("given", ["", "short", "a" * 65, 'quote"quote', "Zeile\numbruch", "ünsinn-ünsinn"])
def test_a_request_has_an_id_whatever_was_sent(client, given):
    told = client.get("/healthz/none", HTTP_X_REQUEST_ID=given).headers["X-Request-ID"]
    assert re.fullmatch("[0-9a-f]{16}", told)


def test_a_proxys_id_is_kept_and_a_strangers_is_not(client, settings):
    address = "/healthz/none"
    assert client.get(address, HTTP_X_REQUEST_ID=SENT_BY_PROXY).headers["X-Request-ID"] == SENT_BY_PROXY
    settings.TRUSTED_PROXIES = "none"
    assert client.get(address, HTTP_X_REQUEST_ID=SENT_BY_PROXY).headers["X-Request-ID"] != SENT_BY_PROXY


def test_a_line_of_the_log_is_one_json_object():
    with tracing.within(SENT_BY_PROXY):
        said = json.loads(tracing.JsonLines().format(record('"%s"\n%s', "ü", "two")))
    assert said["message"] == '"ü"\ntwo'
    assert (said["level"], said["logger"], said["request_id"]) == ("INFO", "parc", SENT_BY_PROXY)
    assert "request_id" not in json.loads(tracing.JsonLines().format(record("outside")))


def test_an_error_is_logged_with_its_origin():
    try:
        raise ValueError("broken")
    except ValueError:
        said = json.loads(tracing.JsonLines().format(record("it failed", error=True)))
    assert "ValueError: broken" in said["error"]


def test_a_message_to_a_worker_takes_the_id_along():
    headers: dict[str, str] = {}
    with tracing.within(SENT_BY_PROXY):
        tracing._take_along(headers=headers)
    assert headers == {"request_id": SENT_BY_PROXY}
    outside: dict[str, str] = {}
    tracing._take_along(headers=outside)
    assert outside == {}


def test_a_task_works_under_the_id_of_its_message():
    task = current_app.tasks[look.name]
    task.push_request(is_eager=False, request_id=SENT_BY_PROXY)
    try:
        tracing._take_up(task=task)
        assert tracing.current() == SENT_BY_PROXY
        tracing._lay_down(task=task)
        assert tracing.current() == ""
    finally:
        task.pop_request()


@pytest.mark.django_db
def test_a_letter_names_the_request_that_wrote_it():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    Notice.objects.all().delete()
    with tracing.within(SENT_BY_PROXY):
        play(run, ana, **careful_turn(run))
    notices = list(Notice.objects.filter(channel="mail")[:1])
    assert write_letter(notices).extra_headers["X-Request-ID"] == SENT_BY_PROXY
    Notice.objects.update(request_id="")
    assert "X-Request-ID" not in write_letter(list(Notice.objects.filter(channel="mail")[:1])).extra_headers


@pytest.mark.django_db
def test_what_a_request_writes_carries_its_id():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    Notice.objects.all().delete()
    from tests.championship.runs.factories import desk_of, drive_whole_turn

    client: Client = desk_of(ana)
    drive_whole_turn(client, run)
    assert all(re.fullmatch("[0-9a-f]{16}", notice.request_id) for notice in Notice.objects.all())
    assert Notice.objects.exists()

"""Papers of big rallies: a worker makes each of them once, and it is stored and served. No request makes one."""

import io
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.translation import gettext, override
from pypdf import PdfReader

from championship.papers import services as paper_cache
from championship.papers.models import KeptPaper
from championship.papers.services import keeping
from championship.platform import clock
from championship.rallies import services
from tests.championship.faults import HOST, dead_port, sent_to
from tests.championship.rallies.factories import drive, largest_rally, organiser_of, started
from tests.factories import make_user, signed_in

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("nobody_listens", "no_worker")]

FILES = ("sheet.pdf", "results.pdf", "start-list.pdf", "results.csv", "results.xlsx", "podium.png")


@pytest.fixture
def no_worker():
    """Tasks go to a broker that is not there, so no worker takes them."""
    cache.clear()  # throttles count in the cache
    with dead_port() as port, sent_to(f"redis://{HOST}:{port}/0"):
        yield


@pytest.fixture
def rally(settings):
    """A rally that counts as big, with times on its first stage."""
    settings.PAPER_CELLS_AT_ONCE = 3
    rally, entries = started("Ana", "Bo", stages=("1/3", "1/1"), options={"checkpoints": False})
    drive(rally, 1, {entry: 200 + n for n, entry in enumerate(entries)})
    return rally


def fetch(rally, file="sheet.pdf", client=None, **headers):
    return (client or Client()).get(f"/rallies/{rally.key}/{file}", headers=headers)


def work():
    """Make the requested papers, as workers do. Returns how many were made."""
    wanted = KeptPaper.objects.exclude(asked_for="").values_list("pk", flat=True)
    return sum(paper_cache.make_paper(paper_id=pk) for pk in list(wanted))


@pytest.mark.parametrize("file", FILES)
def test_a_page_says_that_the_paper_is_being_made_and_gives_it_when_it_is_ready(rally, file):
    waiting = fetch(rally, file)
    assert waiting.status_code == 202
    assert "takes some seconds to make" in waiting.text
    assert 'hx-trigger="every 3s"' in waiting.text
    assert '<meta http-equiv="refresh" content="3">' in waiting.text, "without script it looks again too"
    assert (waiting["Retry-After"], waiting["Cache-Control"]) == ("3", "no-store")
    part = fetch(rally, file, **{"HX-Request": "true"})
    assert "<html" not in part.text
    assert 'hx-trigger="every 3s"' in part.text

    assert work() == 1
    ready = fetch(rally, file, **{"HX-Request": "true"})
    assert f'href="/rallies/{rally.key}/{file}" download' in ready.text
    assert "hx-trigger" not in ready.text, "the page has stopped asking"
    answer = fetch(rally, file)
    assert answer.status_code == 200
    assert not answer["Content-Type"].startswith("text/html")
    again = fetch(rally, file, **{"If-None-Match": answer["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_a_browser_that_had_to_wait_gets_the_paper_and_no_304(rally):
    waiting = fetch(rally)
    work()
    assert fetch(rally, **{"If-None-Match": waiting["ETag"]}).status_code == 200


def test_many_requests_at_once_make_the_paper_once(rally):
    def ask(_number):
        try:
            return fetch(rally).status_code
        finally:
            connection.close()

    def make(pk):
        try:
            return paper_cache.make_paper(paper_id=pk)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as crowd:
        assert list(crowd.map(ask, range(16))) == [202] * 16
    [paper] = KeptPaper.objects.all()
    with ThreadPoolExecutor(4) as workers:
        assert sorted(workers.map(make, [paper.pk] * 4)) == [False, False, False, True]
    assert fetch(rally).status_code == 200
    assert work() == 0, "nothing is left to do"


def test_each_language_and_stage_has_its_own_paper(rally):
    for language in ("en", "pl"):
        fetch(rally, **{"Accept-Language": language})
    for number in (1, 2):
        fetch(rally, f"stages/{number}/start-list.pdf")
    assert work() == 4
    polish_paper = fetch(rally, **{"Accept-Language": "pl"})
    with override("pl"):
        assert gettext("Spare wheel") in PdfReader(io.BytesIO(polish_paper.content)).pages[0].extract_text()
    assert fetch(rally, "stages/9/start-list.pdf").status_code == 404
    assert KeptPaper.objects.count() == 4, "nothing is kept of a stage that is not there"


def test_a_new_paper_replaces_the_old_one_but_not_within_a_minute(rally, at):
    at(clock.now())
    fetch(rally)
    work()
    first = fetch(rally)
    services.give_penalty(by=organiser_of(rally), entry=rally.entries.first(), amount=5, reason="Late")
    within_the_minute = fetch(rally, **{"If-None-Match": first["ETag"]})
    assert (within_the_minute.status_code, within_the_minute["ETag"]) == (200, first["ETag"])
    assert work() == 0
    at(clock.now() + keeping.FRESH)
    assert fetch(rally).status_code == 202
    assert work() == 1
    newer = fetch(rally)
    assert newer["ETag"] != first["ETag"]
    assert KeptPaper.objects.count() == 1


def test_the_paper_of_a_lost_task_or_of_a_dead_worker_is_made_later(rally, at):
    at(clock.now())
    fetch(rally)
    assert paper_cache.forgotten() == []
    at(clock.now() + timedelta(minutes=1))
    [lost] = paper_cache.forgotten()
    assert keeping.claimed(KeptPaper.objects.all(), lost) is not None  # this worker dies
    assert work() == 0
    at(clock.now() + keeping.LOST_AFTER)
    assert paper_cache.forgotten() == [lost]
    assert work() == 1


def test_a_paper_that_kills_its_workers_is_given_up_after_three(rally, at):
    at(clock.now())
    fetch(rally)
    [paper] = KeptPaper.objects.all()
    for _worker in range(keeping.MOST_TRIES):
        assert keeping.claimed(KeptPaper.objects.all(), paper.pk) is not None  # this worker dies
        at(clock.now() + keeping.LOST_AFTER)
    assert paper_cache.forgotten() == [paper.pk]
    assert work() == 0
    assert paper_cache.forgotten() == []
    paper.refresh_from_db()
    assert paper.failed_at == clock.now()


def test_a_paper_that_kills_its_workers_is_given_up_also_while_somebody_waits_for_it(rally, at):
    at(clock.now())
    assert fetch(rally).status_code == 202
    [paper] = KeptPaper.objects.all()
    for _worker in range(keeping.MOST_TRIES):
        assert keeping.claimed(KeptPaper.objects.all(), paper.pk) is not None  # this worker dies
        at(clock.now() + keeping.LOST_AFTER)
        assert "takes some seconds" in fetch(rally).text
    assert work() == 0
    assert "could not be made" in fetch(rally).text


def test_a_paper_that_cannot_be_made_is_tried_three_times_and_marked_as_failed(rally, at):
    at(clock.now())
    fetch(rally, "stages/2/start-list.pdf")
    rally.stages.filter(number=2).delete()
    assert [work() for _time in range(4)] == [0, 0, 0, 0]
    paper = KeptPaper.objects.get()
    assert (paper.tries, paper.failed_at) == (3, clock.now())


def test_a_client_that_requests_too_many_papers_has_to_wait(settings, rally, at):
    at("2026-12-31T23:59:30")
    settings.PAPERS_A_MINUTE = 2
    ana, bo = signed_in(make_user("Ana")), signed_in(make_user("Bo"))
    for file in ("sheet.pdf", "results.pdf"):
        assert fetch(rally, file, ana).status_code == 202
    answer = fetch(rally, "results.csv", ana)
    assert (answer.status_code, answer["Retry-After"]) == (429, "60")
    assert fetch(rally, "sheet.pdf", ana).status_code == 202, "to look again is no new wish"
    assert fetch(rally, "results.csv", bo).status_code == 202, "others are not held up"
    work()
    assert fetch(rally, "sheet.pdf", ana).status_code == 200, "what is kept is given out all the same"
    assert fetch(rally, "stages/2/start-list.pdf", ana).status_code == 429
    at("2027-01-01T00:00")
    assert fetch(rally, "stages/2/start-list.pdf", ana).status_code == 202, "a minute begins, and she may ask again"


def test_the_addresses_of_one_ipv6_network_are_one_client(settings, rally, at):
    at("2026-11-19T12:00:30")
    settings.PAPERS_A_MINUTE = 1  # the limit for an address is twice as high
    homes = ("2001:db8:5:7:a::1", "2001:db8:5:7:b::1", "2001:db8:5:7:c::1", "2001:db8:5:8::1")
    files = ("sheet.pdf", "results.pdf", "results.csv", "stages/1/start-list.pdf")
    answers = [
        fetch(rally, file, **{"X-Forwarded-For": home}).status_code for file, home in zip(files, homes, strict=True)
    ]
    assert answers == [202, 202, 429, 202]


def test_small_papers_are_made_at_once_and_not_stored(settings, rally):
    settings.PAPER_CELLS_AT_ONCE = 4
    assert [fetch(rally, file).status_code for file in FILES] == [200] * len(FILES)
    assert not KeptPaper.objects.exists()
    settings.PAPERS_A_MINUTE = 0
    assert fetch(rally).status_code == 429


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
def test_a_rally_of_300_cars_and_24_stages_costs_a_page_no_more_than_a_small_one(settings, rally, file):
    """In queries and in rows that are read: the page never reads the 7,200 times."""
    settings.PAPER_CELLS_AT_ONCE = 250
    big = largest_rally()
    with CaptureQueriesContext(connection) as asked:
        assert fetch(big, file).status_code == 202
    assert len(asked) <= 12
    KeptPaper.objects.update(
        content=b"a paper", made_of=KeptPaper.objects.get().asked_for, asked_for="", made_at=clock.now()
    )
    with CaptureQueriesContext(connection) as served:
        assert fetch(big, file).content == b"a paper"
    assert len(served) <= 5, "the rally, its state, the season it is a round of, its size, the paper"
    for query in [*asked, *served]:
        assert 'FROM "rallies_stagetime"' not in query["sql"] or "COUNT" in query["sql"]

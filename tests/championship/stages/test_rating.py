"""Ratings of stages: organisers request them, workers drive their chunks, each once, and pages show the progress."""

import pytest
from django.test import Client

from championship.clubs.models import Role
from championship.platform import clock
from championship.platform.refusals import Forbidden, Stale
from championship.stages import tasks
from championship.stages.models import Chunk, Rating, StageDesign
from championship.stages.services import load_library, rating
from engine import registry
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def design() -> StageDesign:
    load_library()
    return StageDesign.objects.get(club=None, source="1/1")


@pytest.fixture
def few_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rating has only eight runs in four chunks, so that it is done sooner."""
    monkeypatch.setattr(rating, "RUNS", 8)
    monkeypatch.setattr(rating, "RUNS_A_CHUNK", 2)


def test_an_organiser_has_a_stage_rated_and_sees_how_far_it_has_come(design: StageDesign, few_runs: None) -> None:
    olga = make_user("Olga")
    make_club(owner=olga)
    page = signed_in(olga).post(f"/stages/{design.key}/rate/", follow=True).content.decode()
    assert "0 of 8 runs are driven" in page
    chunks = list(Chunk.objects.order_by("first"))
    rating.drive_chunk(chunk_id=chunks[0].pk)
    part = Client().get(f"/stages/{design.key}/rating/").content.decode()
    assert "2 of 8 runs are driven" in part
    assert 'hx-trigger="every 3s"' in part
    for chunk in chunks[1:]:
        rating.drive_chunk(chunk_id=chunk.pk)
    part = Client().get(f"/stages/{design.key}/rating/").content.decode()
    assert "Par time" in part
    assert "every 3s" not in part


def test_chunks_give_the_same_result_as_one_drive_and_each_is_driven_once(design: StageDesign, few_runs: None) -> None:
    olga = make_user("Olga")
    make_club(owner=olga)
    asked = rating.rate_stage(by=olga, design=design)
    ids = list(Chunk.objects.values_list("pk", flat=True))
    assert [rating.drive_chunk(chunk_id=pk) for pk in reversed(ids)] == [True] * 4
    assert [rating.drive_chunk(chunk_id=pk) for pk in ids] == [False] * 4
    rules = registry.get("dirt")
    whole = rules.rating(design.spec, rules.simulate(design.spec, runs=8, seed=asked.seed, first=1))
    asked.refresh_from_db()
    assert asked.result == whole


def test_a_stage_has_one_rating_at_a_time_and_the_next_has_other_dice(design: StageDesign, few_runs: None) -> None:
    olga = make_user("Olga")
    make_club(owner=olga)
    first = rating.rate_stage(by=olga, design=design)
    with pytest.raises(Stale):
        rating.rate_stage(by=olga, design=design)
    assert signed_in(olga).post(f"/stages/{design.key}/rate/").status_code == 409
    for pk in Chunk.objects.values_list("pk", flat=True):
        rating.drive_chunk(chunk_id=pk)
    assert rating.rate_stage(by=olga, design=design).seed == first.seed + 1


def test_only_organisers_have_stages_rated(design: StageDesign) -> None:
    club, rated = make_club(), Rating.objects.count()
    driver = make_member(club, name="Ana", roles=(Role.DRIVER,))
    with pytest.raises(Forbidden):
        rating.rate_stage(by=driver, design=design)
    assert signed_in(driver).post(f"/stages/{design.key}/rate/").status_code == 403
    assert Rating.objects.count() == rated


def test_the_stage_page_takes_few_queries(design: StageDesign, few_runs: None, django_assert_max_num_queries) -> None:
    olga = make_user("Olga")
    make_club(owner=olga)
    rating.rate_stage(by=olga, design=design)
    client = signed_in(olga)
    with django_assert_max_num_queries(15):
        assert client.get(f"/stages/{design.key}/").status_code == 200


def test_chunks_whose_task_was_lost_are_found_after_a_while(design, few_runs, at) -> None:
    at("2028-02-29T12:00")
    olga = make_user("Olga")
    make_club(owner=olga)
    signed_in(olga).post(f"/stages/{design.key}/rate/")
    assert rating.forgotten_chunks() == []
    at(clock.now() + rating.FORGOTTEN_AFTER)
    assert rating.forgotten_chunks() == list(Chunk.objects.order_by("pk").values_list("pk", flat=True))


def test_a_rating_whose_last_worker_died_is_settled_by_the_next_sweep(design: StageDesign, few_runs: None) -> None:
    """Given a worker that committed the last chunk and died before it settled the rating, beat settles it."""
    olga = make_user("Olga")
    make_club(owner=olga)
    asked = rating.rate_stage(by=olga, design=design)
    *others, last = Chunk.objects.order_by("first")
    for chunk in others:
        rating.drive_chunk(chunk_id=chunk.pk)
    tasks.rate_forgotten()
    asked.refresh_from_db()
    assert asked.result is None, "a chunk is missing"
    rules = registry.get("dirt")
    last.driven = rules.simulate(design.spec, runs=last.runs, seed=asked.seed, first=last.first)
    last.save()
    tasks.rate_forgotten()
    asked.refresh_from_db()
    assert asked.result is not None
    assert rating.rate_stage(by=olga, design=design).seed == asked.seed + 1, "the stage can be rated again"

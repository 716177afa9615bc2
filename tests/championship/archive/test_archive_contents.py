"""What an archive contains, and what it must never contain."""

import base64
import json
import zipfile

import pytest
from django.apps import apps

from championship.archive.tables import BY_NAME, LEFT_OUT
from championship.clubs.services import invite
from championship.notices.models import Webhook
from championship.runs.models import Run, Seal
from engine import record
from tests.championship.archive.scenes import a_club_with_a_past, archived
from tests.championship.runs.factories import careful_turn, on_the_road, play

pytestmark = pytest.mark.django_db


def files_of(club) -> dict[str, str]:
    with zipfile.ZipFile(archived(club)) as found:
        return {name: found.read(name).decode() for name in found.namelist()}


def test_every_table_is_in_archives_or_left_out_for_a_reason():
    ours = {
        model._meta.label_lower
        for model in apps.get_models()
        if model.__module__.startswith("championship.") and not model._meta.proxy
    }
    assert ours == BY_NAME.keys() | LEFT_OUT.keys()
    assert not BY_NAME.keys() & LEFT_OUT.keys()
    assert {table.model._meta.pk.attname for table in BY_NAME.values()} == {"id"}


def test_the_manifest_counts_and_records_can_be_drawn_again():
    past = a_club_with_a_past()
    files = files_of(past.club)
    manifest = json.loads(files["manifest.json"])
    assert manifest["club"] == {"name": past.club.name, "key": past.club.key}
    assert manifest["files"].keys() == files.keys() - {"manifest.json"}
    assert manifest["files"]["tables/rallies.rally.jsonl"]["rows"] == 4
    records = [json.loads(text) for name, text in files.items() if name.startswith("records/")]
    assert len(records) == 1
    assert record.verify(records[0]) is None
    assert past.club.name in files["README.txt"]


def test_no_secret_leaves_the_house():
    run, entries = on_the_road("Ana", "Bo")
    rally = run.special_stage.rally
    play(run, entries[0], **careful_turn(run))
    olga = rally.club.memberships.order_by("pk")[0].user
    invitation, token = invite(by=olga, club=rally.club, roles=["driver"], days=7)
    hook = Webhook.objects.create(club=rally.club, url="https://example.org/hook", set_by=olga)
    rally.club.memberships.get(user=entries[1].driver).delete()

    text = "\n".join(files_of(rally.club).values())

    run.refresh_from_db()
    secrets = [bytes(run.secret), *(bytes(seal.secret) for seal in Seal.objects.all())]
    forbidden = [
        *(secret.hex() for secret in secrets),
        *(base64.b64encode(secret).decode() for secret in secrets),
        token, invitation.token_hash, hook.secret, hook.url, run.key, entries[1].driver.email,
    ]  # fmt: skip
    assert [word for word in forbidden if word in text] == []
    assert entries[0].driver.email in text
    assert Run.objects.count() == 1


def test_a_stage_on_the_road_is_named_beforehand():
    run, _entries = on_the_road("Ana")
    files = files_of(run.special_stage.rally.club)
    assert "Rajd Wisły, 1" in files["README.txt"]
    assert json.loads(files["manifest.json"])["on_the_road"] == ["Rajd Wisły, 1"]

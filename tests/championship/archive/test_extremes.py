"""Every column of an archive has its extreme values: it is refused by name, or every page of everybody opens."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator

import pytest
from django.db import transaction
from django.test import Client

from championship.accounts.models import User
from championship.archive.services.restoring import restore_club
from championship.archive.tables import TABLES
from championship.archive.tasks import look_after_archives
from championship.clubs.models import Club, Role
from championship.clubs.services import accept_invitation, invite, set_roles
from championship.deadlines.tasks import sweep
from championship.platform.refusals import Refused
from championship.platform.tasks import delete_expired
from tests.championship.api.factories import Program, program_of
from tests.championship.archive import extremes
from tests.championship.archive.scenes import a_club_with_a_past, archived
from tests.championship.archive.test_damaged import packed
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def inside(django_db_setup, django_db_blocker) -> dict[str, bytes]:
    """The files of an archive with a row in every table. The creation of the club is rolled back."""
    with django_db_blocker.unblock(), transaction.atomic():
        with zipfile.ZipFile(archived(a_club_with_a_past().club)) as found:
            files = {name: found.read(name) for name in found.namelist()}
        transaction.set_rollback(True)
    return files


def restored(inside: dict[str, bytes], which: str, owner: User) -> Club:
    """Restore the archive with extreme values in all columns, and return the club. A column that is refused keeps its
    value.
    """
    refused: dict[str, set[str]] = {table.name: set() for table in TABLES}
    for _try in range(150):
        files = dict(inside)
        for table in TABLES:
            name = f"tables/{table.name}.jsonl"
            files[name] = extremes.changed_table(table.name, inside[name], which, frozenset(refused[table.name]))
        try:
            return restore_club(by=None, file=packed(files), owner=owner)
        except Refused as refusal:
            table, columns = named(str(refusal))
            assert columns - refused[table], str(refusal)
            refused[table] |= columns
    raise AssertionError(refused)


def address_of(name: str, files: dict[str, bytes]) -> str:
    """Return the mail address of a person in the archive."""
    people = map(json.loads, files["tables/people.jsonl"].splitlines())
    return next(str(row["email"]) for row in people if row["name"] == name)


def named(refusal: str) -> tuple[str, set[str]]:
    """Return the table and the columns that a refusal names, itself or by a constraint."""
    for table in TABLES:
        fields = {field.name for field in table.model._meta.concrete_fields}
        if re.search(rf"\b{table.model._meta.db_table}\b", refusal):
            for constraint in table.model._meta.constraints:
                if constraint.name in refusal:
                    return table.name, {name for name in fields if name in str(constraint.deconstruct())}
            return table.name, {name for name in fields if re.search(rf"\b{name}\b", refusal)}
        if re.search(rf"\b{re.escape(table.name)}\b", refusal):
            return table.name, {name for name in fields if re.search(rf"\b{name}\b", refusal)}
    raise AssertionError(refusal)


@pytest.mark.slow
@pytest.mark.parametrize("which", [extremes.LOWEST, extremes.HIGHEST, extremes.ODD, extremes.HOLLOW, extremes.SWAPPED])
def test_every_page_of_everybody_opens(inside, which):
    vera, root, dag = make_user("Vera"), make_user("Root"), make_user("D. A. G.", email=address_of("Dag", inside))
    root.is_staff = root.is_superuser = True
    root.save()
    club = restored(inside, which, vera)
    Club.objects.filter(pk=club.pk).update(closed_at=None)  # so that somebody can join
    set_roles(by=vera, membership=club.memberships.get(), roles=[role for role in Role if role != Role.GUEST])
    _invitation, token = invite(by=vera, club=club, roles=[Role.DRIVER], days=7)
    accept_invitation(by=dag, token=token)
    paths = list(extremes.addresses(club, dag))
    assert len(paths) > 500 and {"feeds", "calendar", "runs", "protests"} <= {path.split("/")[1] for path in paths}
    pages = [path for path in paths if not path.startswith("/api/v1/")]
    opened = {
        "nobody": (Client(), pages),
        "owner": (signed_in(vera), pages),
        "program": (program_of(vera), [path for path in paths if path not in pages]),
    }
    if which in (extremes.LOWEST, extremes.HIGHEST):  # the others differ only in what a page shows to everybody
        opened["driver"] = (signed_in(dag), pages)
        opened["operator"] = (signed_in(root), [path for path in pages if "operator" in path])
    failed = [f"{who}: {line}" for who, (client, found) in opened.items() for line in wrong(client, found)]
    assert not failed, "\n".join(failed)
    for task in (sweep, look_after_archives, delete_expired):
        task()


def wrong(client: Client | Program, paths: list[str]) -> Iterator[str]:
    """Yield a line about each address that does not open."""
    for path in paths:
        try:
            status = client.get(path).status_code
        except Exception as error:
            yield f"{path}: {error!r:.200}"
        else:
            if status >= 500:
                yield f"{path}: {status}"

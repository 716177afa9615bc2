"""A client that a foreign generator makes from the schema is compiled, and makes a turn over real HTTP."""

import compileall
import os
import subprocess
import sys

import pytest

from championship.api import schema
from championship.api.services import make_token
from tests.championship.runs.factories import on_the_road

TURN = """
import sys
from stranger import AuthenticatedClient
from stranger.api.default import play_turn, read_choices, read_run
from stranger.models import Turn, TurnOrders

client = AuthenticatedClient(base_url=sys.argv[1] + "/api/v1", token=sys.argv[2])
before = read_run.sync(sys.argv[3], client=client)
choices = read_choices.sync(sys.argv[3], client=client)
orders = TurnOrders.from_dict(choices.autopilot.to_dict())
after = play_turn.sync(sys.argv[3], client=client, body=Turn(orders=orders, version=choices.version, salt="4d1e6b"))
assert before.my_turn and after.told == before.told + 1, after
print("played", after.version)
"""


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_generated_client_makes_a_turn(live_server, tmp_path):
    (tmp_path / "openapi.json").write_text(schema.as_text(), encoding="utf-8")
    (tmp_path / "how.yml").write_text("post_hooks: []\npackage_name_override: stranger\n", encoding="utf-8")
    made = tmp_path / "made"
    generate = ["generate", "--path", str(tmp_path / "openapi.json"), "--config", str(tmp_path / "how.yml")]
    call(
        sys.executable,
        "-m",
        "openapi_python_client",
        *generate,
        "--meta",
        "none",
        "--output-path",
        str(made / "stranger"),
    )
    assert compileall.compile_dir(made, quiet=1)
    run, [ana, _bo] = on_the_road("Ana", "Bo")
    _token, text = make_token(by=ana.driver, name="Stranger", scopes=["play"])
    (made / "turn.py").write_text(TURN, encoding="utf-8")
    assert "played" in call(sys.executable, str(made / "turn.py"), live_server.url, text, run.key)
    run.refresh_from_db()
    assert run.posts.filter(by=ana.driver, salt__contains="4d1e6b").exists()


def call(*command: str) -> str:
    """Return the output of a program, which must exit with 0."""
    ended = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False, env=dict(os.environ))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout

"""The embedded PostgreSQL: it starts anywhere, survives kills, and stops with its last user."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from championship.platform import embedded

ROOT = Path(embedded.__file__).parents[2]
SCENE = """
import os, sys, time
from pathlib import Path
from championship.platform import embedded
embedded.ensure_running(Path(sys.argv[1]))
if not os.fork():  # a child that outlives its parent, as a pool's may
    os.closerange(0, 3)
    time.sleep(60)
    os._exit(0)
print(os.environ["DATABASE_URL"], flush=True)
sys.stdin.readline()
"""


class Visitor:
    """A separate process that uses the server until it is told to stop."""

    def __init__(self, data: Path) -> None:
        environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", SCENE, str(data)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=ROOT,
        )
        self.url = self.process.stdout.readline().strip()
        assert self.url

    def leave(self) -> None:
        self.process.communicate("\n", timeout=60)
        assert self.process.returncode == 0

    def be_killed(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate(timeout=60)


def answers(url: str) -> bool:
    try:
        with psycopg.connect(url) as connection:
            return connection.execute("SELECT 1").fetchone() == (1,)
    except psycopg.OperationalError:
        return False


@pytest.fixture
def data(folder: Path) -> Path:
    return folder / "var" / "postgres"


def test_a_given_server_is_left_alone(monkeypatch: pytest.MonkeyPatch, data: Path) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://somewhere/else")

    embedded.ensure_running(data)

    assert os.environ["DATABASE_URL"] == "postgresql://somewhere/else"
    assert not data.exists()


def test_without_the_package_of_the_server_one_line_says_what_to_do() -> None:
    without = (
        "import sys; sys.modules['psutil'] = None; sys.argv = ['manage.py', 'migrate']; import manage; manage.main()"
    )
    environment = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", embedded.OWN_URL)}
    environment["DJANGO_SETTINGS_MODULE"] = "championship.settings.demo"
    result = subprocess.run(
        [sys.executable, "-c", without], env=environment, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1 and "requirements-local.lock" in result.stderr


@pytest.mark.slow
def test_the_server_stays_until_its_last_user_leaves_whatever_became_of_their_forks(data: Path) -> None:
    first = Visitor(data)
    second = Visitor(data)
    assert first.url == second.url

    first.leave()
    assert answers(second.url)

    second.leave()
    assert not answers(second.url)


@pytest.mark.slow
def test_a_killed_user_leaves_a_server_that_the_next_one_takes_up(data: Path) -> None:
    killed = Visitor(data)
    killed.be_killed()
    assert answers(killed.url)

    following = Visitor(data)
    assert answers(following.url)
    following.leave()
    assert not answers(following.url)


@pytest.mark.slow
def test_what_was_written_is_there_after_server_and_user_were_killed(data: Path) -> None:
    killed = Visitor(data)
    with psycopg.connect(killed.url) as connection:
        connection.execute("CREATE TABLE lap (seconds int)")
        connection.execute("INSERT INTO lap VALUES (232)")
    killed.be_killed()
    os.kill(int((data / "postmaster.pid").read_text().splitlines()[0]), signal.SIGKILL)

    following = Visitor(data)
    with psycopg.connect(following.url) as connection:
        assert connection.execute("SELECT seconds FROM lap").fetchone() == (232,)
    following.leave()


@pytest.mark.slow
def test_a_stale_pid_that_now_belongs_to_another_process_is_no_obstacle(data: Path) -> None:
    Visitor(data).leave()
    (data / "postmaster.pid").write_text(f"{os.getpid()}\n{data}\n0\n5432\n{data}\n\n0 0\nready\n")

    following = Visitor(data)

    assert answers(following.url)
    following.leave()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["long" * 40, "with a space and 'quotes'", "Parc Fermé"])
def test_any_project_folder_will_do(folder: Path, name: str) -> None:
    visitor = Visitor(folder / name / "postgres")

    assert answers(visitor.url)
    visitor.leave()
    assert not answers(visitor.url)

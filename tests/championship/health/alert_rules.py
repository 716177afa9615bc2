"""Evaluates the rules of deploy/alerts.yml with promtool, over metrics that the service has exported."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from tests.deploy.programs import tool

RULES = Path(__file__).resolve().parents[3] / "deploy" / "alerts.yml"

Scrape = Mapping[str, float]
"""The values of one request for metrics, by name and labels."""


UNITS = {"ms": 0, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400, "y": 365 * 86400}
"""Seconds of the units in which promtool writes times, such as "1d12h"."""


def firing(name: str, scrapes: Sequence[Scrape], folder: Path, *, seconds: int = 60) -> int | None:
    """Return after how many seconds the alert fires, when a monitor gets these values one after the other, one every
    `seconds`; None when it does not fire. The file for promtool is written to `folder`.
    """
    [_rule] = [rule for rule in yaml.safe_load(RULES.read_text())["groups"][0]["rules"] if rule.get("alert") == name]
    names = sorted({series for scrape in scrapes for series in scrape})
    test = {
        "rule_files": [str(RULES)],
        "evaluation_interval": f"{seconds}s",
        "tests": [
            {
                "interval": f"{seconds}s",
                "input_series": [
                    {"series": series, "values": " ".join(str(scrape.get(series, "_")) for scrape in scrapes)}
                    for series in names
                ],
                "alert_rule_test": [
                    {"eval_time": f"{number * seconds}s", "alertname": name, "exp_alerts": []}
                    for number in range(len(scrapes))
                ],
            }
        ],
    }
    file = folder / "rules.json"
    file.write_text(json.dumps(test))
    read = subprocess.run(
        [tool("promtool"), "test", "rules", str(file)], capture_output=True, text=True, timeout=120, check=False
    )
    told = read.stdout + read.stderr
    times = [_seconds(time) for time in re.findall(rf"alertname: *\"?{name}\"?, time: *(\w+)", told)]
    assert (read.returncode == 0) is not bool(times), told
    return min(times, default=None)


def _seconds(time: str) -> int:
    return sum(int(number) * UNITS[unit] for number, unit in re.findall(r"(\d+)(ms|[smhdwy])", time))

#!/usr/bin/env bash
# Records in the service's database that a backup ("base") or a copy on another machine ("copy") was finished just now:
# deploy/record_backup.sh base. Then /metrics and manage.py health know its age. Runs as postgres, by the other scripts.
# SERVICE_DATABASE (/etc/parc-ferme/backup.env): the name of the database, by default parc_ferme.
set -euo pipefail
[[ ${1:-} =~ ^(base|copy)$ ]] || { echo "usage: deploy/record_backup.sh base|copy" >&2; exit 1; }

# The backup itself is good without this row, so a failure is reported and nothing else. Monitoring then sees an old backup.
psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 --set what="$1" "${SERVICE_DATABASE:-parc_ferme}" <<'END' \
    || echo "The backup is finished, but its time could not be recorded: monitoring will report it as missing." >&2
INSERT INTO health_finishedbackup (what, finished_at) VALUES (:'what', clock_timestamp())
ON CONFLICT (what) DO UPDATE SET finished_at = excluded.finished_at;
END

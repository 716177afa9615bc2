#!/usr/bin/env bash
# Copies the backups to another machine, if COPY_TO (/etc/parc-ferme/backup.env) names a folder there for rsync:
# "backup@host:/folder". deploy/copy_backups.sh wal copies the archived WAL, every five minutes; deploy/copy_backups.sh all
# copies the base backups too, after each of them. Runs as postgres.
# It deletes there only what backup.sh has deleted here, by name. When files are lost here, their copies stay.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${BACKUPS:-/var/backups/parc-ferme}
[[ ${1:-} =~ ^(wal|all)$ ]] || { echo "usage: deploy/copy_backups.sh wal|all" >&2; exit 1; }
if [ -z "${COPY_TO:-}" ]; then
    rm -f "$folder/deleted"
    exit 0
fi

# One copy at a time: WAL waits for the next turn, a whole copy waits until the other is finished.
exec 9>"$folder/.copying"
if [ "$1" = wal ]; then flock --nonblock 9 || exit 0; else flock 9; fi

# A file under its final name is complete, so WAL needs no snapshot. --partial-dir continues after a lost connection.
options=(--archive --partial-dir=.rsync-partial --timeout=120 --exclude='.*.part')
rsync "${options[@]}" "$folder/wal" "$COPY_TO/"
if [ "$1" = all ]; then
    rsync "${options[@]}" --exclude='*.part' "$folder/base" "$COPY_TO/"
    if [ -s "$folder/deleted" ]; then
        rsync --recursive --delete-missing-args --force --files-from="$folder/deleted" "$folder/" "$COPY_TO/"
        : >"$folder/deleted"
    fi
fi
"$here/record_backup.sh" copy

#!/usr/bin/env bash
# Restores the cluster: deploy/restore.sh [BACKUP] [MOMENT]. By default the newest backup and all WAL that was archived.
#   deploy/restore.sh 20261122T021000Z '2026-11-22 09:30:00+00'
# The current data folder is moved aside, not deleted. Afterwards the service takes no turns before after_restore, which
# this script runs once the database has recovered: it pauses rallies, seals open stages again, and notifies drivers.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=deploy/lib.sh
. "$here/lib.sh"
[ $# -le 2 ] || fail "usage: deploy/restore.sh [BACKUP] [MOMENT], for example 20261122T021000Z '2026-11-22 09:30:00+00'"
name=${1:-} moment=${2:-}
[[ $name =~ ^([0-9]{8}T[0-9]{6}Z)?$ ]] || fail "'$name' is not the name of a backup, like 20261122T021000Z"
[ -z "$moment" ] || date --date="$moment" >/dev/null 2>&1 || fail "'$moment' is not a date and time"
as_root
[ -n "$name" ] || name=$(find "$backups/base" -mindepth 1 -maxdepth 1 -name '*Z' -printf '%f\n' | sort | tail -n 1)
[ -n "$name" ] || fail "there is no backup in $backups/base"
[ -d "$backups/base/$name" ] || fail "there is no backup $backups/base/$name"
version=$(cluster_version)
data=/var/lib/postgresql/$version/main
bin=/usr/lib/postgresql/$version/bin

say "Verifying $name"
runuser -u postgres -- "$bin/pg_verifybackup" --quiet "$backups/base/$name"

# The current data stay beside the restored ones.
needed=$(du --summarize --block-size=1M "$backups/base/$name" | cut -f 1)
free=$(df --output=avail --block-size=1M "$(dirname "$data")" | tail -n 1)
[ "$free" -gt $((needed + 500)) ] || fail "$((needed + 500)) MB are needed beside the current data, and $free MB are free"

say "Stopping all services"
close_door
systemctl stop "${services[@]}" "${timers[@]}"
systemctl stop "postgresql@$version-main"

aside=$(lay_back "$backups/base/$name" "$data" "$backups/wal" postgres "$moment")

say "PostgreSQL is recovering"
systemctl start "postgresql@$version-main"
for _try in $(seq 600); do
    recovering=$(runuser -u postgres -- psql -XAtc 'SELECT pg_is_in_recovery()' 2>/dev/null || echo t)
    [ "$recovering" = f ] && break
    sleep 2
done
[ "$recovering" = f ] || fail "the recovery did not end; see journalctl --unit postgresql@$version-main"
forget_recovery "$backups/base/$name" "$data" postgres

say "Pausing rallies and sealing stages again"
manage migrate --no-input
manage after_restore || fail "the service takes no turns until this succeeds: manage.py after_restore"

say "Services"
systemctl start "${services[@]}"
wait_until_ready /readyz || fail "the service did not get ready; see journalctl --unit 'parc-ferme*'"
systemctl start "${timers[@]}"
say "Restored. The old data are in $aside; delete them when nobody needs them any more."
say "Organisers can resume their rallies. A new base backup starts now."
systemctl start parc-ferme-backup.service

#!/usr/bin/env bash
# The cluster as it was: deploy/restore.sh [BACKUP] [MOMENT]; by default the newest backup and all WAL that was archived.
#   deploy/restore.sh 20261122T021000Z '2026-11-22 09:30:00+00'
# What lies in the data folder now is put aside, not deleted. Afterwards no turn is taken before after_restore, which this
# script runs when all is up: rallies are paused, what is open is sealed anew, drivers are told.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=deploy/lib.sh
. "$here/lib.sh"
as_root
name=${1:-$(find "$backups/base" -mindepth 1 -maxdepth 1 -name '*Z' -printf '%f\n' | sort | tail -n 1)}
moment=${2:-}
[[ $name =~ ^[0-9]{8}T[0-9]{6}Z$ ]] || fail "no backup in $backups/base, or '$name' is none"
[ -d "$backups/base/$name" ] || fail "there is no $backups/base/$name"
[ -z "$moment" ] || date --date="$moment" >/dev/null || fail "'$moment' is no moment"
version=$(cluster_version)
data=/var/lib/postgresql/$version/main
bin=/usr/lib/postgresql/$version/bin

say "Checking $name"
runuser -u postgres -- "$bin/pg_verifybackup" --quiet "$backups/base/$name"

say "Everything stops"
close_door
systemctl stop "${services[@]}" "${timers[@]}"
systemctl stop "postgresql@$version-main"

aside=$(lay_back "$backups/base/$name" "$data" "$backups/wal" postgres "$moment")

say "PostgreSQL recovers"
systemctl start "postgresql@$version-main"
for _try in $(seq 600); do
    recovering=$(runuser -u postgres -- psql -XAtc 'SELECT pg_is_in_recovery()' 2>/dev/null || echo t)
    [ "$recovering" = f ] && break
    sleep 2
done
[ "$recovering" = f ] || fail "the recovery does not end: journalctl --unit postgresql@$version-main"
forget_recovery "$backups/base/$name" "$data" postgres

say "Fairness"
manage migrate --no-input
manage after_restore || fail "no turn is taken before: manage.py after_restore"

say "Services"
systemctl start "${services[@]}"
wait_until_ready /readyz || fail "it does not get ready: journalctl --unit 'parc-ferme*'"
systemctl start "${timers[@]}"
say "Restored. What was there before lies in $aside; delete it when nobody misses anything."
say "Organisers let their rallies go on. A new base backup is made now."
systemctl start parc-ferme-backup.service

#!/usr/bin/env bash
# Upgrades to the release in this folder: deploy/upgrade.sh. Returns to the previous one: deploy/upgrade.sh --back
# The new release is made beside the running one. Then the tables are migrated, and all services restart with the new
# release. If it does not get ready, the old release runs again: migrations only add to the tables, so both fit them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=deploy/lib.sh
. "$here/lib.sh"
[ $# = 0 ] || [ "$*" = --back ] || fail "usage: deploy/upgrade.sh [--back]"
as_root
[ -e "$home/current" ] || fail "nothing is installed here yet: use deploy/install.sh"
before=$(readlink -f "$home/current")

restart_all() {
    install_units
    leave_room_for_door
    # gunicorn completes the requests that it has begun. New requests wait at the socket. Workers complete the task that
    # they have begun. beat queues the rest again.
    systemctl restart "${services[@]}"
    # A release may bring another timer.
    systemctl enable --quiet --now "${timers[@]}"
}

# bring_cluster_conf FROM TO: replaces PostgreSQL's settings of release FROM by those of release TO, without a restart. A
# file that was changed by hand stays. --back keeps the new file: its archive_command works with every release.
bring_cluster_conf() {
    local version there from=$1/deploy/postgresql/parc-ferme.conf to=$2/deploy/postgresql/parc-ferme.conf
    version=$(cluster_version)
    there=$(cluster_conf "$version")
    if [ -z "$version" ] || [ ! -e "$there" ] || cmp --silent "$to" "$there"; then return 0; fi
    if ! cmp --silent "$from" "$there"; then
        say "$there was changed by hand and is kept; the file of this release is $to"
        return 0
    fi
    install -m 0644 "$to" "$there"
    systemctl reload "postgresql@$version-main"
}

# bring_caddyfile FROM TO: replaces the Caddyfile of release FROM by that of release TO. A file that was changed by hand
# stays.
bring_caddyfile() {
    local there=$caddyfile from=$1/deploy/Caddyfile to=$2/deploy/Caddyfile
    if [ ! -e "$there" ] || cmp --silent "$to" "$there"; then return 0; fi
    if ! cmp --silent "$from" "$there"; then
        say "$there was changed by hand and is kept; the file of this release is $to"
        return 0
    fi
    install -m 0644 "$to" "$there"
    systemctl reload caddy && return
    install -m 0644 "$from" "$there"
    say "Caddy does not accept the new file and keeps the old one; see journalctl --unit caddy"
}

if [ "${1:-}" = --back ]; then
    old=$(readlink -f "$home/previous" 2>/dev/null) || fail "there is no previous release"
    [ -e "$old/.ready" ] || fail "the previous release is incomplete: $old"
    say "Back to $(basename "$old")"
    ln -sfn "$before" "$home/previous"
    turn_to "$old"
    bring_caddyfile "$before" "$old"
    manage collectstatic --no-input --verbosity 0
    restart_all
    wait_until_ready /readyz || fail "the previous release did not get ready"
    exit 0
fi

say "Making the release"
release=$(make_release "$(dirname "$here")" "$(name_of "$(dirname "$here")")")
if [ "$release" = "$before" ]; then
    say "This release is running already"
    exit 0
fi
free=$(df --output=avail --block-size=1M "$state" | tail -n 1)
[ "$free" -gt 500 ] || fail "only $free MB are free; see docs/operating.md, Disk full"

say "Making a backup"
systemctl start parc-ferme-backup.service

back() {
    say "Back to $(basename "$before")"
    turn_to "$before"
    bring_caddyfile "$release" "$before"
    manage collectstatic --no-input --verbosity 0 || true
    restart_all
    wait_until_ready /readyz || say "The previous release did not get ready; see journalctl --unit 'parc-ferme*'"
}

say "Tables"
# The old release is still the current one now: its processes import modules through that name.
migrated=no
# While a migration waits for a lock, all later queries on that table wait too. So it waits briefly and tries again.
for wait in 3 5 10 20; do
    if COMMAND_LOCK_SECONDS=$wait manage_of "$release" migrate --no-input; then
        migrated=yes
        break
    fi
    say "The tables are not changed yet (waited $wait seconds for locks); trying again"
    sleep "$wait"
done
[ "$migrated" = yes ] || fail "the tables could not be changed; the previous release is still running"

say "Pages and workers"
manage_of "$release" collectstatic --no-input --verbosity 0 || fail "the files could not be collected; the previous release is still running"
bring_caddyfile "$before" "$release"
turn_to "$release"
if ! restart_all || ! wait_until_ready /readyz; then
    back
    fail "the new release did not get ready; the previous one was started again"
fi
ln -sfn "$before" "$home/previous"
bring_cluster_conf "$before" "$release"
say "Running: $(basename "$release"). To go back: deploy/upgrade.sh --back"

# Delete old releases, except the three newest and the two in use.
find "$home/releases" -mindepth 1 -maxdepth 1 -type d -printf '%T@ %p\n' | sort -rn | tail -n +4 | cut -d ' ' -f 2- \
    | while read -r old; do
        case $old in "$release" | "$before") ;; *) rm -rf "$old" ;; esac
    done

#!/usr/bin/env bash
# To the release in this folder: deploy/upgrade.sh. Back to the one before: deploy/upgrade.sh --back
# The new release is made beside the running one; then workers end their work, tables change, pages move over. If the new
# release does not get ready, the old one goes on: migrations only add to what is there, so both can run on the tables.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=deploy/lib.sh
. "$here/lib.sh"
as_root
[ -e "$home/current" ] || fail "nothing is installed here yet: deploy/install.sh"
before=$(readlink -f "$home/current")

restart_all() {
    install_units
    leave_room_for_door
    # gunicorn ends the requests it has begun; what is asked meanwhile waits at the socket. Workers end the task they have
    # begun; beat asks again for what was left.
    systemctl restart "${services[@]}"
}

# Caddy's file, from one release to another, where it is the one that the first has brought. What somebody wrote into it
# stays.
bring_caddyfile() {
    local there=/etc/caddy/Caddyfile from=$1/deploy/Caddyfile to=$2/deploy/Caddyfile
    if [ ! -e "$there" ] || cmp --silent "$to" "$there"; then return 0; fi
    if ! cmp --silent "$from" "$there"; then
        say "$there was changed by hand and stays; this release has $to"
        return 0
    fi
    install -m 0644 "$to" "$there"
    systemctl reload caddy && return
    install -m 0644 "$from" "$there"
    say "Caddy refuses the new file and keeps its own: journalctl --unit caddy"
}

if [ "${1:-}" = --back ]; then
    old=$(readlink -f "$home/previous" 2>/dev/null) || fail "there is no release to go back to"
    [ -e "$old/.ready" ] || fail "the release before is not whole: $old"
    say "Back to $(basename "$old")"
    ln -sfn "$before" "$home/previous"
    turn_to "$old"
    bring_caddyfile "$before" "$old"
    manage collectstatic --no-input --verbosity 0
    restart_all
    wait_until_ready /readyz || fail "the release before does not get ready either"
    exit 0
fi

say "Making the release"
release=$(make_release "$(dirname "$here")" "$(name_of "$(dirname "$here")")")
if [ "$release" = "$before" ]; then
    say "It runs already"
    exit 0
fi
free=$(df --output=avail --block-size=1M "$state" | tail -n 1)
[ "$free" -gt 500 ] || fail "only $free MB are free; see docs/operating.md, Disk full"

say "A backup before"
systemctl start parc-ferme-backup.service

back() {
    say "Back to $(basename "$before")"
    turn_to "$before"
    bring_caddyfile "$release" "$before"
    manage collectstatic --no-input --verbosity 0 || true
    restart_all
    wait_until_ready /readyz || say "The release before does not get ready: journalctl --unit 'parc-ferme*'"
}

say "Tables"
# The old release stays the current one meanwhile: its processes still read modules through that name.
migrated=no
# A migration that waits for a lock keeps all who come after it waiting. So it waits briefly, and tries again.
for wait in 3 5 10 20; do
    if COMMAND_LOCK_SECONDS=$wait manage_of "$release" migrate --no-input; then
        migrated=yes
        break
    fi
    say "The tables are not changed yet (locks are waited for $wait seconds); once more"
    sleep "$wait"
done
[ "$migrated" = yes ] || fail "the tables could not be changed; the release before runs on"

say "Pages and workers"
manage_of "$release" collectstatic --no-input --verbosity 0 || fail "the files could not be collected; the release before runs on"
bring_caddyfile "$before" "$release"
turn_to "$release"
if ! restart_all || ! wait_until_ready /readyz; then
    back
    fail "the new release did not get ready; the one before runs again"
fi
ln -sfn "$before" "$home/previous"
say "Runs: $(basename "$release"). Back: deploy/upgrade.sh --back"

# Of releases the three newest stay, and the two that are in use.
find "$home/releases" -mindepth 1 -maxdepth 1 -type d -printf '%T@ %p\n' | sort -rn | tail -n +4 | cut -d ' ' -f 2- \
    | while read -r old; do
        case $old in "$release" | "$before") ;; *) rm -rf "$old" ;; esac
    done

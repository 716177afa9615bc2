# shellcheck shell=bash disable=SC2034  # the scripts that source this file use these variables
# Functions and variables that the scripts of this folder share. They source this file.

# Without this option a step that fails inside $(...) would not end the script.
shopt -s inherit_errexit

say() { printf '== %s\n' "$*"; }
fail() { printf 'Stopped: %s\n' "$*" >&2; exit 1; }

user=parc-ferme
home=/opt/parc-ferme
settings=/etc/parc-ferme/env
state=/var/lib/parc-ferme
backups=/var/backups/parc-ferme
caddyfile=/etc/caddy/Caddyfile
websocket=/run/parc-ferme/web.sock
# Prints the version of Debian's PostgreSQL cluster: the newest one that has settings.
cluster_version() { find /etc/postgresql -mindepth 1 -maxdepth 1 -printf '%f\n' 2>/dev/null | sort -rn | head -n 1; }

# Prints where the settings of that cluster are that come from deploy/postgresql.
cluster_conf() { printf '/etc/postgresql/%s/main/conf.d/parc-ferme.conf\n' "$1"; }

as_root() { [ "$(id -u)" = 0 ] || fail "run this as root"; }

# manage NAME...: runs a command of the current release with the settings of the service.
manage() { manage_of "$home/current" "$@"; }

# manage_of RELEASE NAME...: runs a command of another release in the same way.
manage_of() {
    local release=$1
    shift
    systemd-run --quiet --wait --pipe --collect --uid="$user" --gid="$user" \
        --property=EnvironmentFile="$settings" --property=WorkingDirectory="$release" \
        --setenv=COMMAND_LOCK_SECONDS="${COMMAND_LOCK_SECONDS:-60}" \
        "$release/.venv/bin/python" manage.py "$@"
}

# set_in FILE NAME VALUE: sets the line NAME=VALUE in the file. It replaces an existing line for NAME.
set_in() {
    local file=$1 name=$2 value=$3 made
    made=$(mktemp "$file.XXXXXX")
    grep -v "^$name=" "$file" >"$made" || true
    printf '%s=%s\n' "$name" "$value" >>"$made"
    chmod --reference="$file" "$made"
    chown --reference="$file" "$made"
    mv "$made" "$file"
}

value_of() { sed -n "s/^$2=//p" "$1" | tail -n 1; }

# make_release FOLDER NAME: makes a release from the sources in FOLDER, ready to run. Prints its folder.
make_release() {
    local from=$1 to="$home/releases/$2"
    if [ ! -e "$to/.ready" ]; then
        rm -rf "$to"
        mkdir -p "$to"
        tar --create --directory "$from" --exclude=./.git --exclude=./.venv --exclude=./var . | tar --extract --directory "$to"
        make --silent --directory "$to" .venv/installed compile-messages >&2
        chown -R root:root "$to"
        chmod -R go+rX,go-w "$to"
        touch "$to/.ready"
    fi
    printf '%s\n' "$to"
}

# name_of FOLDER: prints the name of a release: its commit, or a hash of its files when there is no commit.
name_of() {
    git -C "$1" rev-parse --short=12 HEAD 2>/dev/null && return
    find "$1" -type f -not -path '*/.venv/*' -not -path '*/var/*' -print0 | sort -z | xargs -0 sha256sum | sha256sum | cut -c 1-12
}

# turn_to RELEASE: makes this release the current one. It is one rename, so there is always a current release.
turn_to() {
    ln -sfn "$1" "$home/current.new"
    mv -T "$home/current.new" "$home/current"
}

# wait_until_ready ADDRESS: waits until the web service answers there that it is ready. Fails after two minutes.
wait_until_ready() {
    local door=$1 end=$((SECONDS + 120))
    # The first sweep runs within a minute. When gunicorn's workers do not start, each request waits: hence --max-time.
    while [ "$SECONDS" -lt "$end" ]; do
        if curl --silent --fail --max-time 5 --unix-socket /run/parc-ferme/web.sock "http://localhost$door" >/dev/null; then
            return 0
        fi
        sleep 2
    done
    curl --silent --max-time 5 --unix-socket /run/parc-ferme/web.sock "http://localhost$door" >&2 || true
    return 1
}

# lay_back BACKUP DATA WAL OWNER [MOMENT]: makes the base backup the cluster's data. When the server starts, it recovers
# from the archived WAL: all of it, or up to MOMENT. Prints the folder to which the old data were moved.
lay_back() {
    local backup=$1 data=$2 wal=$3 owner=$4 moment=${5:-} aside
    aside=$data.before-$(date --utc +%Y%m%dT%H%M%SZ)
    [ ! -e "$data" ] || mv "$data" "$aside"
    cp --archive "$backup" "$data"
    # The old folder has the WAL of the last minute, which was not archived yet. It is copied if it can be read, and if it
    # is of the same cluster: a fresh installation has files of the same names with other content.
    if [ -z "$moment" ] && [ -d "$aside/pg_wal" ] && same_cluster "$aside" "$backup"; then
        find "$aside/pg_wal" -maxdepth 1 -type f -name '????????????????????????' -exec cp --archive --update {} "$data/pg_wal/" \;
    fi
    rm -f "$data/postmaster.pid" "$data/standby.signal"
    touch "$data/recovery.signal"
    {
        printf "restore_command = '%s'\n" "$(restore_command "$wal")"
        printf "recovery_target_action = promote\n"
        [ -z "$moment" ] || printf "recovery_target_time = '%s'\n" "$moment"
    } >>"$data/postgresql.auto.conf"
    chown -R "$owner:$(id -gn "$owner")" "$data"
    chmod 0700 "$data"
    printf '%s\n' "$aside"
}

# restore_command WAL: prints the command by which PostgreSQL fetches a file from the archive, compressed or not. Status 1
# means that there is no such file: the recovery ends there. When a file exists but cannot be read, the status is 200:
# PostgreSQL then stops, and does not continue without the turns that are in that file.
# shellcheck disable=SC2016  # the server's shell expands $from
restore_command() {
    printf 'from=%s/%%f; if test -e $from.gz; then gzip --decompress --stdout $from.gz >%%p || exit 200; ' "$1"
    printf 'elif test -e $from; then cp $from %%p || exit 200; else exit 1; fi'
}

# same_cluster DATA DATA: whether both folders belong to one cluster. Its identifier is in the first eight bytes of
# pg_control, in every version of PostgreSQL.
same_cluster() { cmp --silent --bytes=8 "$1/global/pg_control" "$2/global/pg_control"; }

# forget_recovery BACKUP DATA OWNER: restores the settings of before lay_back, once the server has recovered.
forget_recovery() { install -m 0600 -o "$3" "$1/postgresql.auto.conf" "$2/postgresql.auto.conf"; }

install_units() {
    [ -d "$home/current/deploy/systemd" ] || return 0 # an old release that has no units
    # The web service of a release without the socket unit listens itself.
    [ -e "$home/current/deploy/systemd/$door" ] || close_door
    install -m 0644 "$home"/current/deploy/systemd/* /etc/systemd/system/
    [ -e "$home/current/deploy/systemd/$door" ] || rm -f "/etc/systemd/system/$door"
    find_timers
    local timer
    for timer in "${timers[@]}"; do # a timer of a newer release, to which upgrade.sh --back has returned
        [ ! -e "$home/current/deploy/systemd/$timer" ] || continue
        systemctl disable --quiet --now "$timer"
        rm -f "/etc/systemd/system/$timer" "/etc/systemd/system/${timer%.timer}.service"
    done
    find_timers
    systemctl daemon-reload
    let_caddy_in
}

# let_caddy_in: lets Caddy use the web socket, and nothing else of the service: the group of the service may read its
# settings, with their keys. Does nothing if the socket belongs to another proxy's group.
let_caddy_in() {
    # The unit of the socket names this group, also where there is no Caddy.
    getent group caddy >/dev/null || groupadd --system caddy
    getent passwd caddy >/dev/null || return 0
    if [ -e "/etc/systemd/system/$door" ] && ! grep -q "^SocketGroup=$user$" "/etc/systemd/system/$door"; then
        # An open socket keeps its group until it is closed. Without this Caddy would be shut out when it restarts.
        if [ -S "$websocket" ] && [ "$(systemctl show --property SocketGroup --value "$door")" = caddy ]; then
            chgrp caddy "$websocket"
        fi
        if [[ " $(id --name --groups caddy) " == *" $user "* ]]; then
            gpasswd --delete caddy "$user" >/dev/null
            say "Caddy was in the group $user, which may read $settings. It leaves it with: systemctl restart caddy"
        fi
    else # a release whose socket belongs to the group of the service
        usermod --append --groups "$user" caddy
        [ -e "/etc/systemd/system/$door" ] || systemctl try-restart caddy
    fi
}

# caddyfile_is_foreign: whether there is a Caddyfile that is neither ours nor the one of Debian's package.
caddyfile_is_foreign() {
    local shipped
    if [ ! -s "$caddyfile" ] || grep -q "$websocket" "$caddyfile"; then return 1; fi
    shipped=$(dpkg-query --show --showformat='${Conffiles}\n' caddy 2>/dev/null \
        | awk -v file="$caddyfile" '$1 == file { print $2 }') || true
    [ "$(md5sum <"$caddyfile" | cut -d ' ' -f 1)" != "$shipped" ]
}

# The socket on which systemd listens for the web service. When everything must stop, the socket is closed first: a
# request would start the web service again. It opens with the web service.
door=parc-ferme-web.socket
close_door() { [ ! -e "/etc/systemd/system/$door" ] || systemctl stop "$door"; }

# leave_room_for_door: stops the web service of an older release if it listens itself, because the socket can open only
# after that. If such a web service has removed the file of an open socket, the socket is closed, to be opened again.
leave_room_for_door() {
    [ -S /run/parc-ferme/web.sock ] || close_door
    if [ -e "/etc/systemd/system/$door" ] && ! systemctl --quiet is-active "$door"; then systemctl stop parc-ferme-web.service; fi
}

services=(parc-ferme-web.service parc-ferme-beat.service parc-ferme-worker@clock.service parc-ferme-worker@mail.service
    parc-ferme-worker@posts.service parc-ferme-worker@simulation.service parc-ferme-worker@seconds.service)
# find_timers: sets `timers` to those that are installed. Releases differ in them.
find_timers() { mapfile -t timers < <(find /etc/systemd/system -maxdepth 1 -name 'parc-ferme-*.timer' -printf '%f\n' 2>/dev/null | sort); }
find_timers

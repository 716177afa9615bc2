#!/usr/bin/env bash
# Turns a bare Debian into a reachable site with its first operator: deploy/install.sh HOST OPERATOR-MAIL
# Run it in the folder of the sources, as root. A second run changes nothing that is there already: after a failure it
# continues where the first one stopped.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=deploy/lib.sh
. "$here/lib.sh"

[ $# = 2 ] || fail "usage: deploy/install.sh HOST OPERATOR-MAIL, for example rally.example you@rally.example"
host=$1 operator=$2
[[ $host =~ ^[a-z0-9.-]+\.[a-z0-9-]+$ ]] || fail "'$host' is no host name like rally.example"
[[ $operator == *@*.* ]] || fail "'$operator' is no mail address"
as_root

# A Caddyfile with other sites in it stays as it is. One that names our socket is ours, or has our site in it.
if caddyfile_is_foreign; then
    fail "$caddyfile has sites of your own. Add what is in $here/Caddyfile to it, and run this again."
fi

say "Packages"
export DEBIAN_FRONTEND=noninteractive
missing=()
for package in python3 python3-venv make curl postgresql redis-server caddy; do
    dpkg-query --show --showformat='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
if [ ${#missing[@]} != 0 ]; then
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

say "User and folders"
getent passwd "$user" >/dev/null || useradd --system --home-dir "$state" --shell /usr/sbin/nologin "$user"
install -d -m 0755 "$home" "$home/releases" /etc/parc-ferme
install -d -m 0750 -o "$user" -g "$user" "$state"
install -d -m 0700 -o postgres -g postgres "$backups" "$backups/wal" "$backups/base"

say "PostgreSQL"
version=$(cluster_version)
[ -n "$version" ] || fail "PostgreSQL has no cluster; see pg_lsclusters"
conf=$(cluster_conf "$version")
if [ -e "$conf" ]; then
    cmp -s "$here/postgresql/parc-ferme.conf" "$conf" || say "$conf was changed by hand and is kept"
else
    install -D -m 0644 "$here/postgresql/parc-ferme.conf" "$conf"
    systemctl restart "postgresql@$version-main"
fi
as_postgres() { runuser -u postgres -- psql --quiet --no-psqlrc --tuples-only --no-align --set ON_ERROR_STOP=1 "$@"; }
[ "$(as_postgres -c "SELECT 1 FROM pg_roles WHERE rolname = 'parc-ferme'")" = 1 ] || as_postgres -c 'CREATE ROLE "parc-ferme" LOGIN'
[ "$(as_postgres -c "SELECT 1 FROM pg_database WHERE datname = 'parc_ferme'")" = 1 ] \
    || as_postgres -c "CREATE DATABASE parc_ferme OWNER \"parc-ferme\" ENCODING 'UTF8' TEMPLATE template0"

say "Settings: $settings"
if [ ! -e "$settings" ]; then
    install -m 0640 -o root -g "$user" "$here/env.example" "$settings"
    set_in "$settings" ALLOWED_HOSTS "$host"
    set_in "$settings" DEFAULT_FROM_EMAIL "Parc Fermé <parc-ferme@$host>"
fi
[ -n "$(value_of "$settings" SECRET_KEY)" ] \
    || set_in "$settings" SECRET_KEY "$(python3 -c 'import secrets; print(secrets.token_urlsafe(50))')"
[ -e /etc/parc-ferme/gunicorn.env ] || install -m 0644 "$here/gunicorn.env" /etc/parc-ferme/gunicorn.env

say "The release"
release=$(make_release "$(dirname "$here")" "$(name_of "$(dirname "$here")")")
# Nothing runs before the units are installed: until then, another try may use corrected sources.
if [ ! -e "$home/current" ] || [ ! -e /etc/systemd/system/parc-ferme-web.service ]; then
    turn_to "$release"
fi
[ "$(readlink -f "$home/current")" = "$release" ] || fail "another release is installed already: use deploy/upgrade.sh"
manage migrate --no-input
manage collectstatic --no-input --verbosity 0
manage operator "$operator"

say "Services"
install_units
leave_room_for_door
systemctl enable --quiet parc-ferme.target "${services[@]}" "${timers[@]}"
systemctl start redis-server "${services[@]}"

say "Caddy"
printf 'PARC_FERME_HOST=%s\n' "$host" >/etc/parc-ferme/caddy.env
install -d /etc/systemd/system/caddy.service.d
printf '[Service]\nEnvironmentFile=/etc/parc-ferme/caddy.env\n' >/etc/systemd/system/caddy.service.d/parc-ferme.conf
if grep -qs "$websocket" "$caddyfile"; then
    cmp --silent "$here/Caddyfile" "$caddyfile" || say "$caddyfile was changed by hand and is kept"
else
    install -m 0644 "$here/Caddyfile" "$caddyfile"
fi
systemctl daemon-reload
systemctl restart caddy

say "Waiting until everything is ready"
wait_until_ready /readyz || fail "the service did not get ready; see above, and journalctl --unit 'parc-ferme*'"
systemctl start "${timers[@]}"
say "https://$host/ is ready. Sign in as $operator; you get the code by mail."
say "Without working mail: docs/operating.md, Mail trouble. Then fill in OPERATOR_NAME and the lines after it in $settings."

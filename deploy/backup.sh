#!/usr/bin/env bash
# Makes a base backup of the whole cluster and verifies it. Then deletes old backups, and WAL that no kept one needs.
# Runs as postgres, each night, by its timer. KEEP_BACKUPS (/etc/parc-ferme/backup.env): how many to keep, by default 7.
# Then copies everything to another machine, if COPY_TO names one (copy_backups.sh).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${BACKUPS:-/var/backups/parc-ferme}
keep=${KEEP_BACKUPS:-7}
[[ $keep =~ ^[1-9][0-9]*$ ]] || { echo "KEEP_BACKUPS must be 1 or more, not '$keep'" >&2; exit 1; }

version=$(find /usr/lib/postgresql -mindepth 1 -maxdepth 1 -printf '%f\n' 2>/dev/null | sort -rn | head -n 1)
bin=${PG_BIN:-/usr/lib/postgresql/$version/bin}
name=$(date --utc +%Y%m%dT%H%M%SZ)
mkdir -p "$folder/base" "$folder/wal"
find "$folder/base" -mindepth 1 -maxdepth 1 -name '*.part' -mmin +600 -exec rm -rf {} +

"$bin/pg_basebackup" --pgdata="$folder/base/$name.part" --format=plain --wal-method=stream --checkpoint=fast
"$bin/pg_verifybackup" --quiet "$folder/base/$name.part"
mv "$folder/base/$name.part" "$folder/base/$name"
echo "Backed up and verified: $folder/base/$name"

mapfile -t all < <(find "$folder/base" -mindepth 1 -maxdepth 1 -name '*Z' -printf '%f\n' | sort)
old=$((${#all[@]} - keep))
for ((n = 0; n < old; n++)); do
    rm -rf "$folder/base/${all[n]:?}"
    echo "base/${all[n]}" >>"$folder/deleted"
    echo "Deleted: ${all[n]}"
done
((old > 0)) || old=0
first=$(sed -n 's/^START WAL LOCATION: .*(file \([0-9A-F]*\)).*/\1/p' "$folder/base/${all[old]}/backup_label")
# Compressed files and those of older releases alike.
"$bin/pg_archivecleanup" -n -x .gz "$folder/wal" "$first" | sed 's,.*/,wal/,' >>"$folder/deleted"
"$bin/pg_archivecleanup" -x .gz "$folder/wal" "$first"
"$here/record_backup.sh" base

"$here/copy_backups.sh" all

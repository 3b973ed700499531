#!/usr/bin/env bash
# Writes tests/upgrade/<version>/: the protos of a released version, and backups of stores that its own code filled.
# To be run once for each version, with pg_dump and an empty PostgreSQL database:
#   tests/upgrade/make-fixture.sh 0.1.0 <commit> postgres://user:password@host/database
set -euo pipefail
version=$1 commit=$2 postgres=$3
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$root/tests/upgrade/$version
old=$(mktemp -d)
trap 'kill ${service:-} 2>/dev/null || true; rm -rf "$old"' EXIT
git -C "$root" archive "$commit" | tar -x -C "$old"
cd "$old"
npm ci --silent
npm run --silent build
mkdir -p "$folder"
cp generated/descriptors.binpb "$folder/"

export CORE_DATA_DIR=$old/data CORE_PORT=50951 REST_PORT=8951 CORE_WORKERS=1
value() { sed -n "s/^ready.* $1=\([^ ]*\).*/\1/p" ready; }
admin() { node dist/core-server/admin-cli.js "$@"; }
# Prints the secrets.
fill() {
  : > ready
  node dist/launcher/main.js > ready &
  service=$!
  until grep -q '^ready' ready; do sleep 0.2; done
  company=$(value company) password=$(value password) full=$(value apikey)
  curl -fsS -o /dev/null -X PUT -H "apikey: $full" -H "x-company-password: $password" -H 'content-type: application/json' \
    -d '{"detection_score": 0.75}' "http://127.0.0.1:$REST_PORT/v1/companies/$company/detection-score"
  meters=$(admin keys create --label meters --operations meter_reading --json)
  revoked=$(admin keys create --label gone --json)
  admin keys revoke "$(node -p 'JSON.parse(process.argv[1]).id' "$revoked")" >&2
  kill $service
  wait $service || true
  node -p 'const [company, password, full, meters, revoked] = process.argv.slice(1);
  JSON.stringify({company, password, full, meters: JSON.parse(meters).key, revoked: JSON.parse(revoked).key})' \
    "$company" "$password" "$full" "$meters" "$revoked"
}
DATABASE_URL='' fill > sqlite.json
rm -f "$folder/store.sqlite3"
DATABASE_URL='' admin backup "$folder/store.sqlite3"
DATABASE_URL=$postgres fill > postgres.json
# Without comments, and what only psql understands.
pg_dump --no-owner --inserts "$postgres" | sed '/^--/d; /^$/d; /^\\/d' > "$folder/store.sql"
node -p 'JSON.stringify({ SQLite: require("./sqlite.json"), PostgreSQL: require("./postgres.json") }, null, 2)' \
  > "$folder/secrets.json"

#!/usr/bin/env bash
# Generates a client out of the OpenAPI document of a started service, by @hey-api/openapi-ts from npm, checks its types
# and calls every operation by it: `make test-openapi` starts the service and sets IMAGE_ANALYSIS_*. Where the
# generator cannot be had it says so and ends with 69.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
work=$root/out/generated-client

rm -rf "$work"
mkdir -p "$work/source"
cp "$here/check.js" "$work/source"
cd "$work"
echo '{"type": "module"}' > package.json
cat > openapi-ts.config.mjs <<EOF
export default {
  input: '$IMAGE_ANALYSIS_REST/openapi.json',
  output: { path: 'source/client', module: { extension: '.js' } },
};
EOF
npm install --loglevel=error --no-audit --no-fund @hey-api/openapi-ts@0.99.0 typescript@5.9.3 >/dev/null || {
  echo 'skipped: the generator cannot be had' >&2
  exit 69
}
node_modules/.bin/openapi-ts >/dev/null
node_modules/.bin/tsc --allowJs --checkJs --strict --skipLibCheck --target es2023 --module nodenext \
  --types node --typeRoots "$root/node_modules/@types" --rootDir source --outDir built source/check.js
exec node built/check.js

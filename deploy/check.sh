#!/usr/bin/env bash
# Holds the Kubernetes manifests to the schemas of Kubernetes, and where kubectl is there also what kustomize
# makes of the overlays. Needs Python with venv, and the first time PyPI; where they cannot be had it says so
# and ends with 69.
set -euo pipefail
cd "$(dirname "$0")"

tool=kubernetes-validate==1.37.0
if ! .venv/bin/python -m pip freeze 2>/dev/null | grep -qix "$tool"; then
  python3 -m venv --clear .venv &&
    .venv/bin/python -m pip install --quiet --disable-pip-version-check "$tool" || {
    echo "skipped: $tool cannot be had" >&2
    exit 69
  }
fi

for file in kubernetes/base/*.yaml kubernetes/overlays/*/*.yaml; do
  case $file in */kustomization.yaml) continue ;; esac
  .venv/bin/kubernetes-validate --strict "$file"
done

if command -v kubectl >/dev/null; then
  rendered=$(mktemp --suffix .yaml)
  trap 'rm -f "$rendered"' EXIT
  for overlay in kubernetes/overlays/*/; do
    kubectl kustomize "$overlay" >"$rendered"
    .venv/bin/kubernetes-validate --strict "$rendered"
  done
fi

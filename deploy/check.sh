#!/usr/bin/env bash
# Holds the Kubernetes manifests to the schemas of Kubernetes. Needs Python with venv, and PyPI.
set -euo pipefail
cd "$(dirname "$0")"

python=.venv/bin/python
[ -x $python ] || python3 -m venv .venv
$python -m pip install --quiet --disable-pip-version-check kubernetes-validate==1.37.0

for file in kubernetes/base/*.yaml kubernetes/overlays/*/*.yaml; do
  case $file in */kustomization.yaml) continue ;; esac
  .venv/bin/kubernetes-validate --strict "$file"
done

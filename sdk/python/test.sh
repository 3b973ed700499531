#!/usr/bin/env bash
# Runs the examples against the service that the environment names.
set -euo pipefail
cd "$(dirname "$0")"

python=.venv/bin/python
[ -x $python ] || python3 -m venv .venv
$python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
$python -m pytest --quiet

#!/usr/bin/env bash
# Fetches what generating and testing need into .venv; fails where Python 3.10 or later, or PyPI, cannot be had.
set -euo pipefail
cd "$(dirname "$0")"

python3 -c 'import ensurepip, sys, venv; sys.version_info >= (3, 10) or sys.exit("Python is too old, want 3.10 or later")'
[ -x .venv/bin/python ] || python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check grpcio-tools==1.76.0 --editable '.[test]'

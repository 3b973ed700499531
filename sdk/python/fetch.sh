#!/usr/bin/env bash
# Fetches what generating and testing need; fails where Python or its packages cannot be had.
set -euo pipefail
cd "$(dirname "$0")"

python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))'
[ -x .venv/bin/python ] || python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check grpcio-tools==1.76.0 --editable '.[test]'

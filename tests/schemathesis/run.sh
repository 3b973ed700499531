#!/usr/bin/env bash
# Asks a started service everything that its OpenAPI document says, by Schemathesis: `make schemathesis`
# starts the service and sets IMAGE_ANALYSIS_*. Takes options of `schemathesis run` in place of its own
# number of examples. Needs Python 3.10 or later and, the first time, PyPI.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$here/../../out/schemathesis

python=${PYTHON:-python3}
if ! "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
  echo "Schemathesis wants Python 3.10 or later with venv, and $python is none: install it, or set PYTHON" >&2
  exit 1
fi
mkdir -p "$work"
cd "$work"
if ! cmp --silent "$here/requirements.txt" installed.txt; then
  "$python" -m venv --clear .venv
  .venv/bin/pip install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
  cp "$here/requirements.txt" installed.txt
fi

export SCHEMATHESIS_HOOKS=$here/hooks.py PYTHONDONTWRITEBYTECODE=1
[ $# -gt 0 ] || set -- --max-examples 25
exec .venv/bin/schemathesis --config-file "$here/schemathesis.toml" run \
  "$IMAGE_ANALYSIS_REST/openapi.json" "$@"

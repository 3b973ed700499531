#!/usr/bin/env bash
# Asks a started service everything that its OpenAPI document says, by Schemathesis: `make schemathesis`
# starts the service and sets IMAGE_ANALYSIS_*. Takes options of `schemathesis run` in place of its own
# number of examples. Needs Python 3.10 or later and, the first time, PyPI.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

. "$here/../helpers/python-tools.sh"
install_python_tools Schemathesis "$here/requirements.txt" "$here/../../out/schemathesis"

export SCHEMATHESIS_HOOKS=$here/hooks.py PYTHONDONTWRITEBYTECODE=1
[ $# -gt 0 ] || set -- --max-examples 25
# The address is told, as Schemathesis takes that of the document, which is relative, for a path.
exec .venv/bin/schemathesis --config-file "$here/schemathesis.toml" run \
  --url "$IMAGE_ANALYSIS_REST" "$IMAGE_ANALYSIS_REST/openapi.json" "$@"

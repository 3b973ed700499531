#!/usr/bin/env bash
# Runs the examples against the service that the environment names.
set -euo pipefail
cd "$(dirname "$0")"

./fetch.sh
.venv/bin/python -m pytest --quiet

#!/usr/bin/env bash
# Lints the Python code and checks its format by Ruff: `make lint-python`. Needs Python 3.10 or later and, the
# first time, PyPI; where they cannot be had it says so and ends with 69.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..

. "$here/../helpers/python-tools.sh"
(install_python_tools Ruff "$here/requirements.txt" "$root/out/ruff") || {
  echo 'skipped: Ruff cannot be had' >&2
  exit 69
}

cd "$root"
out/ruff/.venv/bin/ruff check --quiet .
out/ruff/.venv/bin/ruff format --check --quiet .

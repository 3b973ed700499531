#!/usr/bin/env bash
# Starts core and facade with TLS and has two public tools look at them: `make check-tls`. Needs openssl,
# Python 3.10 or later and, the first time, PyPI.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
work=$root/out/tls

python=${PYTHON:-python3}
if ! "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
  echo "SSLyze wants Python 3.10 or later with venv, and $python is none: install it, or set PYTHON" >&2
  exit 1
fi
mkdir -p "$work"
cd "$work"
if ! cmp --silent "$here/requirements.txt" installed.txt; then
  "$python" -m venv --clear .venv
  .venv/bin/pip install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
  cp "$here/requirements.txt" installed.txt
fi
"$here/make-certificates.sh" "$work"
exec node --enable-source-maps "$root/dist/tests/tls/main.js" "$work" \
  .venv/bin/python "$here/check.py" "$work"

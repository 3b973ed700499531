#!/usr/bin/env bash
# Starts core and facade with TLS and has two public tools look at them: `make check-tls`. Needs openssl,
# Python 3.10 or later and, the first time, PyPI.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
work=$root/out/tls

. "$here/../helpers/python-tools.sh"
install_python_tools SSLyze "$here/requirements.txt" "$work"
"$here/make-certificates.sh" "$work"
exec node --enable-source-maps "$root/dist/tests/tls/main.js" "$work" \
  .venv/bin/python "$here/check.py" "$work"

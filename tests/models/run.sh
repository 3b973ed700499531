#!/usr/bin/env bash
# Runs models/**/test_*.py, the tests of the training code: `make test-models`. Takes models/.venv where it is, else
# installs models/requirements.txt (Python, PyPI; PyTorch is large), and the fonts of rendered digits (npm); where these
# cannot be had it says so and ends with 69.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..

python=$root/models/.venv/bin/python
if ! "$python" -c 'import torch, onnx' 2>/dev/null; then
  . "$here/../helpers/python-tools.sh"
  (install_python_tools 'The training code' "$root/models/requirements.txt" "$root/out/models") || {
    echo 'skipped: what the training code needs cannot be had' >&2
    exit 69
  }
  python=$root/out/models/.venv/bin/python
fi

fonts=$root/models/meter/fonts
if [ ! -d "$fonts/node_modules" ] && ! npm ci --silent --prefix "$fonts"; then
  echo 'skipped: the fonts of rendered digits cannot be had' >&2
  exit 69
fi

find "$root/models" -path '*/.venv' -prune -o -name 'test_*.py' -print | while read -r file; do
  echo "${file#"$root/"}"
  (cd "$(dirname "$file")" && "$python" -m unittest -q "$(basename "$file" .py)")
done

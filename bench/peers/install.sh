#!/usr/bin/env bash
# Installs what `make bench` compares with, each from its own pinned list, into folders that git
# ignores. What cannot be installed is named and left out of the comparison.
set -uo pipefail
cd "$(dirname "$0")"

echo '== Node.js: face-api, ocr-node, tesseract.js'
(cd node && npm ci) || echo 'not installed: the peers on Node.js'

for peer in opencv mediapipe rapidocr; do
  echo "== Python: $peer"
  if ! { "${PYTHON:-python3}" -m venv "$peer/.venv" &&
    "$peer/.venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: -r "$peer/requirements.txt"; }; then
    rm -rf "$peer/.venv"
    echo "not installed: $peer"
  fi
done

#!/usr/bin/env bash
# Makes src/imageanalysis/v1 from the protos. Needs Python 3.10 or later with venv, and PyPI.
set -euo pipefail
cd "$(dirname "$0")"

./fetch.sh
python=.venv/bin/python
out=src/imageanalysis/v1
rm -rf $out
services=$(grep --files-with-matches '^service ' ../../proto/imageanalysis/v1/*.proto)
# Each word of $services is a file.
# shellcheck disable=SC2086
$python -m grpc_tools.protoc --proto_path=../../proto --grpc_python_out=src $services
$python -m grpc_tools.protoc --proto_path=../../proto --python_out=src --pyi_out=src \
  ../../proto/imageanalysis/v1/*.proto
echo '"""Messages and stubs, generated from the protos."""' > $out/__init__.py

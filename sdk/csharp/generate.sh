#!/usr/bin/env bash
# Generates from the protos and builds. Needs the .NET 8 SDK and NuGet.
# Where there is no SDK but protoc, only the messages are made, and thrown away again: that shows the
# protos to be sound C#, and no more.
set -euo pipefail
cd "$(dirname "$0")"

if command -v dotnet >/dev/null; then
  dotnet build examples --nologo
else
  out=$(mktemp -d)
  trap 'rm -rf "$out"' EXIT
  protoc --proto_path=../../proto --csharp_out="$out" ../../proto/imageanalysis/v1/*.proto
  echo "csharp: messages made ($(ls "$out" | wc -l) files), stubs not: dotnet is not installed"
fi

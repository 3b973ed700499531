#!/usr/bin/env bash
# Generates from the protos and builds. Needs the .NET 8 SDK and NuGet.
set -euo pipefail
cd "$(dirname "$0")"

dotnet build examples --nologo

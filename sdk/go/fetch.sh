#!/usr/bin/env bash
# Fetches what generating and testing need; fails where Go or its modules cannot be had.
set -euo pipefail
cd "$(dirname "$0")"

command -v go >/dev/null
go mod download

#!/usr/bin/env bash
# Fetches what generating and testing need; fails where a JDK, Maven or its packages cannot be had.
set -euo pipefail
cd "$(dirname "$0")"

command -v javac mvn >/dev/null
mvn --batch-mode --quiet --no-transfer-progress dependency:resolve dependency:resolve-plugins

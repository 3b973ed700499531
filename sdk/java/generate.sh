#!/usr/bin/env bash
# Generates from the protos and makes target/image-analysis-client-*.jar. Needs JDK 11 or later,
# Maven 3.8 or later, and its registry.
set -euo pipefail
cd "$(dirname "$0")"

# What was generated from protos of before would be compiled too.
rm -rf target
mvn --batch-mode --quiet --no-transfer-progress package -DskipTests

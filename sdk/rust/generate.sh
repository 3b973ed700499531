#!/usr/bin/env bash
# Generates from the protos and builds. Needs Rust 1.88 or later with Cargo, and its registry.
set -euo pipefail
cd "$(dirname "$0")"

cargo build --quiet --locked

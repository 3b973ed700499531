#!/usr/bin/env bash
# Runs the examples against the service that the environment names.
set -euo pipefail
cd "$(dirname "$0")"

cargo test --quiet --locked --lib
cargo run --quiet --locked --example calls

#!/usr/bin/env bash
# Checks the alert rules and runs their tests with promtool: the installed one, or that of Debian's package, of which
# nothing is installed. Where there is none it says so and ends with 69.
set -euo pipefail
cd "$(dirname "$0")"

promtool=$(command -v promtool) || {
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  fetch() { apt-get -qq download prometheus && dpkg-deb -x prometheus_*.deb .; }
  (cd "$folder" && { fetch || { apt-get -qq update && fetch; }; }) >/dev/null 2>&1 || {
    echo 'skipped: promtool cannot be had' >&2
    exit 69
  }
  promtool=$folder/usr/bin/promtool
}

"$promtool" check rules alerts.yaml
"$promtool" test rules alerts.test.yaml

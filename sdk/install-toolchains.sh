#!/usr/bin/env bash
# Installs what the SDKs' examples need and this machine lacks, from Debian's packages, where that may
# be done. What cannot be had is left out; each.sh then skips the language.
set -euo pipefail

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo 'toolchains: nothing installed, that needs root and apt-get'
  exit
fi

wanted=()
python3 -c 'import ensurepip, venv' 2>/dev/null || wanted+=(python3 python3-venv)
command -v javac >/dev/null || wanted+=(default-jdk-headless)
command -v mvn >/dev/null || wanted+=(maven)
command -v go >/dev/null || wanted+=(golang-go)
[ ${#wanted[@]} -gt 0 ] || exit 0

apt-get update -q || { echo "toolchains: nothing installed, the package lists cannot be had"; exit 0; }
# Go before 1.21 cannot fetch the release that go.mod asks for.
go=$(apt-cache policy golang-go | sed -n 's/ *Candidate: //p')
dpkg --compare-versions "$go" ge 2:1.21 || wanted=("${wanted[@]/golang-go/}")
for package in "${wanted[@]}"; do
  [ -z "$package" ] || DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$package" ||
    echo "toolchains: $package could not be installed"
done

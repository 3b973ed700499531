#!/usr/bin/env bash
# Makes v1/ from the protos. Needs Go 1.26 or later with its module proxy, and `npm ci` at the top.
# The plugins' versions are those of go.mod.
set -euo pipefail
cd "$(dirname "$0")"

rm -rf v1
mkdir -p .bin
go build -o .bin/ google.golang.org/protobuf/cmd/protoc-gen-go google.golang.org/grpc/cmd/protoc-gen-go-grpc
../../node_modules/.bin/buf generate ../../proto --path ../../proto/imageanalysis

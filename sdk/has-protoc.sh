#!/usr/bin/env bash
# Whether protoc is there with the protos that come with it, which are a package of their own.
protoc -o /dev/null google/protobuf/timestamp.proto 2>/dev/null

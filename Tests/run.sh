#!/bin/sh
# Installs what the tests need, lints, builds and tests. Arguments go to `swift test`:
#
#   Tests/run.sh                                       everything
#   Tests/run.sh --filter EndToEndTests                some of it
#   Tests/run.sh --scratch-path .build/address --sanitize=address
#   Tests/run.sh --scratch-path .build/thread --sanitize=thread -Xlinker -export-dynamic
set -eu
cd "$(dirname "$0")/.."
. Samples/prepare.sh

require_swift
# shellcheck disable=SC2086 # names of packages are words
install_packages $build_packages gcc g++ binutils ffmpeg python3-jsonschema python3-yaml
prepare_media

say "Linting"
find Package.swift Sources Plugins Tests Samples -name .build -prune -o -name '*.swift' -print0 \
    | xargs -0 swift format lint --strict

say "Building and testing"
export TSAN_OPTIONS="${TSAN_OPTIONS-suppressions='$PWD/Tests/thread-sanitizer.txt'}"
swift test "$@"

say "All tests passed."
echo "Look next at the recording of the main job: Samples/run.sh"

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
if [ $# -gt 0 ]; then
    swift test "$@"
else
    swift build --build-tests
    # Most tests wait for programs that they run, and a process of tests waits on as many threads
    # as there are processors: two use the time. Prints each test as it ends.
    part() {
        log=.build/tests-$1.log
        shift
        {
            if swift test --skip-build --ignore-lock "$@" 2>&1; then
                echo passed > "$log.end"
            fi
        } | tee "$log" | grep --line-buffered -E '^(✔|✘) Test ' || true
    }
    rm -f .build/tests-*
    sessions='^EndToEndTests\.(?!(Conformance|NewCommand|Preview|Stranger|WrongPlugin)Tests)'
    part sessions --filter "$sessions" &
    part others --skip "$sessions"
    wait
    logs=".build/tests-sessions.log .build/tests-others.log"
    failed=
    for log in $logs; do
        if [ ! -e "$log.end" ] || ! grep -q '^✔ Test run with [1-9]' "$log"; then
            failed="$failed $log"
            # What failed and why; of a process that broke down, what came before.
            grep -A 8 ' recorded an issue ' "$log" | grep -v '^◇' || tail -n 40 "$log"
        fi
    done
    # shellcheck disable=SC2086 # paths are words
    grep -h -E '^(✔|✘) Test run ' $logs || true
    [ -z "$failed" ] || fail "Tests failed; the whole story is in:$failed"
fi

say "All tests passed."
echo "Look next at the recording of the main job: Samples/run.sh"

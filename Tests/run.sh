#!/bin/sh
# Installs what the tests need, lints, builds the tests on top of Samples/run.sh's release build,
# and runs them. Shows how far it is; ends with the slowest tests, the failures and the counts.
#
#   Tests/run.sh                              everything but what Tests/nightly.sh adds
#   Tests/run.sh --filter ProgramTests        some of it: arguments go to `swift test`
#   Tests/run.sh --repeat 10                  ten runs, the first five beside four busy loops
set -eu
cd "$(dirname "$0")/.."
. Samples/prepare.sh

runs=1
if [ "${1-}" = --repeat ]; then
    runs=$2
    shift 2
fi

require_swift
# shellcheck disable=SC2086 # names of packages are words
install_packages $build_packages $pipewire_packages $screen_packages prometheus \
    chromium-headless-shell patchelf help2man curl openssl gcc g++ binutils ffmpeg frei0r-plugins ladspa-sdk \
    swh-plugins nginx-light \
    libnginx-mod-rtmp python3-dev python3-venv python3-gi python3-numpy \
    python3-jsonschema \
    python3-yaml gir1.2-gst-plugins-base-1.0 gir1.2-gst-plugins-bad-1.0 \
    gir1.2-gst-rtsp-server-1.0
prepare_media

say "Linting"
find Package.swift Sources Plugins Tests Samples -name .build -prune -o -name '*.swift' -print0 \
    | xargs -0 swift format lint --strict --parallel

say "Building the tests"
swift build -c release --build-tests

# More at once keep each other waiting: rooms, browsers and encoders take most of a processor each.
export GREENROOM_TESTS_AT_ONCE="${GREENROOM_TESTS_AT_ONCE:-$((4 * $(nproc)))}"

test_all() {
    .build/release/test-progress swift test -c release --skip-build --disable-xctest "$@"
}

if [ "$runs" = 1 ]; then
    say "Testing"
    test_all "$@"
    if [ $# = 0 ]; then
        say "Testing the Python package"
        Tests/Python/run.sh
    fi
    exit
fi

loops=
trap 'kill $loops 2> /dev/null || true' EXIT
trap 'exit 1' INT TERM
failed=0
for _ in 1 2 3 4; do
    sh -c 'while :; do :; done' &
    loops="$loops $!"
done
for run in $(seq "$runs"); do
    if [ "$run" -gt $((runs / 2)) ] && [ -n "$loops" ]; then
        # shellcheck disable=SC2086 # process ids are words
        kill $loops
        loops=
    fi
    say "Run $run of $runs${loops:+, beside four busy loops}"
    test_all "$@" || failed=$((failed + 1))
done
say "$((runs - failed)) of $runs runs passed"
[ "$failed" = 0 ]

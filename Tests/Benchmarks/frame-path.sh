#!/bin/sh
# Prints what a frame costs the host on its standard paths, whatever the machine: locks that threads
# can wait on, wake-ups of a thread by another, allocations, and copies of its pixels. The tests
# hold limits of these numbers: Tests/ProgramTests/FramePathTests.swift.
set -eu
cd "$(dirname "$0")/../.."
swift build -c release --build-tests 2>&1 | tail -1
rows=$(GREENROOM_NIGHTLY=1 GREENROOM_SHOW_FRAME_PATH=1 GREENROOM_TESTS_AT_ONCE=1 \
    swift test -c release --skip-build --disable-xctest --filter FramePathTests \
    | sed -n 's/.*frame path | //p' | sort)
[ -n "$rows" ] || {
    echo "No path was measured." >&2
    exit 1
}
printf '%s\n' "path | locks | wake-ups | allocations | copies" "$rows" | column -t -s '|'

#!/bin/sh
# Looks, with libFuzzer and the coverage of the code, for what could bring the host or a bundled plugin
# down: what a plugin's process says, session files, control lines, media files, what a room's guests send: offers,
# candidates, requests and frames. Keeps what it has learned in .build/fuzz-corpus; an input that does harm is left in
# .build/fuzz-crash-TARGET-*.
#
#   Tests/Fuzz/run.sh [SECONDS [TARGET...]]      60 seconds for each of all targets unless said
set -eu
cd "$(dirname "$0")/../.."
. Samples/prepare.sh
require_swift
# shellcheck disable=SC2086 # names of packages are words
install_packages $build_packages ffmpeg
seconds=${1-60}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- calls messages wire session-file control-lines offer candidates request y4m sound image key-frame

export GREENROOM_FUZZ=1 SWIFT_BACKTRACE=enable=no
swift build -c release --scratch-path .build/fuzz --product fuzz --sanitize=fuzzer

# Small files to begin with: a fuzzer does not guess the formats from nothing.
corpus=.build/fuzz-corpus
for target in "$@"; do mkdir -p "$corpus/$target"; done
[ ! -d "$corpus/session-file" ] || cp Samples/*.yaml "$corpus/session-file"
[ ! -d "$corpus/control-lines" ] \
    || printf 'ceiling 640x360@15\nset camera.settings.pattern=grey\nmute\nexplain\n' \
        > "$corpus/control-lines/lines"
# make_seed TARGET NAME OPTION...: a file by ffmpeg.
make_seed() {
    [ -d "$corpus/$1" ] || return 0
    file="$corpus/$1/$2"
    shift 2
    ffmpeg -y -v error "$@" "$file"
}
make_seed y4m small.y4m -f lavfi -i testsrc=size=16x10:rate=5:duration=0.6 -pix_fmt yuv420p
make_seed image small.png -f lavfi -i testsrc=size=16x10 -frames:v 1
make_seed image small.jpg -f lavfi -i testsrc=size=16x10 -frames:v 1
make_seed sound small.wav -f lavfi -i sine=duration=0.02
make_seed sound small.flac -f lavfi -i sine=duration=0.02

total=0
failed=
for target in "$@"; do
    say "Target $target"
    log=.build/fuzz-$target.log
    GREENROOM_FUZZ_TARGET=$target .build/fuzz/release/fuzz -max_total_time="$seconds" \
        -max_len=4096 -seed=4 -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
        -artifact_prefix=".build/fuzz-crash-$target-" "$corpus/$target" > "$log" 2>&1 \
        || failed="$failed $target"
    count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    echo "${count:-0} inputs, $(grep -o 'cov: [0-9]*' "$log" | tail -1)"
    total=$((total + ${count:-0}))
done
say "$total inputs"
[ -z "$failed" ] || fail "Failed:$failed; see .build/fuzz-TARGET.log."

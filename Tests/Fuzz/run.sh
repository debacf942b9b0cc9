#!/bin/sh
# Looks, with libFuzzer and the coverage of the code, for what a plugin's process could say that
# brings its host down. Begins with nothing but a fixed seed, and keeps what it has learned in
# .build/fuzz-corpus; an input that does harm is left in .build/fuzz-crash-*.
#
#   Tests/Fuzz/run.sh [SECONDS]      60 unless said
set -eu
cd "$(dirname "$0")/../.."
export GREENROOM_FUZZ=1 SWIFT_BACKTRACE=enable=no
swift build --scratch-path .build/fuzz --product fuzz --sanitize=fuzzer
mkdir -p .build/fuzz-corpus
exec .build/fuzz/debug/fuzz -max_total_time="${1-60}" -max_len=512 -seed=4 -timeout=20 \
    -artifact_prefix=.build/fuzz-crash- -print_final_stats=1 .build/fuzz-corpus

#!/bin/sh
# Measures the frame path in release: frames a second that it carries of a source that sends
# 1000, allocations a frame, and the start-up of a session with many plugins.
set -eu
cd "$(dirname "$0")/../.."
swift build -c release 2>&1 | tail -1
greenroom=.build/release/greenroom
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
include=Sources/GreenroomABI/include
cc -O2 -shared -fPIC -I"$include" Tests/Benchmarks/flood.c -o "$work/flood.so"
cc -O2 -shared -fPIC Tests/Benchmarks/count_frame_path.c -o "$work/count.so"

# session WIDTH HEIGHT BGRA LEASED FPS: a flood into the picture branch; the report is kept.
session() {
    cat > "$work/flood.yaml" << YAML
session: { maximum: $1x$2@1000 }
camera: { plugin: ./flood.so, settings: { width: $1, height: $2, bgra: $3, leased: $4, fps: $5 } }
outputs:
  - record: { folder: $work/record, size: 16x16, fps: 1, overwrite: true }
  - y4m: "-"
YAML
}

field() { grep "\"$1\"" "$work/record/session.json" | tail -1 | tr -dc '0-9'; }

# delivered frames of the output that takes all of them, the one on standard output
delivered() { grep '"delivered"' "$work/record/session.json" | tr -dc '0-9\n' | sort -n | tail -1; }

echo
echo "frames a second of 1000 sent, into Y4M on /dev/null (5 s each)"
for size in "1280 720" "1920 1080"; do
    for kind in "0 0 I420-borrowed" "0 1 I420-leased" "1 0 BGRA-borrowed" "1 1 BGRA-leased"; do
        # shellcheck disable=SC2086 # words on purpose
        set -- $size $kind
        session "$1" "$2" "$3" "$4" 1000
        "$greenroom" run "$work/flood.yaml" --duration 5s > /dev/null 2> "$work/log" || cat "$work/log"
        echo "$1x$2 $5: $(($(delivered) / 5))"
    done
done

echo
echo "allocations a frame: what 4 s at 1000 frames a second take more than 4 s at 100"
count() {
    COUNT_FRAME_PATH="$work/count" LD_PRELOAD="$work/count.so" \
        "$greenroom" run "$work/flood.yaml" --duration 4s > /dev/null 2> /dev/null
    echo "$(sed -n 's/^allocations //p' "$work/count") $(delivered)"
}
for kind in "0 0 I420-borrowed" "0 1 I420-leased" "1 0 BGRA-borrowed" "1 1 BGRA-leased"; do
    # shellcheck disable=SC2086 # words on purpose
    set -- $kind
    session 1280 720 "$1" "$2" 100
    few=$(count)
    session 1280 720 "$1" "$2" 1000
    many=$(count)
    # shellcheck disable=SC2086 # words on purpose
    set -- $few $many "$3"
    awk -v a="$(($3 - $1))" -v f="$(($4 - $2))" -v n="$5" \
        'BEGIN { printf "%s: %d for %d frames, %.4f a frame\n", n, a, f, a / f }'
done

echo
echo "a session of 1 ms with 20 plugins (a camera and 19 filters), from exec to exit (5 runs, ms)"
{
    echo "camera:"
    echo "  plugin: ColorBars"
    echo "  pre-processors:"
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do echo "    - plugin: Adjust"; done
} > "$work/many.yaml"
for _ in 1 2 3 4 5; do
    begun=$(date +%s%N)
    "$greenroom" run "$work/many.yaml" --duration 1ms 2> /dev/null
    echo $((($(date +%s%N) - begun) / 1000000))
done

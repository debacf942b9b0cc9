#!/bin/sh
# Measures how evenly frames leave: intervals of departure, and lateness against the absolute
# schedule, of a live 1280x720 picture at 30 and at 60 frames a second, on the machine as it is
# and with a busy process on each core.
#
#   Tests/Benchmarks/cadence.sh [SECONDS]      30 unless said
set -eu
cd "$(dirname "$0")/../.."
swift build -c release 2>&1 | tail -1
greenroom=.build/release/greenroom
seconds=${1-30}
work=$(mktemp -d)
burners=""
end() {
    for burner in $burners; do kill "$burner" 2> /dev/null || true; done
    rm -rf "$work"
}
trap end EXIT

# measure FPS LABEL
measure() {
    cat > "$work/session.yaml" << YAML
session: { maximum: 1280x720@$1, duration: ${seconds}s, table: [1280x720@$1] }
camera: { plugin: ColorBars }
outputs:
  - record: { folder: record, size: 16x16, fps: 1, overwrite: true }
  - y4m: "-"
YAML
    "$greenroom" run "$work/session.yaml" > /dev/null 2> "$work/log" || cat "$work/log"
    python3 - "$work/record/session.json" "$1 fps, $2" << 'PYTHON'
import json, sys

picture = json.load(open(sys.argv[1]))["videoTracks"][0]
live = [output for output in picture["outputs"] if "standard output" in output["output"]][0]
for name in ("departure", "lateness"):
    times = live[name]
    print("%-16s %-9s p50 %7.3f ms, p99 %7.3f ms, maximum %7.3f ms (%d)" % (
        sys.argv[2], name, times["p50Milliseconds"], times["p99Milliseconds"],
        times["maximumMilliseconds"], times["count"]))
PYTHON
}

for fps in 30 60; do measure "$fps" idle; done
for _ in $(seq "$(nproc)"); do
    sh -c 'while :; do :; done' &
    burners="$burners $!"
done
for fps in 30 60; do measure "$fps" loaded; done

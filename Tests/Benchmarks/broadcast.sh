#!/bin/sh
# Measures the memory of the samples that broadcast, in C and in Swift, while they send
# 1920x1080 at 30 frames a second: VmHWM is the most that they had, VmRSS what they have, both with
# the part of the host's frames that they write (RssShmem). None may have more than 50 MB.
#
#   Tests/Benchmarks/broadcast.sh [SECONDS]      20 unless said
set -eu
cd "$(dirname "$0")/../.."
swift build -c release 2>&1 | tail -1
sample=Samples/ThirdPartyBroadcast
swift build -c release --package-path "$sample" 2>&1 | tail -1
seconds=${1-20}
work=$(mktemp -d)
host=""
program=""
end() {
    for process in $program $host; do kill "$process" 2> /dev/null || true; done
    rm -rf "$work"
}
trap end EXIT
cc -O2 -pthread -I Sources/GreenroomABI/include "$sample/bouncer.c" -o "$work/bouncer" \
    -L .build/release -lgreenroom-client -Wl,-rpath,"$PWD/.build/release" -lm
cat > "$work/session.yaml" << YAML
session: { maximum: 1920x1080@30 }
share: { connect: $work/share.sock }
outputs:
  - y4m: { to: "-", track: share }
YAML

for bouncer in "$work/bouncer" "$sample/.build/release/Bouncer"; do
    .build/release/greenroom run "$work/session.yaml" > /dev/null 2> "$work/log" &
    host=$!
    "$bouncer" "$work/share.sock" > /dev/null &
    program=$!
    sleep "$seconds"
    echo "$(basename "$bouncer"):"
    grep -E "VmHWM|VmRSS|RssAnon|RssShmem" "/proc/$program/status"
    most=$(grep VmHWM "/proc/$program/status" | tr -dc '0-9')
    kill -INT "$host"
    wait "$host" || true
    wait "$program" || true
    host=""
    program=""
    grep -E "^share: [0-9]+x|^y4m" "$work/log"
    [ "$most" -lt 50000 ] || { echo "more than 50 MB"; exit 1; }
done

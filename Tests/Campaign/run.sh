#!/bin/sh
# Runs the fault campaign from a seed: sessions of eight plugins, each in a separate process, in
# which processes crash, stop, waste, flood, scribble over shared memory, and are killed, the host
# among them. After each run the recording, the report and the machine are looked at.
#
#   Tests/Campaign/run.sh SEED COUNT
#   Tests/Campaign/run.sh 417 1        one run again that has failed as "seed 417"
#
# As root, memory is corrupted from outside, too. The last line counts what was done.
set -eu
cd "$(dirname "$0")/../.."
[ $# = 2 ] || {
    echo "Say which seed and how many runs: $0 SEED COUNT" >&2
    exit 64
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
swift build -c release --build-tests
GREENROOM_NIGHTLY=1 GREENROOM_CAMPAIGN="$1 $2" swift test -c release --skip-build --disable-xctest --filter CampaignTests \
    > "$log" 2>&1 || status=$?
grep -E 'error:|recorded an issue' "$log" || true
grep '^campaign: ' "$log" || {
    tail -20 "$log"
    [ "$status" != 0 ] || status=1
}
[ "$status" = 0 ] && echo "All survived." || echo "Not all survived."
exit "$status"

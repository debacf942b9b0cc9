#!/bin/sh
# A tree of rooms without a media server: one room, three that fetch from it, and nine that fetch from those. Prints the
# delay from the root's camera to a viewer of each level and the frames that are lost. Then the middle room of a viewer is
# killed and started again: prints the time until that viewer sees new frames. Asserts that the frames arrive in order on
# each level and arrive again, and that the other branches do not notice. Runs in a separate network; needs root.
#
#   Tests/WebRoom/tree.sh [BRANCHES [SECONDS]]     3 rooms below each one, 20 s: 13 rooms
set -eu
cd "$(dirname "$0")/../.."
if [ -z "${TREE_NETWORK-}" ]; then
    . Samples/prepare.sh
    [ "$(id -u)" = 0 ] || skip "needs root"
    # shellcheck disable=SC2086 # names of packages are words
    [ -n "${GREENROOM-}" ] || install_packages $build_packages python3-gi gir1.2-gst-plugins-base-1.0 gir1.2-gst-plugins-bad-1.0
    exec env TREE_NETWORK=1 unshare --net sh -c 'ip link set lo up && exec "$0" "$@"' "$0" "$@"
fi
. Tests/WebRoom/common.sh
branches=${1:-3}
seconds=${2:-20}
viewer=a-viewer-of-the-tree

# port NAME: of the room 1, 1-2 or 1-2-3.
port() { echo "$1" | tr -d - | sed 's/^1$/48001/; s/^1\(.\)$/4810\1/; s/^1\(.\)\(.\)$/482\1\2/'; }
# start NAME: a room in the background, in $room. It shows what it fetches from its parent, and nothing else.
start() {
    parent=${1%-*}
    if [ "$parent" = "$1" ]; then
        source='camera: { plugin: ColorBars }
microphone: { plugin: Tone }' fetch= tracks=
    else
        source='stage: { plugin: Stage, settings: { layout: custom, custom: [Up 0 0 100 100 stretch], labels: false } }'
        tracks='tracks: [stage, full-mix, "participant * microphone"]'
        fetch="fetch: \"http://127.0.0.1:$(port "$parent")/whep\", fetch-token: $viewer, fetch-name: Up,"
    fi
    cat > "$work/$1.yaml" << YAML
session: { maximum: 320x180@15, isolation: host }
$source
call:
  plugin: WebRoom
  $tracks
  settings: { $fetch port: $(port "$1"), viewer-token: $viewer }
YAML
    "$greenroom" run "$work/$1.yaml" 2> "$work/$1.log" &
    room=$!
    programs="$room $programs"
    wait_for "live: http" "$work/$1.log"
}
# watch NAME: a viewer of that room, until it is ended; writes what it sees to NAME.seen.
watch() {
    LIMIT=$((6 * seconds + 300)) /usr/bin/python3 Tests/WebRoom/peer.py time "http://127.0.0.1:$(port "$1")/" $viewer \
        1000000 > "$work/$1.seen" &
    watcher=$!
    programs="$watcher $programs"
}

children=$(seq "$branches")
names=1
for one in $children; do names="$names 1-$one"; done
for one in $children; do for two in $children; do names="$names 1-$one-$two"; done; done
count=0
for name in $names; do
    start "$name"
    [ "$name" != 1-1 ] || middle=$room
    count=$((count + 1))
done
for name in $names; do [ "$name" = 1 ] || wait_for "up-camera: opened" "$work/$name.log"; done
say "$count rooms; the load of the machine is $(cut -d ' ' -f 1 /proc/loadavg)"

other=1-$branches-1
for name in 1 1-1 1-1-1 $other; do
    watch "$name"
    watchers="${watchers-} $watcher"
done
sleep $((seconds + 5))
say "The room 1-1 is killed, and started again"
kill -KILL "$middle"
wait "$middle" || true
start 1-1
again=$(python3 -c 'import time; print(time.monotonic())')
for _ in $(seq 600); do
    [ "$(grep -c "up.*-camera: opened" "$work/1-1-1.log")" -ge 2 ] && break
    sleep 0.1
done
sleep "$seconds"
# shellcheck disable=SC2086 # processes are words
kill $watchers
# shellcheck disable=SC2086
wait $watchers || true
python3 - "$work" "$again" "$other" << 'PYTHON'
import json
import sys

folder, again, other = sys.argv[1], float(sys.argv[2]), sys.argv[3]


def seen(name):
    """The frames of a viewer after its first 2 s: when they arrived, their numbers, and how late they were."""
    content = json.load(open(f"{folder}/{name}.seen", encoding="utf-8"))
    frames = [
        (at, code, (at - stamp / 1000) % 16777.216)
        for (at, stamp), code in zip(content["seen"], content["codes"]) if code is not None]
    assert frames, f"the viewer of {name} sees nothing"
    return [frame for frame in frames if frame[0] > frames[0][0] + 2]


def summary(name, frames):
    numbers = [number for _, number, _ in frames]
    assert numbers == sorted(numbers), f"{name}: frames are out of order"
    late = sorted(1000 * delay for _, _, delay in frames)
    covered = numbers[-1] - numbers[0] + 1
    print(f"{name:6} delay p50 {late[len(late) // 2]:4.0f} ms, p95 {late[len(late) * 95 // 100]:4.0f} ms; "
          f"{covered - len(set(numbers))} of {covered} frames lost", flush=True)


for name in ("1", "1-1", "1-1-1", other):
    before = [frame for frame in seen(name) if frame[0] < again - 2]
    assert len(before) > 30, f"the viewer of {name} sees {len(before)} frames"
    summary(name, before)
# The viewer of the leaf stays connected. A frame that was made after the room had started again came through it.
after = [frame for frame in seen("1-1-1") if frame[0] - frame[2] > again]
assert after, "the leaf's viewer sees no frame after the middle room was killed"
print(f"1-1-1: new frames {after[0][0] - again:.1f} s after the start of the new room")
summary("1-1-1", after)
meanwhile = [frame for frame in seen(other) if again - 2 < frame[0] < after[0][0]]
assert len(meanwhile) > 10, f"the viewer of {other} sees {len(meanwhile)} frames meanwhile"
summary(other, meanwhile)
PYTHON
for name in $names; do
    case $name in 1 | 1-1 | 1-1-*) continue ;; esac
    [ "$(grep -c "up.*-camera: opened" "$work/$name.log")" = 1 ] || fail "The room $name had to fetch again."
done

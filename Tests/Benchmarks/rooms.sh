#!/bin/sh
# The cost of a room, by its guests, viewers, stage and recording: cores, memory (PSS) and UDP ports of the host and all
# of its processes, and bits a second that cross the network both ways. Each guest sends 320x180 at 15 frames a second
# and audio; each viewer takes the first video and the mix. The room is isolated, as in the manual's page Many rooms.
# Runs in a separate network, so that nothing else counts; needs root.
#
#   Tests/Benchmarks/rooms.sh [SECONDS [ROOM...]]
#
# A ROOM is GUESTS-VIEWERS, with -stage, -record or -stage-record behind it, or the name of several of them:
#
#   idle     no sources; nobody; 1, 8 and 24 viewers
#   people   1, 4 and 8 guests with 1 viewer, 8, and as many as an isolated room takes beside them
#   stage, record, stage-record    the same people, with these
#
# Without a ROOM it measures all 41 of them for 15 s each, which takes about half an hour. A part takes seven minutes.
# The pages' programs use the same processors: with more than about eight of them a machine with two is too slow for
# the measurement, and the column `real` says so.
set -eu
cd "$(dirname "$0")/../.."
if [ -z "${ROOMS_NETWORK-}" ]; then
    [ "$(id -u)" = 0 ] || { echo "skipped: needs root" >&2; exit 77; }
    exec env ROOMS_NETWORK=1 unshare --net sh -c 'ip link set lo up && exec "$0" "$@"' "$0" "$@"
fi
. Tests/WebRoom/common.sh
seconds=${1:-15}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- idle people stage record stage-record
# people SUFFIX: the rooms with guests. RoomLimits of WebRoom gives an isolated room, which may open 256 files and
# threads, 64 + 8 files for each person, and 48 + 8 threads for each viewer + 16 for each guest.
people() {
    for guests in 1 4 8; do
        most=$((24 - guests))
        [ $most -le $((26 - 2 * guests)) ] || most=$((26 - 2 * guests))
        for viewers in 1 8 $most; do echo "$guests-$viewers$1"; done
    done
}
rooms=
for room in "$@"; do
    case $room in
        idle) rooms="$rooms none 0-0 0-1 0-8 0-24" ;;
        people) rooms="$rooms $(people "")" ;;
        stage | record | stage-record) rooms="$rooms $(people "-$room")" ;;
        *) rooms="$rooms $room" ;;
    esac
done

viewer=a-viewer-who-is-measured guest=a-guest-who-is-measured
# peer ARGUMENT...: a person, in the background.
peer() {
    LIMIT=$((seconds + 300)) /usr/bin/python3 Tests/WebRoom/peer.py "$@" >> "$work/peers" 2>&1 &
    peers="$peers $!"
    programs="$! $programs"
}

echo "guests  viewers  stage  record   cores  memory MB  ports  Mbit/s  real %"
# shellcheck disable=SC2086 # rooms are words
for room in $rooms; do
    guests=0 viewers=0 sources='camera: { plugin: ColorBars }
microphone: { plugin: Tone }'
    case $room in
        none*) sources= ;;
        *) guests=${room%%-*} viewers=${room#*-} viewers=${viewers%%-*} ;;
    esac
    stage= record=
    case $room in *-stage*) stage='stage: { plugin: Stage }' ;; esac
    case $room in
        *-stage-record) record="outputs: [record: { file: $work/call.mkv, tracks: [stage, full-mix] }]" ;;
        *-record) record="outputs: [record: { file: $work/call.mkv, tracks: [camera, mix] }]" ;;
    esac
    cat > "$work/room.yaml" << YAML
session: { name: measured-$$, maximum: 1280x720@30 }
$sources
$stage
call:
  plugin: WebRoom
  isolation: process
  memory-limit: 1000 MB
  allow: { network: true }
  settings: { viewer-token: $viewer, guest-token: $guest }
$record
YAML
    # The text of the room before must not be taken for this one's.
    rm -f "$work"/call* "$work/log" "$work/peers"
    "$greenroom" run "$work/room.yaml" 2> "$work/log" &
    host=$!
    programs=$host
    peers=
    wait_for "live: http" "$work/log"
    url=$(sed -n 's|.*live: \(http://[0-9.:]*\).*|\1|p' "$work/log")
    for number in $(seq "$guests"); do
        peer send "$url" $guest "P$number"
        wait_for "p$number-camera: opened" "$work/log"
    done
    for _ in $(seq "$viewers"); do peer take "$url" $viewer; done
    tries=0
    until [ "$("$greenroom" status "measured-$$" --json | sed -n 's/.*"viewers":\([0-9]*\).*/\1/p')" = "$viewers" ]; do
        tries=$((tries + 1))
        [ $tries -le 600 ] || fail "$room: not all viewers connect: $(cat "$work/peers" "$work/log")"
        sleep 0.1
    done
    sleep 3
    PYTHONPATH=Tests/Benchmarks python3 - "$host" "$seconds" "$room" "$guests" "$viewers" "$greenroom" "measured-$$" << 'END'
import json
import os
import subprocess
import sys
import time

from processes import tree, tree_seconds, tree_memory, udp_ports

host, seconds, room, guests, viewers, greenroom, name = sys.argv[1:]


def crossed():
    """Bytes that crossed the loopback device: each once."""
    for line in open("/proc/net/dev"):
        if line.strip().startswith("lo:"):
            return int(line.split()[9])


processes = tree(int(host))
before = time.monotonic(), tree_seconds(processes), crossed()
time.sleep(float(seconds))
after = time.monotonic(), tree_seconds(processes), crossed()
span, cpu, octets = (late - early for early, late in zip(before, after))
report = json.loads(subprocess.run([greenroom, "status", name, "--json"], capture_output=True, text=True).stdout)
real = [track["account"].get("realPercent") for track in report["videoTracks"] + report["audioTracks"]]
real = min([part for part in real if part is not None], default=100)
print(
    f"{'none' if room.startswith('none') else guests:>6}  {viewers:>7}  {'yes' if '-stage' in room else '':>5}  "
    f"{'yes' if '-record' in room else '':>6}  {cpu / span:6.3f}  {tree_memory(processes):9.0f}  "
    f"{udp_ports(processes):5}  {octets * 8 / span / 1e6:6.2f}  {real:6.1f}", flush=True)
END
    for peer in $peers; do kill "$peer" || fail "$room: a person has left: $(cat "$work/peers" "$work/log")"; done
    # shellcheck disable=SC2086 # processes are words
    [ -z "$peers" ] || wait $peers || true
    finish "$host" || fail "$room: the session failed: $(cat "$work/log")"
done

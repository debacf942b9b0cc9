#!/bin/sh
# What a room's guests and viewers cost: each guest sends 320x180 at 15 frames a second and audio, each viewer takes
# the camera and the mix. The room is in the host's process, and no output records. Prints processor seconds
# a minute, context switches a second and the audio thread's part of a processor, of the host alone.
#
#   Tests/Benchmarks/guests.sh [SECONDS [GUESTS-VIEWERS...]]      20 and 0-0 0-15 8-0 8-15
set -eu
cd "$(dirname "$0")/../.."
. Tests/WebRoom/common.sh
# shellcheck disable=SC2086 # names of packages are words
install_packages $build_packages python3-gi gir1.2-gst-plugins-base-1.0 gir1.2-gst-plugins-bad-1.0
seconds=${1:-20}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- 0-0 0-15 8-0 8-15

viewer=a-viewer-who-is-measured guest=a-guest-who-is-measured
cat > "$work/room.yaml" << YAML
session: { maximum: 320x180@15, isolation: host }
camera: { plugin: ColorBars }
microphone: { plugin: Tone }
call: { plugin: WebRoom, settings: { viewer-token: $viewer, guest-token: $guest } }
YAML

# peer ARGUMENT...: a person, in the background.
peer() {
    LIMIT=$((seconds + 300)) /usr/bin/python3 Tests/WebRoom/peer.py "$@" > "$work/peer" 2>&1 &
    peers="$peers $!"
    programs="$! $programs"
}

echo "guests  viewers  CPU s a minute  switches a second  audio thread"
for people in "$@"; do
    # The text of the room before must not be taken for this one's.
    rm -f "$work/log"
    "$greenroom" run "$work/room.yaml" 2> "$work/log" &
    room=$!
    programs=$room
    peers=
    wait_for "live: http" "$work/log"
    url=$(sed -n 's|.*live: \(http://[0-9.:]*\).*|\1|p' "$work/log")
    for _ in $(seq "${people#*-}"); do peer take "$url" $viewer; done
    for number in $(seq "${people%-*}"); do
        peer send "$url" $guest "P$number"
        wait_for "p$number-camera: opened" "$work/log"
    done
    sleep 5
    PYTHONPATH=Tests/Benchmarks python3 -c "
from processes import usage
cpu, switches, audio = usage($room, $seconds)
print(f'{${people%-*}:6}  {${people#*-}:7}  {cpu:14.1f}  {switches:17.0f}  {audio:12.1%}', flush=True)"
    # shellcheck disable=SC2086 # processes are words
    [ -z "$peers" ] || { kill $peers; wait $peers || true; }
    finish "$room"
done

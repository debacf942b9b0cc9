#!/bin/sh
# What a room's guests and viewers cost: each guest sends 320x180 at 15 frames a second and audio, each viewer takes
# eight of the videos and the mix. No output records. Prints processor seconds a minute, context switches a second and
# the audio thread's part of a processor, all of the room's process without the host. Then prints the packets that the
# viewers took and missed in this time.
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
session: { maximum: 320x180@15, name: guests-$$ }
camera: { plugin: ColorBars }
microphone: { plugin: Tone }
call: { plugin: WebRoom, settings: { viewer-token: $viewer, guest-token: $guest } }
YAML

# peer ARGUMENT...: a person, in the background.
peer() {
    LIMIT=$((seconds + 300)) /usr/bin/python3 Tests/WebRoom/peer.py "$@" >> "$work/peers" 2> "$work/errors" &
    peers="$peers $!"
    programs="$! $programs"
}

echo "guests  viewers  CPU s a minute  switches a second  audio thread    packets  lost"
for people in "$@"; do
    # The text of the room before must not be taken for this one's.
    rm -f "$work/log" "$work/peers"
    programs=
    peers=
    start_room "$work/log"
    for number in $(seq "${people%-*}"); do
        peer send "$url" $guest "P$number"
        wait_for "p$number-camera: opened" "$work/log"
    done
    senders=$peers
    peers=
    # A viewer asks once for the videos that are there. One after the other, as connecting costs more than watching.
    for number in $(seq "${people#*-}"); do
        peer gather "$url" $viewer 8 180
        tries=0
        until "$greenroom" status "guests-$$" --json | grep -q "\"viewers\":$number\b"; do
            tries=$((tries + 1))
            [ $tries -le 300 ] || fail "Viewer $number does not connect: $(cat "$work/errors" "$work/log")"
            sleep 0.1
        done
    done
    sleep 10
    # shellcheck disable=SC2086 # processes are words
    [ -z "$peers" ] || kill -USR1 $peers
    PYTHONPATH=Tests/Benchmarks python3 -c "
from processes import runners, usage
cpu, switches, audio = usage((runners($room) or [$room])[0], $seconds)
print(f'{${people%-*}:6}  {${people#*-}:7}  {cpu:14.1f}  {switches:17.0f}  {audio:12.1%}', end='', flush=True)"
    # shellcheck disable=SC2086 # processes are words
    [ -z "$peers" ] || { kill $peers; wait $peers || true; }
    python3 -c "
import json
counts = [json.loads(line)['packets'] for line in open('$work/peers') if 'packets' in line]
print(f'  {sum(count[\"taken\"] for count in counts):9}  {sum(count[\"lost\"] for count in counts):4}', flush=True)"
    # shellcheck disable=SC2086 # processes are words
    [ -z "$senders" ] || { kill $senders; wait $senders || true; }
    finish "$room"
done

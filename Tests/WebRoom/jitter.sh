#!/bin/sh
# A network whose packets overtake each other and get lost: relay.py between a room and a viewer, and
# between a room and a guest. The numbers in the frames must go on, as the viewer sees them and as the guest
# is recorded, and the guest's audio must stay with their video.
#
#   Tests/WebRoom/jitter.sh                 0 to 80 ms, 1.5 % lost
#   DELAY=60-60 Tests/WebRoom/jitter.sh     a long way without jitter
set -eu
cd "$(dirname "$0")/../.."
. Tests/WebRoom/common.sh
# shellcheck disable=SC2086 # names of packages are words
install_packages $build_packages python3-gi gir1.2-gst-plugins-base-1.0 gir1.2-gst-plugins-bad-1.0
delay=${DELAY:-0-80}
loss=${LOSS:-1.5}
viewer=a-viewer-behind-a-relay
guest=a-guest-behind-a-relay

cat > "$work/room.yaml" << YAML
session: { maximum: 640x360@30 }
camera: { plugin: ColorBars }
microphone: { plugin: Tone, settings: { frequency: 1000 } }
call:
  plugin: WebRoom
  isolation: process
  allow: { network: true }
  memory-limit: 1 GB
  settings: { viewer-token: $viewer, guest-token: $guest }
outputs: [record: $work/recording]
YAML
start_room "$work/log"
python3 Tests/WebRoom/relay.py "$url" "$delay" "$loss" > "$work/relay" &
relay=$!
programs="$relay $programs"
wait_for port "$work/relay"
relayed="http://127.0.0.1:$(sed -n 's/port //p' "$work/relay")"

# watch URL: the percentage of the frames' numbers that a viewer sees in 20 s.
watch() {
    # A browser has a buffer that grows with jitter, and shows no frame that lacks one before it.
    LATENCY=400 WAITS=1 LIMIT=60 /usr/bin/python3 Tests/WebRoom/peer.py watch "$1" "$viewer" 600 > "$work/seen"
    python3 - "$work/seen" << 'PYTHON'
import json, sys

seen = json.load(open(sys.argv[1], encoding="utf-8"))
# Without those of the first 2 s, which the viewer's own buffers begin with.
codes = [code for code in seen["codes"][60:] if code is not None]
covered = codes[-1] - codes[0] + 1
hertz = seen["crossings"] * 48000 / seen["samples"]
percent = 100 * len(set(codes)) / covered
print(f"a viewer sees {len(set(codes))} of {covered} numbers ({percent:.1f} %), hears {hertz:.0f} Hz")
assert codes == sorted(codes), "frames are out of order"
assert percent >= 95, "less than 95 % of the frames are seen"
assert abs(hertz - 1000) <= 30, "the tone is not heard"
PYTHON
}

# join URL NAME: a guest for 20 s, who sends numbered frames and beeps.
join() {
    # The text of the guest before must not be taken for this one's.
    rm -f "$work/sent"
    LIMIT=60 /usr/bin/python3 Tests/WebRoom/peer.py count "$1" "$guest" "$2" > "$work/sent" 2>&1 &
    sender=$!
    programs="$sender $programs"
    wait_for counts "$work/sent"
    sleep 22
    kill "$sender"
    wait "$sender" || fail "$2 did not leave: $(cat "$work/sent")"
    wait_for "$2 left" "$work/log"
}

# All of it is measured, also where a part is not what it should be.
failed=
say "Without the relay"
watch "$url" || failed="$failed viewer"
join "$url" Direct
say "Through it: $delay ms, $loss % lost"
watch "$relayed" || failed="$failed relayed-viewer"
join "$relayed" Relayed
kill "$relay"
wait "$relay" || true
tail -1 "$work/relay"
finish "$room"
say "The recording"
export SKIP=2
python3 Tests/WebRoom/numbered.py "$work/recording" direct-camera direct-microphone 99 beeps \
    || failed="$failed guest"
python3 Tests/WebRoom/numbered.py "$work/recording" relayed-camera relayed-microphone 90 beeps \
    || failed="$failed relayed-guest"
[ -z "$failed" ] || fail "Failed:$failed"

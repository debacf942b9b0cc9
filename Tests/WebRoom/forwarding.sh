#!/bin/sh
# The processor time and the wake-ups of a room with guests and viewers whose clients decode nothing, and how many slots
# are forwarded and encoded.
#
# The guests send a street at three times its speed, so that each picture is another one, with a tenth of a bit for each
# pixel: 700 kbit/s for 640x360@30. A test pattern costs a room that encodes far less than a camera does.
#
#   Tests/WebRoom/forwarding.sh                                     4 guests and 8 viewers at 640x360@30 for 60 s
#   GUESTS=16 VIEWERS=40 SIZE=320x180@15 Tests/WebRoom/forwarding.sh 30
#   GREENROOM=/other/greenroom Tests/WebRoom/forwarding.sh          of another build
set -eu
cd "$(dirname "$0")/../.."
. Tests/WebRoom/common.sh
# shellcheck disable=SC2086 # names of packages are words
[ -n "${GREENROOM-}" ] || install_packages $build_packages python3-gi gir1.2-gst-plugins-base-1.0 gir1.2-gst-plugins-bad-1.0 ffmpeg
prepare_media
seconds=${1:-60}
guests=${GUESTS:-4}
viewers=${VIEWERS:-8}
slots=$((guests > 8 ? 8 : guests))
export SIZE="${SIZE:-640x360@30}" FOOTAGE="$work/street.webm"
rate=${SIZE#*@}
height=${SIZE%@*}
width=${height%x*}
height=${height#*x}
bits=$((width * height * rate / 10))
ffmpeg -v error -i .build/media/street.y4m -vf "setpts=PTS/3,fps=$rate,scale=$width:$height" -c:v libvpx \
    -b:v $bits -minrate $bits -maxrate $bits -bufsize $((bits / 2)) -deadline realtime -cpu-used 8 -g 30 "$work/once.webm"
ffmpeg -v error -stream_loop $((seconds / 4 + 80)) -i "$work/once.webm" -c copy "$FOOTAGE"

cat > "$work/room.yaml" << YAML
session: { maximum: 1280x720@30, isolation: host }
microphone: { plugin: Tone }
call:
  plugin: WebRoom
  settings: { viewer-token: viewer-token-123456, guest-token: guest-token-1234567, operator-token: operator-token-123 }
  allow: { control: true }
YAML
start_room "$work/room.log"
peer() {
    mode=$1
    token=$2
    shift 2
    LIMIT=$((seconds + 300)) /usr/bin/python3 Tests/WebRoom/peer.py "$mode" "$url/" "$token" "$@" \
        >> "$work/peer" 2>&1 &
    programs="$! $programs"
}
for number in $(seq "$guests"); do peer send guest-token-1234567 "Guest-$number"; done
wait_for "Guest-$guests-camera: opened\|guest-$guests-camera: opened" "$work/room.log"
sleep 3
for _ in $(seq "$viewers"); do peer gather viewer-token-123456 "$slots" 720; done
sleep $((8 + viewers / 4))
# ticks: the processor time of the room in hundredths of a second.
ticks() { awk '{ print $14 + $15 }' "/proc/$room/stat"; }
report() {
    python3 -c 'import json, sys, urllib.request as r
report = json.load(r.urlopen(r.Request(sys.argv[1] + "/api/report", headers={"Authorization": "Bearer operator-token-123"})))
def find(value):
    if isinstance(value, dict):
        for name, inner in value.items():
            if name.startswith(("slots-", "guests-", "frames-dropped")): print(name, inner)
            find(inner)
    elif isinstance(value, list):
        for inner in value: find(inner)
find(report)' "$url" || true
}
wakes() { PYTHONPATH=Tests/Benchmarks python3 -c "from processes import thread_wakes; print(thread_wakes($room).total())"; }
begun=$(ticks)
woken=$(wakes)
sleep "$seconds"
ended=$(ticks)
woken=$((($(wakes) - woken) / seconds))
report
echo "$guests guests, $viewers viewers, $SIZE: $(((ended - begun) * 10)) ms of processor time in $seconds s, $woken wake-ups a second"
grep -i "warning\|error" "$work/room.log" | head -5 || true
finish "$room"

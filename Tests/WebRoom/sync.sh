#!/bin/sh
# Whether audio and video stay together: of a guest who sends H.264 with and without B-frames, in the recording, and
# of the host, in headless Chromium. It measures content, not reports: frames have their time drawn into them, and
# the audio beeps at each whole second. The machine must have nothing else to do: a browser that gets audio late once
# buffers more of it.
#
#   Tests/WebRoom/sync.sh
set -eu
cd "$(dirname "$0")/../.."
. Tests/WebRoom/common.sh
# shellcheck disable=SC2086 # names of packages are words
install_packages $build_packages chromium python3-venv gstreamer1.0-plugins-ugly python3-gi \
    gir1.2-gst-plugins-base-1.0 gir1.2-gst-plugins-bad-1.0
python=$(python_with playwright)
cc -std=c11 -D_GNU_SOURCE -O1 -shared -fPIC -pthread -ISources/GreenroomABI/include \
    Tests/HostilePlugins/hostile/*.c -o "$work/sources.so" -lm

cat > "$work/room.yaml" << YAML
session: { maximum: 640x360@30 }
camera: { plugin: ColorBars }
microphone: { plugin: "$work/sources.so#BeepMic", isolation: host }
call:
  plugin: WebRoom
  isolation: process
  allow: { network: true }
  memory-limit: 1 GB
  settings: { viewer-token: viewer-token-123456, guest-token: guest-token-1234567 }
outputs: [record: $work/room]
YAML
start_room "$work/room.log"

say "Guests send H.264 with B-frames"
for frames in 0 1 2 3; do
    BFRAMES=$frames CODEC=H264 LIMIT=60 /usr/bin/python3 Tests/WebRoom/peer.py \
        count "$url/" guest-token-1234567 "B$frames" 2> "$work/guest" &
    guest=$!
    programs="$guest $programs"
    wait_for "b$frames-camera: opened" "$work/room.log"
    sleep 20
    kill "$guest"
    wait_for "call: B$frames left" "$work/room.log"
done
say "Chromium shows and plays the host"
status=0
"$python" Tests/WebRoom/sync.py "$url/#viewer-token-123456" || status=$?
cat > "$work/guests.yaml" << YAML
call:
  plugin: WebRoom
  settings: { viewer-token: viewer-token-123456, guest-token: guest-token-1234567 }
YAML
"$greenroom" run "$work/guests.yaml" 2> "$work/guests.log" &
guests=$!
programs="$guests $programs"
wait_for "live: http" "$work/guests.log"
at=$(sed -n 's|.*live: \(http://[0-9.:]*\).*|\1|p' "$work/guests.log")
say "Chromium shows and plays a guest whose packets are forwarded"
LIMIT=120 /usr/bin/python3 Tests/WebRoom/peer.py count "$at/" guest-token-1234567 Ana 2> "$work/guest" &
programs="$! $programs"
wait_for "ana-camera: opened" "$work/guests.log"
"$python" Tests/WebRoom/sync.py "$at/#viewer-token-123456" Ana || status=$?
finish "$guests"
finish "$room"

say "Recordings of the guests"
failed=
for frames in 0 1 2 3; do
    SKIP=3 APART=45 python3 Tests/WebRoom/numbered.py "$work/room" "b$frames-camera" "b$frames-microphone" 80 beeps \
        || failed="$failed $frames"
done
[ "$status" = 0 ] || fail "Audio and video are apart in Chromium."
[ -z "$failed" ] || fail "Audio and video are apart with B-frames:$failed"

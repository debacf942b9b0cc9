#!/bin/sh
# What vivid.sh looks at, within its virtual machine.
#
#   vivid-guest.sh GREENROOM KERNEL RELEASE
set -eu
greenroom=$1
export HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin XDG_CACHE_HOME=/tmp/cache FREI0R_PATH=/none LADSPA_PATH=/none
work=$(mktemp -d)
cd "$work"
mkdir -p "$work/run"
export XDG_RUNTIME_DIR="$work/run"

fail() {
    printf 'not true: %s\n' "$*"
    [ ! -e log ] || cat log
    exit 1
}

# wait_for TEXT FILE: the machine is slow; the caller's time limit ends it.
wait_for() {
    until grep -q "$1" "$2"; do
        kill -0 "$session" 2> /dev/null || fail "the session ended without \"$1\""
        sleep 0.2
    done
}

# session MAXIMUM SECONDS SETTINGS [TIMELINE]: writes session.yaml, which records to a new folder.
session() {
    recordings=$((${recordings-0} + 1))
    cat > session.yaml << END
session: { maximum: $1, duration: $2s }
camera: { plugin: V4L2Camera, settings: { device: vivid, $3 } }
timeline: [${4-}]
outputs: [{ record: recording$recordings }]
END
}

# The modules of the running kernel lie beside this machine's own.
modprobe -d "$2" -S "$3" vivid n_devs=2 node_types=0x1,0x1 num_inputs=1,1 input_types=0x0,0x0 \
    multiplanar=1,2 no_error_inj=0,0
camera=/dev/video0

echo "devices lists the formats, sizes and controls of the camera, and says why the other is of no use"
"$greenroom" devices --json > devices.json 2> log
python3 - << 'END' || fail "$(head -c 2000 devices.json)"
import json
cameras = {c["path"]: c for c in json.load(open("devices.json"))["cameras"]}
first, second = cameras["/dev/video0"], cameras["/dev/video1"]
formats = {mode["format"] for mode in first["modes"]}
assert {"YUYV", "NV12", "RGB3", "BGR4"} <= formats, formats
sizes = {(mode["width"], mode["height"]) for mode in first["modes"]}
assert {(320, 180), (640, 360), (1280, 720)} <= sizes, sizes
assert {c["name"] for c in first["controls"]} == {"gain"}, first["controls"]
assert "several planes" in second["missing"], second
END

echo "a session records the size and the bars of the camera"
session 320x180@15 2 ""
"$greenroom" run session.yaml 2> log || fail "exit code $?"
python3 - << 'END' || fail "other pictures"
data = open("recording1/camera.y4m", "rb").read()
header, rest = data.split(b"\n", 1)
assert b"W320 H180" in header and b"F15:1" in header, header
size = 320 * 180 * 3 // 2
frame = rest[len(b"FRAME\n"):][-size:]
bars = [frame[320 * 150 + 20 + 40 * bar] for bar in range(8)]
assert bars == sorted(bars, reverse=True) and bars[0] > 150 and bars[7] < 40, bars
END
v4l2-ctl -d $camera --get-fmt-video | grep -q "Width/Height.*: 320/180" || fail "$(v4l2-ctl -d $camera -V)"

echo "a property change changes the format of the camera"
session 640x360@15 3 "" "{ at: 1s, ceiling: 320x180@15 }"
"$greenroom" run session.yaml 2> log || fail "exit code $?"
grep -q "camera: 640x360@15" log || fail "no larger size"
grep -q "camera: 320x180@15, ceiling-lowered" log || fail "no smaller size"
! grep "agreed on" log || fail "frames of the old size after the change"
v4l2-ctl -d $camera --get-fmt-video | grep -q "Width/Height.*: 320/180" || fail "$(v4l2-ctl -d $camera -V)"

echo "controls are live settings, within their ranges"
session 320x180@15 3 "gain: 10" "{ at: 1s, set: camera.settings.gain=200 }, { at: 2s, set: camera.settings.gain=300 }"
"$greenroom" run session.yaml 2> log || fail "exit code $?"
[ "$(v4l2-ctl -d $camera -C gain,gain_automatic | tr '\n' ' ')" = "gain: 200 gain_automatic: 0 " ] \
    || fail "$(v4l2-ctl -d $camera -C gain,gain_automatic)"
grep -q "gain: 300 is not 0 to 255" log || fail "a value outside of the range is not told"

echo "a second session is told who has the camera"
: > log
session 320x180@15 60 ""
"$greenroom" run session.yaml > /dev/null 2> log & session=$!
wait_for "^sending" log
session 320x180@15 2 ""
sed -i "s:device\: vivid:device\: $camera:" session.yaml
if "$greenroom" run session.yaml 2> second; then fail "it has the camera, too"; fi
grep -q "in use by greenroom (process $session)" second || { cat second; fail "another reason"; }

echo "an unplugged camera is a slate until it is back"
# The driver's own error, after which the device is as before; then without the device.
v4l2-ctl -d $camera -c disconnect=1
wait_for "camera: .*unplugged" log
wait_for "the camera is back" log
echo vivid.0 > /sys/bus/platform/drivers/vivid/unbind
echo vivid.0 > /sys/bus/platform/drivers/vivid/bind
until [ "$(grep -c "the camera is back" log)" = 2 ]; do
    kill -0 "$session" 2> /dev/null || fail "the session ended"
    sleep 0.2
done
kill -INT "$session"
status=0
wait "$session" || status=$?
[ $status = 130 ] || fail "exit code $status"
echo "all of it is true"

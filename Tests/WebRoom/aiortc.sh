#!/bin/sh
# aiortc, a WebRTC of its own in Python, with a room: it watches, joins with frames that it makes, and is
# the media server to which a room publishes.
#
#   Tests/WebRoom/aiortc.sh
set -eu
cd "$(dirname "$0")/../.."
. Tests/WebRoom/common.sh
# shellcheck disable=SC2086 # names of packages are words
install_packages $build_packages python3-venv
python=$(python_with aiortc aiohttp numpy)

# run NAME SETTINGS: a session with a room, in the background.
run() {
    cat > "$work/$1.yaml" << YAML
session: { maximum: 320x180@15 }
camera: { plugin: ColorBars }
microphone: { plugin: Tone, settings: { frequency: 1000 } }
call:
  plugin: WebRoom
  isolation: process
  allow: { network: true }
  memory-limit: 1 GB
  settings: { $2 }
outputs: [record: $work/$1]
YAML
    "$greenroom" run "$work/$1.yaml" 2> "$work/$1.log" &
    session=$!
    programs="$session $programs"
}

say "aiortc watches a room, and joins it"
run room "viewer-token: viewer-with-aiortc, guest-token: guest-with-aiortc"
room=$session
wait_for "live: http" "$work/room.log"
url=$(sed -n 's|.*live: \(http://[0-9.:]*\).*|\1|p' "$work/room.log")
"$python" Tests/WebRoom/aiortc_peer.py watch "$url" viewer-with-aiortc
"$python" Tests/WebRoom/aiortc_peer.py join "$url" guest-with-aiortc
wait_for "Ada has left" "$work/room.log"
finish "$room"
grep "recording of ada-camera" "$work/room.log"
frames=$(sed -n 's/^recording of ada-camera.*: \([0-9]*\) frames, \([0-9]*\) of them repeats.*/\1 - \2/p' "$work/room.log")
[ $(($frames)) -ge 100 ] || fail "Of Ada's 150 frames only $(($frames)) were recorded."

say "A room publishes to aiortc"
"$python" Tests/WebRoom/aiortc_peer.py serve 8098 > "$work/server.log" 2>&1 &
programs="$! $programs"
wait_for ready "$work/server.log"
run publisher "publish: \"http://127.0.0.1:8098/whip\", publish-token: secret"
wait_for "published:" "$work/server.log"
kill -INT "$session"
wait_for "ended by DELETE" "$work/server.log"
cat "$work/server.log"

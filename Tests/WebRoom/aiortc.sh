#!/bin/sh
# aiortc, a WebRTC of its own in Python, with a room: it watches, joins with frames that it makes, and is
# the media server to which a room publishes. Debian's aiortc 1.4 offers a transport for each medium.
#
#   Tests/WebRoom/aiortc.sh
set -eu
cd "$(dirname "$0")/../.."
. Tests/WebRoom/common.sh
# shellcheck disable=SC2086 # names of packages are words
install_packages $build_packages python3-venv python3-aiortc python3-aiohttp python3-numpy

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

for python in /usr/bin/python3 "$(python_with aiortc aiohttp numpy)"; do
    version=$("$python" -c "import aiortc; print(aiortc.__version__)")
    say "aiortc $version watches a room, and joins it"
    run "room-$version" "viewer-token: viewer-with-aiortc, guest-token: guest-with-aiortc"
    room=$session
    wait_for "live: http" "$work/room-$version.log"
    url=$(sed -n 's|.*live: \(http://[0-9.:]*\).*|\1|p' "$work/room-$version.log")
    "$python" Tests/WebRoom/aiortc_peer.py watch "$url" viewer-with-aiortc
    "$python" Tests/WebRoom/aiortc_peer.py join "$url" guest-with-aiortc
    wait_for "Ada left" "$work/room-$version.log"
    finish "$room"
    grep "recording of ada-camera" "$work/room-$version.log"
    # The line names repeats only if there are some.
    frames=$(sed -n 's/^recording of ada-camera.*: \([0-9]*\) frames\(, \([0-9]*\) of them repeats\)\{0,1\}.*/\1 \3/p' \
        "$work/room-$version.log")
    # shellcheck disable=SC2086 # numbers are words
    set -- $frames
    [ $(($1 - ${2:-0})) -ge 100 ] || fail "The recording has $frames of Ada's 150 frames."

    for rejected in "" audio video; do
        say "A room publishes to aiortc $version, which rejects ${rejected:-nothing}"
        # shellcheck disable=SC2086 # nothing is no word
        "$python" Tests/WebRoom/aiortc_peer.py serve 8098 $rejected > "$work/server-$version.log" 2>&1 &
        server=$!
        programs="$server $programs"
        wait_for ready "$work/server-$version.log"
        run "publisher-$version" "publish: \"http://127.0.0.1:8098/whip\", publish-token: secret"
        wait_for "published:" "$work/server-$version.log"
        kill -INT "$session"
        wait_for "ended by DELETE" "$work/server-$version.log"
        cat "$work/server-$version.log"
        wait "$session" || [ $? = 130 ]
        kill "$server"
    done
done

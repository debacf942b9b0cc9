#!/bin/sh
# aiortc, a WebRTC of its own in Python, with a room: it watches, joins with frames that it makes, and is
# the media server to which a room publishes and from which it fetches. Debian's aiortc 1.4 offers a transport for each medium.
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

# serve MODE [KIND]: aiortc as a media server, in the background; with a forged fingerprint if $forged is set.
serve() {
    # The text of an earlier server must not be taken for this one's.
    : > "$work/server"
    FORGED=${forged-} "$python" Tests/WebRoom/aiortc_peer.py "$1" 8098 ${2:+"$2"} > "$work/server" 2>&1 &
    server=$!
    programs="$server $programs"
    wait_for ready "$work/server"
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
        serve serve "$rejected"
        # Each session records into a separate folder.
        run "publisher-$version-$rejected" "publish: \"http://127.0.0.1:8098/whip\", publish-token: secret"
        wait_for "published:" "$work/server"
        kill -INT "$session"
        wait_for "ended by DELETE" "$work/server"
        cat "$work/server"
        wait "$session" || [ $? = 130 ]
        kill "$server"
    done

    say "A room fetches from aiortc $version"
    serve feed
    run "fetcher-$version" "fetch: \"http://127.0.0.1:8098/whep\", fetch-token: secret, fetch-name: Far"
    wait_for "far-camera: opened" "$work/fetcher-$version.log"
    wait_for "far-microphone: opened" "$work/fetcher-$version.log"
    finish "$session"
    wait_for "ended by DELETE" "$work/server"
    wait "$server"

    for purpose in publish fetch; do
        say "A room does not trust aiortc $version with a forged fingerprint: $purpose"
        mode=serve path=whip
        [ $purpose = publish ] || mode=feed path=whep
        forged=1 serve $mode
        run "forged-$purpose-$version" "$purpose: \"http://127.0.0.1:8098/$path\", $purpose-token: secret"
        wait_for "its certificate does not match a=fingerprint of its description" "$work/forged-$purpose-$version.log"
        finish "$session"
        wait "$server" || fail "$(cat "$work/server")"
        cat "$work/server"
        ! grep "camera: opened" "$work/forged-$purpose-$version.log" || fail "Media of a forged server came."
    done
done

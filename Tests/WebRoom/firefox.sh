#!/bin/sh
# People in headless Firefox, with its fake camera and microphone: they watch a room, join it and leave.
# Screenshots of what they see are kept in .build/web-room.
#
#   Tests/WebRoom/firefox.sh
set -eu
cd "$(dirname "$0")/../.."
. Samples/prepare.sh
# shellcheck disable=SC2086 # names of packages are words
install_packages $build_packages $pipewire_packages firefox-esr ffmpeg
prepare_media
greenroom=${GREENROOM:-.build/release/greenroom}
shots="$PWD/.build/web-room"
mkdir -p "$shots"

say "Firefox joins a room"
session=$(mktemp -d)
sed 's|\.\./|/../|; s|path: /|path: '"$PWD/Samples"'/|' Samples/live-room.yaml > "$session/room.yaml"
echo "outputs: [{ record: recording }]" >> "$session/room.yaml"
"$greenroom" live "$session/room.yaml" 2> "$shots/log-firefox" &
room=$!
trap 'kill $room 2> /dev/null || true; wait; rm -rf "$session"' EXIT
tries=0
until grep -q "operators: http" "$shots/log-firefox"; do
    tries=$((tries + 1))
    [ $tries -le 300 ] || fail "The room does not open: $(cat "$shots/log-firefox")"
    sleep 0.1
done
# Firefox plays audio only where there is a loudspeaker: PipeWire has one that nobody hears.
XDG_RUNTIME_DIR=$(mktemp -d)
export XDG_RUNTIME_DIR
code=0
# shellcheck disable=SC2016 # the inner shell expands them
dbus-run-session -- sh -c '
    pipewire & programs=$!
    until pw-cli info 0 > "$XDG_RUNTIME_DIR/info" 2>&1; do
        kill -0 $programs || exit 1
        sleep 0.1
    done
    wireplumber & programs="$! $programs"
    pipewire-pulse & programs="$! $programs"
    tries=0
    until pactl list sinks short | grep -q .; do
        tries=$((tries + 1))
        [ $tries -le 200 ] || { kill $programs; exit 1; }
        sleep 0.1
    done
    code=0
    python3 Tests/WebRoom/firefox.py "$1" "$2" || code=$?
    kill $programs
    wait
    exit $code' sh "$shots/log-firefox" "$shots" 2> "$shots/log-pipewire" || code=$?
rm -rf "$XDG_RUNTIME_DIR"
[ "$code" = 0 ] || fail "It failed: see $shots/log-pipewire"
kill -INT $room
wait $room || [ $? = 130 ]
python3 Tests/WebRoom/recorded.py "$session/recording" fox
say "Look at $shots."

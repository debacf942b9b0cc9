#!/bin/sh
# People in headless Chromium, with its fake camera and microphone: they watch a room, join it, mute and
# leave, on a desktop and on a phone. Screenshots of what they see are kept in .build/web-room.
#
#   Tests/WebRoom/chromium.sh
set -eu
cd "$(dirname "$0")/../.."
. Samples/prepare.sh
# shellcheck disable=SC2086 # names of packages are words
install_packages $build_packages chromium ffmpeg python3-venv
prepare_media
greenroom=${GREENROOM:-.build/release/greenroom}
shots="$PWD/.build/web-room"
mkdir -p "$shots"

# Playwright drives the Chromium that is installed.
python="$PWD/.build/playwright/bin/python"
[ -x "$python" ] || python3 -m venv .build/playwright
"$python" -c "import playwright" 2> /dev/null || "$python" -m pip install -q playwright

say "Chromium joins a room"
session=$(mktemp -d)
sed 's|\.\./|/../|; s|path: /|path: '"$PWD/Samples"'/|' Samples/live-room.yaml > "$session/room.yaml"
echo "outputs: [{ record: { folder: recording, size: 640x360 } }]" >> "$session/room.yaml"
"$greenroom" live "$session/room.yaml" --control 2> "$shots/log" &
room=$!
trap 'kill $room 2> /dev/null || true; wait; rm -rf "$session"' EXIT
tries=0
until grep -q "operators: http" "$shots/log"; do
    tries=$((tries + 1))
    [ $tries -le 300 ] || fail "The room does not open: $(cat "$shots/log")"
    sleep 0.1
done
"$python" Tests/WebRoom/chromium.py "$shots/log" "$shots"
kill -INT $room
wait $room || [ $? = 130 ]
python3 Tests/WebRoom/recorded.py "$session/recording" ana
say "Look at $shots."

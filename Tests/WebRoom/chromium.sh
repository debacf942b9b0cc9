#!/bin/sh
# People in headless Chromium, with its fake camera and microphone: they watch a room, join it, mute and
# leave, on a desktop and on a phone, and control it. Screenshots of what they see are kept in .build/web-room.
#
#   Tests/WebRoom/chromium.sh
set -eu
cd "$(dirname "$0")/../.."
. Tests/WebRoom/common.sh
# shellcheck disable=SC2086 # names of packages are words
install_packages $build_packages chromium ffmpeg python3-venv
prepare_media
shots="$PWD/.build/web-room"
mkdir -p "$shots"
rm -f "$shots/log"
# Playwright drives the Chromium that is installed.
python=$(python_with playwright)

say "Chromium joins a room"
# A program that recognizes speech: it says what the browser's driver writes into a file.
export CAPTIONS="$work/captions"
touch "$CAPTIONS"
live_room "{ record: { folder: recording, size: 640x360 } }, { plugin: Command, settings: { track: mix, captions: true,
  command: [sh, -c, \"tail -n 0 -f $CAPTIONS >&3 & exec cat > /dev/null\"] } }"
# Half of the slides are lost, for the operators' plots.
cc -std=c11 -D_GNU_SOURCE -O1 -shared -fPIC -pthread -ISources/GreenroomABI/include \
    Tests/HostilePlugins/hostile/*.c -o "$work/filters.so" -lm
sed -i "/slides$/a\\  pre-processors: [{ plugin: \"$work/filters.so#FilterFails\", required: true }]" "$work/room.yaml"
"$greenroom" live "$work/room.yaml" --control 2> "$shots/log" &
room=$!
programs=$room
wait_for "operators: http" "$shots/log"
"$python" Tests/WebRoom/chromium.py "$shots/log" "$shots"
# An operator has ended it.
wait "$room"
python3 Tests/WebRoom/recorded.py "$work/recording" ana 5
say "Look at $shots."

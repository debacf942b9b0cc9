#!/bin/sh
# People in headless Firefox, with its fake camera and microphone: they watch a room, join it and leave.
# Screenshots of what they see are kept in .build/web-room.
#
#   Tests/WebRoom/firefox.sh
set -eu
cd "$(dirname "$0")/../.."
. Tests/WebRoom/common.sh
# shellcheck disable=SC2086 # names of packages are words
install_packages $build_packages $pipewire_packages firefox-esr ffmpeg
prepare_media
shots="$PWD/.build/web-room"
mkdir -p "$shots"
rm -f "$shots/log-firefox"

say "Firefox joins a room"
live_room "{ record: recording }"
"$greenroom" live "$work/room.yaml" 2> "$shots/log-firefox" &
room=$!
programs=$room
wait_for "operators: http" "$shots/log-firefox"
# Firefox plays audio only where there is a loudspeaker: PipeWire has one that nobody hears.
Tests/VirtualDevices/with-pipewire.sh \
    python3 Tests/WebRoom/firefox.py "$shots/log-firefox" "$shots" 2> "$shots/log-pipewire" \
    || fail "It failed: see $shots/log-pipewire"
finish "$room"
python3 Tests/WebRoom/recorded.py "$work/recording" fox
say "Look at $shots."

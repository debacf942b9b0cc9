#!/bin/sh
# Twelve states of a room's page in headless Chromium, in light and dark, on a desktop and on a phone. The script
# checks the content of each state, and keeps screenshots in .build/web-room.
#
#   Tests/WebRoom/states.sh
set -eu
cd "$(dirname "$0")/../.."
. Tests/WebRoom/common.sh
# shellcheck disable=SC2086 # names of packages are words
install_packages $build_packages chromium python3-venv
prepare_media
shots="$PWD/.build/web-room"
mkdir -p "$shots"
rm -f "$shots/states-log"
python=$(python_with playwright)
"$python" -m pip install -q axe-playwright-python

say "The states of a room's page"
cat > "$work/states.yaml" <<END
session: { maximum: 640x360@15, callback-deadline: 10s, drain-timeout: 1h }
camera: { plugin: ColorBars }
microphone: { plugin: Tone, settings: { frequency: 330, level: -30 } }
call: { plugin: WebRoom, settings: { title: Weekly demo } }
outputs: [record: $work/demo.mkv]
END
"$greenroom" live "$work/states.yaml" --control 2> "$shots/states-log" &
room=$!
programs=$room
wait_for "operators: http" "$shots/states-log"
"$python" Tests/WebRoom/states.py "$shots/states-log" "$shots" "$room"
wait "$room" || [ $? = 130 ]
# The operator has stopped the recording, and started it again.
for file in demo demo-2; do
    [ -s "$work/$file.mkv" ] || fail "The recording $file.mkv is missing or empty."
done
say "Look at $shots."

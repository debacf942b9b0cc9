#!/bin/sh
# A viewer and a guest in headless Chromium while the room's process is killed, the host is stopped for 10 s, a tab
# is frozen, and the browser's network is lost. Each time the page and the log say so, and both pages are live again
# without a click.
#
#   Tests/WebRoom/recover.sh
set -eu
cd "$(dirname "$0")/../.."
. Tests/WebRoom/common.sh
# shellcheck disable=SC2086 # names of packages are words
install_packages $build_packages chromium python3-venv procps
python=$(python_with playwright)

cat > "$work/room.yaml" << YAML
session: { maximum: 640x360@15, callback-deadline: 10s }
camera: { plugin: ColorBars }
microphone: { plugin: Tone }
YAML
"$greenroom" live "$work/room.yaml" 2> "$work/log" &
room=$!
programs=$room
wait_for "operators: http" "$work/log"
"$python" Tests/WebRoom/recover.py "$work/log" "$room" || fail "$(cat "$work/log")"
finish "$room"

#!/bin/sh
# A window of an X server, a camera with a web page over it and two more cameras in a live room, seen by headless
# Chromium: each has its own tile with its name, the window shows what is drawn while it is shared, and the page lies
# over the camera. Screenshots of what people see are kept in .build/web-room.
#
#   Tests/WebRoom/screen.sh
set -eu
cd "$(dirname "$0")/../.."
. Tests/WebRoom/common.sh
# shellcheck disable=SC2086 # names of packages are words
install_packages $build_packages $screen_packages chromium chromium-headless-shell python3-venv
shots="$PWD/.build/web-room"
mkdir -p "$shots"
rm -f "$shots/log"
python=$(python_with playwright)

say "A screen, and a camera with a page, in a room"
cc -Wall -Wextra -Werror -o "$work/window" Tests/Screens/window.c -lxcb
Xvfb -displayfd 1 -ac -screen 0 1280x720x24 -noreset -nolisten tcp > "$work/display" 2> "$work/server" &
programs=$!
wait_for . "$work/display"
DISPLAY=":$(cat "$work/display")"
export DISPLAY
unset WAYLAND_DISPLAY
mkfifo "$work/window.pipe"
"$work/window" "$work/window.pipe" Counter Demo 100 80 400 300 > "$work/window.lines" &
programs="$programs $!"
wait_for 0x "$work/window.lines"
cat > "$work/banner.html" << 'END'
<body style="margin: 0"><div style="position: absolute; bottom: 0; width: 100%; height: 50%; background: #0f0"></div>
END
cat > "$work/room.yaml" << END
session: { maximum: 640x360@30, callback-deadline: 10s }
camera:
  plugin: ColorBars
  pre-processors: [{ plugin: Browser, settings: { page: $work/banner.html } }]
cameras:
  desk: { plugin: ColorBars, settings: { pattern: grey } }
  room: { plugin: ColorBars }
share: { plugin: Screen, settings: { window: demo } }
call: { plugin: WebRoom }
END
"$greenroom" live "$work/room.yaml" 2> "$shots/log" &
room=$!
programs="$programs $room"
wait_for "viewers: " "$shots/log"
"$python" Tests/WebRoom/screen.py "$shots/log" "$shots" "$work/window.pipe"
finish "$room"
say "Look at $shots."
